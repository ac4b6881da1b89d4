"""Work that joins several rooms: runs over files, corpus work, comparisons."""
