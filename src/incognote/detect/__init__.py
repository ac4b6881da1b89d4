"""Finding identifiers: rules, a model, known values and propagation; vetoes and thresholds; and how
findings are merged.
"""
