"""Moved to `base/messages.py`."""

from incognote.base.messages import log as log
from incognote.base.messages import logging_to as logging_to
