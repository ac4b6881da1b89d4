"""What a hospital says of itself: a site file of lists, patterns, types of its own, and what is none.

`read_site` reads and checks the file, `Site` searches notes for what it says.
"""

from incognote.detect.site.site import OwnType, Site, SiteError, SiteRow
from incognote.detect.site.site_file import load_site, read_site

__all__ = ["OwnType", "Site", "SiteError", "SiteRow", "load_site", "read_site"]
