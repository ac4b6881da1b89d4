"""Thresholds with a guarantee from a site's own annotated notes, and which notes to review."""

from __future__ import annotations
