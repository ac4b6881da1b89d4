"""Invents clinical notes with exact PHI marks, to train the shipped model on."""
