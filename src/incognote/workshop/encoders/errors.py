"""What can be wrong with what a user gives an encoder; each error is one sentence."""

from __future__ import annotations


class EncoderError(ValueError):
    """A configuration, a checkpoint or an input that an encoder cannot use."""


class ConfigError(EncoderError):
    """A configuration that describes no encoder."""


class CheckpointError(EncoderError):
    """A folder or file that does not hold the weights it should."""


class InputError(EncoderError):
    """Ids, segments or lengths outside what the encoder was made for."""
