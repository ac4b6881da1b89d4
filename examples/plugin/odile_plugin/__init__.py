"""What St Odile Hospital, which does not exist, adds to incognote."""
