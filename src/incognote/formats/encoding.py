"""How a file spells its characters as bytes, and which characters no note can have.

A file is written in the encoding that it was read in, so that what was not replaced keeps its
bytes. An encoding is taken from a byte order mark, from what the user says, or from the bytes:
strict UTF-8, else UTF-16 or UTF-32 by where the zero bytes stand, else a guess among the
encodings of one or two bytes a character. A guess in doubt is refused, for a name that is
misread is a name that is missed.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from incognote.formats.fields import codecs_named
from incognote.formats.format_error import FormatError

UTF8_MARK = b"\xef\xbb\xbf"
MARKS = {
    b"\xff\xfe\x00\x00": "utf-32-le",
    b"\x00\x00\xfe\xff": "utf-32-be",
    UTF8_MARK: "utf-8",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}
"""Byte order marks; the longer before those that they begin with."""

_HEAD = 1 << 16
_SAMPLE = 1 << 15
_WINDOW = 1 << 12
_FEW_PAIRS = 6
"""So many characters of the Far East among so many, all of which two letters would look like."""
_HIGH_LINE = re.compile(rb"[^\r\n]*[\x80-\xff][^\r\n]*[\r\n]*")
_SEQUENCE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_HIGH = re.compile(rb"[\x80-\xff]")
_CONTROLS = re.compile(rb"[\x01-\x08\x0e-\x1a]")
_SHIFTED = re.compile(rb"\x1b\$[@AB(]|\x1b\([BIJ]")
_BESIDE_TEXT = re.compile("[\0-\x08\x0e-\x1f\x7f\ue000-\uf8ff\ufffe\uffff]")
_FAR_EAST = re.compile("[\u2c00-\ud7ff\uf900-\ufaff]")


def character_name(character: str, position: int) -> str:
    """How messages call a character: the code point and the place, never its neighbours."""
    return f"U+{ord(character):04X} at position {position}"


def first_problem(pattern: re.Pattern[str], text: str, why: str) -> str | None:
    """The sentence for the first match of `pattern` in a text; None where there is none."""
    match = pattern.search(text)
    return f"{character_name(text[match.start()], match.start())} {why}" if match else None


def lone_surrogate(text: str) -> str | None:
    """The sentence for half a surrogate pair, which no encoding of text can hold."""
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"{character_name(text[error.start], error.start)} is half a surrogate pair, not a character"
    return None


def not_text(text: str) -> str | None:
    """The sentence for a character that no note has: half a surrogate pair, or NUL.

    A NUL between the letters of a name hides it, and is what text of another encoding looks like.
    """
    if (at := text.find("\0")) >= 0:
        return f"{character_name(chr(0), at)} is not a character of a note"
    return lone_surrogate(text)


@dataclass(frozen=True)
class Encoding:
    """A codec, and the byte order mark that the file begins with."""

    codec: str = "utf-8"
    mark: bytes = b""
    explicit: bool = False
    """Whether the user named it."""

    @property
    def name(self) -> str:
        """The name that messages show and `--encoding` takes."""
        name = re.sub("^cp(?=125)", "windows-", self.codec)
        return re.sub("^iso8859-", "iso-8859-", name)

    def decode(self, data: bytes, start: int = 0) -> str:
        """The text of bytes that stand at `start` of their file, after the mark.

        Refused where it would not come back as these bytes, and where it has a NUL: no note has
        one, but text of another encoding does.
        """
        try:
            text = data.decode(self.codec)
        except UnicodeDecodeError as error:
            raise self.not_valid(start + error.start) from None
        self.check_exact(text, data)
        if "\0" in text:
            raise FormatError(str(not_text(text)))
        return text

    def decode_whole(self, data: bytes) -> str:
        """The text of a file that begins with the mark."""
        return self.decode(data[len(self.mark) :], len(self.mark))

    def check_exact(self, text: str, data: bytes) -> None:
        """Refuse bytes that their text would not come back as: codecs of two bytes have such.

        Also those of UTF-16 that a program without regard for it has added to in ASCII.
        """
        if self.codec in ("utf-16-le", "utf-16-be") and not self.explicit:
            for at in range(0, len(text), _WINDOW):
                far = _FAR_EAST.findall(text, at, at + _WINDOW)
                if len(far) >= _FEW_PAIRS and all(map(_is_ascii_pair, far)):
                    raise self._mixed()
        if not self.codec.startswith("utf") and text.encode(self.codec) != data:
            raise FormatError(
                f"it has characters with two spellings in {self.name}: convert it to UTF-8"
            )

    def _mixed(self) -> FormatError:
        return FormatError(
            "it begins as UTF-16 and goes on in another encoding: mend the file, or say "
            f"--encoding {self.name}"
        )

    def encode(self, text: str) -> bytes:
        """The bytes of a text, without the mark; refused where a character has none."""
        try:
            return text.encode(self.codec)
        except UnicodeEncodeError as error:
            if reason := lone_surrogate(text):
                raise FormatError(reason) from None
            character = character_name(text[error.start], error.start)
            raise FormatError(f"{character} cannot be written in {self.name}") from None

    def whole(self, text: str) -> bytes:
        """The bytes of a file: the mark, then the text.

        A text that itself begins like a mark gets one before it, so that it reads back.
        """
        if not self.mark and text.startswith("\ufeff"):
            return self.encode("\ufeff" + text)
        return self.mark + self.encode(text)

    def of_utf8(self, data: bytes) -> bytes:
        """The bytes in this encoding of a text given as UTF-8."""
        return data if self.codec == "utf-8" else self.encode(data.decode())

    def not_valid(self, at: int) -> FormatError:
        """The error for bytes that are not text in this encoding."""
        return FormatError(f"not valid {self.name.upper()}", f"byte {at}")


UTF8 = Encoding()


@dataclass(frozen=True)
class Survey:
    """What the bytes of a whole file show, in little memory."""

    head: bytes
    """Its beginning, with the mark."""
    is_utf8: bool
    """Whether all of it is valid UTF-8."""
    sample: bytes
    """Lines with bytes above 127; none where it is ASCII."""
    whole: bool
    """Whether `head` is all of it."""

    @classmethod
    def of(cls, chunks: Iterable[bytes]) -> Survey:
        """Read a file once from its beginning."""
        head, sample, size = b"", b"", 0
        is_utf8 = True
        decoder = codecs.getincrementaldecoder("utf-8")()
        for chunk in chunks:
            is_utf8 = is_utf8 and _accepts(decoder, chunk)
            size += len(chunk)
            if len(head) < _HEAD:
                head += chunk[: _HEAD - len(head)]
            if not chunk.isascii() and len(sample) < _SAMPLE:
                sample += _high_lines(chunk, _SAMPLE - len(sample))
        is_utf8 = is_utf8 and _accepts(decoder, b"", final=True)
        return cls(head, is_utf8, sample, size == len(head))

    @property
    def mark(self) -> bytes:
        """The byte order mark, if it begins with one."""
        return next((mark for mark in MARKS if self.head.startswith(mark)), b"")

    @property
    def is_damaged_utf8(self) -> bool:
        """Whether most of what is above ASCII is UTF-8, though not all: no other text looks so."""
        inside = sum(map(len, _SEQUENCE.findall(self.sample)))
        return not self.is_utf8 and 2 * inside > len(_HIGH.findall(self.sample))

    def check_controls(self) -> None:
        """Refuse what is ASCII only to a machine: UTF-16 of another script, and shifted codes."""
        if _SHIFTED.search(self.head):
            raise FormatError("it may be ISO-2022, which incognote does not read: use UTF-8")
        for order, units in (("be", self.head[::2]), ("le", self.head[1::2])):
            if len(_CONTROLS.findall(units)) > max(3, len(units) / 2):
                raise in_doubt(f"utf-16-{order}", 0.5)


def _accepts(decoder: codecs.IncrementalDecoder, chunk: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return False
    return True


def _high_lines(chunk: bytes, size: int) -> bytes:
    """Lines with bytes above 127, of `size` bytes or so; the first and the last may be cut."""
    lines: list[bytes] = []
    for line in _HIGH_LINE.finditer(chunk):
        lines.append(line[0])
        size -= len(line[0])
        if size <= 0:
            break
    return b"".join(lines[1:-1] if len(lines) > 9 else lines)[:_SAMPLE]


def encoding_of(survey: Survey, explicit: str | None = None) -> Encoding:
    """The encoding of a file.

    `explicit` names one, or several with commas, of which the first that fits is meant.
    """
    if explicit is not None:
        return _first_that_fits(survey, codecs_named(explicit))
    if mark := survey.mark:
        return Encoding(MARKS[mark], mark)
    if b"\0" in survey.head and (wide := _wide(survey)):
        return _plausible(survey, wide)
    survey.check_controls()
    if survey.is_utf8 or survey.is_damaged_utf8:
        return UTF8
    from incognote.formats.encoding_guess import ENOUGH, guess

    codec, confidence = guess(survey.sample)
    if codec is None:
        return UTF8
    if confidence < ENOUGH:
        raise in_doubt(Encoding(codec).name, confidence)
    return Encoding(codec)


def encoding_beside(survey: Survey, main: Encoding) -> Encoding:
    """The encoding of a file of marks that stands beside its notes: theirs, unless it is Unicode."""
    if survey.mark or b"\0" in survey.head:
        return encoding_of(survey)
    if survey.is_utf8 and (survey.sample or main.codec.startswith("utf")):
        return UTF8
    return Encoding(main.codec)


def _first_that_fits(survey: Survey, codecs: tuple[str, ...]) -> Encoding:
    """The first codec that nothing in the file contradicts."""
    reasons: list[str] = []
    for codec in codecs:
        fit = _fit(survey, codec)
        if isinstance(fit, Encoding):
            if len(codecs) == 1 or _decodes(survey, fit):
                return replace(fit, explicit=True)
            fit = f"not valid {fit.name.upper()}"
        reasons.append(fit)
    raise FormatError("; ".join(dict.fromkeys(reasons)))


def _fit(survey: Survey, codec: str) -> Encoding | str:
    """The encoding of a file said to be in `codec`, or why it cannot be."""
    encoding = Encoding(codec)
    if mark := survey.mark:
        own = MARKS[mark]
        if not own.startswith(codec):
            return f"it begins with the mark of {own}, so it is not {encoding.name}"
        return Encoding(own, mark)
    if codec in ("utf-16", "utf-32"):
        wide = _wide(survey)
        return wide if wide and wide.codec.startswith(codec) else Encoding(f"{codec}-le")
    if survey.sample and survey.is_utf8 and codec != "utf-8" and b"\0" not in survey.head:
        return (
            f"it is valid UTF-8, so it is not {encoding.name}: leave --encoding out, or add utf-8"
        )
    return encoding


def _decodes(survey: Survey, encoding: Encoding) -> bool:
    """Whether the bytes look like this encoding, where the user named several."""
    if encoding.codec == "utf-8":
        return survey.is_utf8 and b"\0" not in survey.head
    if encoding.codec.startswith("utf"):
        return bool(encoding.mark) or _wide(survey) == encoding
    try:
        encoding.decode(survey.sample)
    except FormatError:
        return False
    return True


def _wide(survey: Survey) -> Encoding | None:
    """UTF-16 or UTF-32 by where the zero bytes stand; None where they fit neither."""
    head = survey.head[: len(survey.head) // 4 * 4] or survey.head
    zeros = [head[at::4].count(0) for at in range(4)]
    units = -(-len(head) // 4)
    if len(head) >= 4 and zeros[3] == units and zeros[2] > 0.98 * units and zeros[0] == 0:
        return Encoding("utf-32-le")
    if len(head) >= 4 and zeros[0] == units and zeros[1] > 0.98 * units and zeros[3] == 0:
        return Encoding("utf-32-be")
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    if not even and odd > 0.05 * len(head):
        return Encoding("utf-16-le")
    if not odd and even > 0.05 * len(head):
        return Encoding("utf-16-be")
    return None


def _plausible(survey: Survey, wide: Encoding) -> Encoding:
    """Without a mark it must be text throughout, with nothing that ASCII could be behind."""
    try:
        text = wide.decode(_units(survey, wide))
    except FormatError:
        raise in_doubt(wide.name, 0.0) from None
    if _BESIDE_TEXT.search(text) or any(map(_is_ascii_pair, _FAR_EAST.findall(text))):
        raise in_doubt(wide.name, 0.5)
    return wide


def _units(survey: Survey, encoding: Encoding) -> bytes:
    """The head after the mark; if the file goes on, without a character that is cut."""
    data = survey.head[len(encoding.mark) :]
    if survey.whole:
        return data
    data = data[: len(data) // 4 * 4]
    high = data[-1:] if encoding.codec == "utf-16-le" else data[-2:-1]
    return data[:-2] if "16" in encoding.codec and b"\xd8" <= high <= b"\xdb" else data


def _is_ascii_pair(character: str) -> bool:
    """Whether two letters of ASCII, taken for one unit of UTF-16, look like this character."""
    return all(0x20 <= byte < 0x7F or byte in b"\t\r\n" for byte in character.encode("utf-16-le"))


def as_utf8(head: bytes) -> bytes:
    """The beginning of a file as UTF-8 without a mark, where it is UTF-16 or UTF-32."""
    survey = Survey.of([head])
    wide = Encoding(MARKS[survey.mark], survey.mark) if survey.mark else None
    if wide is None and b"\0" in head:
        wide = _wide(survey)
    if wide is None:
        return head
    return head[len(wide.mark) :].decode(wide.codec, "replace").encode()


def in_doubt(name: str, confidence: float) -> FormatError:
    """The error for a guess that is too uncertain; it names the guess."""
    return FormatError(
        f"its encoding is in doubt: it may be {name} (confidence {confidence:.2f}); "
        f"if it is, say --encoding {name}"
    )
