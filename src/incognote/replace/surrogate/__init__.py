"""Surrogates: realistic stand-ins that depend on the key, the patient and the original alone."""
