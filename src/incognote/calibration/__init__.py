"""What `calibrate` wrote, read again: the thresholds it certified, and for which detector."""

from __future__ import annotations
