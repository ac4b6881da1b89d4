"""The errors that are the user's to mend, one family, and what may be said of any other error.

The command line prints the message of every `UserError` as one line and ends with its `status`.
So a message is one sentence that names the file or option and says what to do, and it never quotes
a note. A kind that only one room raises stands in that room (`formats.format_error.FormatError`,
`replace.rewrite.OperatorError`, `replace.vault.keys.VaultError`); kinds that several rooms raise or
catch stand here. Those that tell of a wrong value are `ValueError`s too, for programs that use the
package as a library.
"""

from __future__ import annotations


class UserError(Exception):
    """One sentence for the user; the command ends with `status`."""

    status = 2


class RunError(UserError):
    """A run over files that cannot start."""


class StoppedError(RunError):
    """A run that cannot go on. What is finished is kept."""

    status = 1


class CalibrationError(UserError, ValueError):
    """A calibration that cannot be used, or a guarantee that cannot be given."""


class ModelError(UserError, ValueError):
    """A folder or file that is not the model it should be."""


class AlignError(UserError, ValueError):
    """Tokens, tags or labels that contradict each other."""


class NotFiniteError(AlignError):
    """Scores that are no numbers, or infinite: nothing can be decided by them."""

    def __init__(self) -> None:
        super().__init__(
            "the model gives scores that are not finite numbers, so nothing can be said of the note; "
            "the model is damaged: copy or export it again"
        )


class EncoderError(UserError, ValueError):
    """A configuration, a checkpoint or an input that an encoder cannot use."""


class ConfigError(EncoderError):
    """A configuration that describes no encoder."""


class CheckpointError(EncoderError):
    """A folder or file that does not hold the weights it should."""


class InputError(EncoderError):
    """Ids, segments or lengths outside what the encoder was made for."""


class TokenizerError(UserError, ValueError):
    """A vocabulary that cannot be read or used."""


class TextError(UserError, ValueError):
    """A file, an option or a folder of shards that pretraining cannot use."""


class TrainError(UserError, ValueError):
    """Options, data or a folder that training cannot use."""


class DivergedError(TrainError):
    """A training whose loss left all bounds; its last saved state is from before."""


def reason_of(error: OSError) -> str:
    """What the system says, without the path."""
    return (error.strerror or type(error).__name__).lower()


def kind_of_error(error: BaseException) -> str:
    """All that may be said of an unforeseen error: its message might quote a note."""
    if isinstance(error, MemoryError | RecursionError):
        return f"too large or too deep: {type(error).__name__}"
    if isinstance(error, OSError):
        return reason_of(error)
    return type(error).__name__
