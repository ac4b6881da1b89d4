"""Finding identifiers: rules, known values, propagation, and how their findings are merged."""
