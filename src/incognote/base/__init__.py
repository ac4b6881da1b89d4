"""The ground floor: files, locks and errors, which every room may use and which know no room."""
