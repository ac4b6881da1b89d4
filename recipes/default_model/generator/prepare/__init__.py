"""Makes marked texts of open clinical reports: placeholders named, what identifies marked or cut."""
