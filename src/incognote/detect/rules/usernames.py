"""Login names, typist codes and social handles, by the words around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_letters, digits

from incognote.detect.first_words import first_words
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import FigurePattern, LinePattern, Pattern, WordPattern
from incognote.detect.rules.engine import LAST, Family, Finding, Rule, keep_distinct, no, value
from incognote.knowledge.lexicon import ACRONYMS, is_ordinary

TYPE = "USERNAME"

_HANDLE = r"[^\W_][\w.-]{0,30}(?:/[a-z0-9]{1,4})?(?<![.-])"
_LOGIN = WordPattern(
    r"(?<![\w-])(?:(?:user(?:[ _]?(?:name|id|acct))?|u/n|log-?[io]n(?: (?:name|id))?|"
    r"(?:my ?chart|portal|proxy|patient|clinic|network|windows|epic|badge/|remote id|t:connect|cgm|"
    r"sync|web|online)[ _]?(?:user(?:name)?|log-?in|id|acct|account)|acct|operator id|op|"
    r"username is|new login|user ?name|screen ?name|gamer ?tag|handle|account name|"
    r"family id|active mychart|proxy|id)(?P<s>[ \t]{0,3}(?:[:=]|\.{2,40}|is)?[ \t\"“']{1,4}|[:=]))"
    rf"(?P<handle>@?{_HANDLE})(?![\w@])",
    small=True,
)
_NETWORK = (
    r"(?:insta(?:gram)?|ig|twitter|x\.com|tiktok|snap(?:chat)?|facebook|fb|reddit|discord|"
    r"twitch|venmo|cash ?app|telegram|skype|psn|xbox|steam|threads|bluesky)"
)
_SOCIAL = WordPattern(
    rf"(?<![\w-]){_NETWORK}(?![a-z])"
    r"(?: (?:handle|user(?:name)?|account|acct|id|name))?[ \t]{0,2}[:=]?[ \t]{0,2}"
    rf"(?P<handle>@?{_HANDLE})(?![\w@])",
    words=first_words(_NETWORK),
    small=True,
)
_AT_HANDLE = Pattern(r"(?P<handle>@(?<![\w@.].)[A-Za-z][\w.]{2,29}(?<!\.))(?![\w@.]*@)")
_BY = WordPattern(rf"(?<![\w-])by:?[ \t]{{1,4}}(?P<handle>{_HANDLE})(?![\w@])", small=True)
_DONE_BY = WordPattern(
    r"(?<![\w-])(?:printed|transcribed|trans|typed|entered|created|updated|modified|closed|opened|"
    r"scanned|filed|keyed|scribed|acknowledged|verified|released|taken|merged|logged|downloaded|"
    r"uploaded|accessed|viewed|edited)(?:[ \t]{1,2}[\w/:.,-]{1,12}){0,3}?[ \t]{1,2}by:?[ \t]{1,4}"
    r"(?P<handle>[a-z]{3,20})(?!\w)(?=[ \t]{2}|[ \t]{0,3}(?:[,;.(@]|\r?\n|\Z|from\b|at\b|on\b|\d))",
    small=True,
)
_SIGNATURE = r"(?:signed|e-?signed|e-?sig|electronically signed|last mod|scribe|staff|users flagged|dictated/|sync)"
_SIGNED = WordPattern(
    rf"(?<![\w-]){_SIGNATURE}"
    r"(?:[ \t]{1,2}\d[\d/:.T-]{3,18}){0,2}(?:(?<=/)|:[ \t]{0,6}|[ \t]{1,8})"
    rf"(?P<handle>{_HANDLE})(?![\w@])",
    words=first_words(_SIGNATURE),
    small=True,
)
_TYPIST = WordPattern(
    r"(?<![\w-])(?:TID|Tid|tid|TR|Tr|Trans ID|Transcriptionist(?: ID)?|Typist|typist|T/R|Trans)[:=#]?[ \t]{1,4}"
    r"(?P<handle>[A-Za-z][\w-]{1,11}(?:/[a-z0-9]{1,4})?)(?![\w@-])"
    r"|(?<![\w-])(?:TID|tid)[:=](?P<glued>[A-Za-z][\w-]{1,11})(?![\w@-])"
)
_SIGN_OFF = LinePattern(
    r"^[ \t]{0,80}(?:[A-Z]{2,4}|[a-z]{2,3}|[A-Z][\w'’-]{2,20}/[A-Z][\w'’-]{2,20}/)[ ]?[/:][ ]?"
    r"(?P<handle>[a-z]{2,3}\d{0,3})(?=[ \t]{2,}|[ \t]*(?:\r?\n|\Z)|[ \t](?:[dtDT]\b|typed|cc|dd|dt|\d))",
    re.MULTILINE,
    first=ascii_letters,
)
_SLASHED = Pattern(
    r"/(?<![\w/].)(?P<handle>[a-z]{2,4}(?:-?\d{1,3})?)(?=/|[ \t]{2,}|[ \t]*(?:\r?\n|\Z))"
)
_DD_DT = WordPattern(
    r"(?<![\w-])(?:DT|dt|T|t|typed)[ :]{1,3}\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}(?:[ \t]\d{3,4})?[ \t]{1,6}/?"
    r"(?P<handle>[a-z]{2,4}(?:-?\d{1,3})?|[A-Z]{2,3}\d{1,4})(?=[ \t]{2,}|[ \t]*(?:\r?\n|\Z))"
)
_DICTATED = WordPattern(
    r"(?<![\w-])D[:=][ ]?[A-Za-z]{2,3}[ \t]+T[:=][ ]?(?P<handle>[a-z]{2,3}\d{0,3})(?!\w)"
)
_AFTER_DEGREE = Pattern(
    r"(?:M\.?D|D\.?O|R\.?N|NP|PA-C|PharmD|BCACP|DPT|CNM|MPH|LPN|PhD)\.?,?[ \t]{2,8}"
    r"(?P<handle>[A-Za-z]{1,3}\d{1,4}|[a-z][a-z.]{4,14}\d{0,3})(?=[ \t]{2,}|[ \t]*(?:\r?\n|\Z))"
)
_MIXED = Pattern(r"[A-Za-z]{2,12}\d{1,4}[A-Za-z]{1,8}")
_NOT_READ = WordPattern(r"not read\.?[ \t]{1,8}(?P<handle>[a-z]{3,12}/[a-z]{2,3}\d?)\b")
_PARENTHESIS = Pattern(r"\((?P<handle>[a-z]{2,12}_[a-z0-9]{1,8})\)")
_AUDIT_ROW = LinePattern(
    r"^[ \t]{0,8}\d{1,4}[-/]\d{1,2}[-/]\d{2,4}[ \t]{1,6}\d{1,2}:?\d{2}(?::\d{2})?[ \t]{2,8}"
    r"(?P<handle>[a-z][a-z0-9._]{3,24})(?=[ \t]{2})",
    re.MULTILINE,
    first=digits,
)
_ADDRESS = FigurePattern(r"\d{1,3}(?:\.\d{1,3}){3}/(?P<handle>[a-z]{3,}\d{0,3})\b", then=r"\.\d")
_NOT_TYPISTS = frozenset(
    "po pr np iv im hs am pm wt bp hr rr od os ou ac pc rx fx hx sx dx tx hd pd nv vd vs min day "
    "wk mo yr kg mg ml dl cm mm mcg hpf lpf bid tid qid qhs prn pt ot st rt lt no na nl wnl abx ed or".split()
)
_SIGNED_LINE = Pattern(
    r"sign|dict|typed|transcr|M\.?D\.?|D\.O\.|\bD[DT]?:|//|\bR\.?N\b", re.IGNORECASE
)
_SLASHED_AGAIN = Pattern(r"/(?P<handle>[a-z]{2,4}\d{0,3})(?=[ \t]*(?:\r?\n|\Z))")
_TYPIST_PAIR = Pattern(r"[A-Za-z]{2,10}(?:-?\d{1,3})?/[a-z]{2,3}\d{0,2}")
_DATE_LIKE = Pattern(
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]*[-.]?\d+",
    re.IGNORECASE,
)
_ABBREVIATION = Pattern(
    r"(?:[A-Za-z]{1,3}\.){1,3}[A-Za-z]{1,3}|[TCLS]\d{1,2}|B12|T4|A1c", re.IGNORECASE
)


def _handle(text: str, match: re.Match[str]) -> str:
    """As it is written: most patterns read the text in lower case."""
    return text[slice(*match.span("handle"))]


def _is_login(text: str, match: re.Match[str]) -> object:
    handle = _handle(text, match)
    if match[0][:2] == "id" and "_" not in handle:
        return False
    return _coded(handle) or _MIXED.fullmatch(handle) or _login_word(handle, match[0])


def _is_social(text: str, match: re.Match[str]) -> bool:
    handle = _handle(text, match)
    return _coded(handle) or ("@" in handle and not is_ordinary(handle[1:].lower()))


def _is_at_handle(handle: str) -> bool:
    mixed = "_" in handle or any(c.isdigit() for c in handle)
    return mixed and not is_ordinary(handle[1:].lower())


def _is_coded(text: str, match: re.Match[str]) -> bool:
    return _coded(_handle(text, match))


def _is_worker(text: str, match: re.Match[str]) -> bool:
    handle = _handle(text, match)
    return _coded(handle) or _bare_login(handle, text[match.start() : match.start("handle")])


def _is_typist(_: str, match: re.Match[str]) -> bool:
    return _typist_like(match["handle"] or match["glued"])


def _is_typist_code(handle: str) -> bool:
    return handle not in _NOT_TYPISTS and not is_ordinary(handle.lower())


def _slashed(note: NoteIndex) -> Iterator[Finding]:
    """Typist codes between slashes, once the line says that the note was signed or dictated."""
    text = note.text
    for match in _SLASHED.finditer(text):
        line = text[max(text.rfind("\n", 0, match.start()), match.start() - 120, 0) : match.start()]
        if _SIGNED_LINE.search(line) and match["handle"] not in _NOT_TYPISTS:
            yield Finding(*match.span("handle"), TYPE, 0.8)
            following = _SLASHED_AGAIN.match(text, match.end())
            if following:
                yield Finding(*following.span("handle"), TYPE, 0.8)


def _plain(handle: str) -> bool:
    return is_ordinary(handle.lower()) or handle.lower() in ACRONYMS


def _coded(handle: str) -> bool:
    """Letters with a digit, underscore or dot among them: the form of a login, not of a word."""
    bare = handle.lstrip("@")
    if len(bare) < 4 or not bare[0].isalpha() or _DATE_LIKE.fullmatch(bare):
        return False
    if _ABBREVIATION.fullmatch(bare):
        return False
    if "_" in bare.strip("_"):
        return True
    letters = bare.rstrip("0123456789")
    if letters != bare and letters.isalpha():
        return len(letters) >= 2 and not _plain(letters)
    if _TYPIST_PAIR.fullmatch(bare):
        return True
    parts = [part for part in bare.split(".") if part]
    words = [part.rstrip("0123456789") for part in parts]
    return (
        len(parts) > 1
        and all(word.isalpha() for word in words)
        and max(map(len, words)) >= 3
        and not all(_plain(word) for word in words if len(word) > 1)
    )


def _login_word(handle: str, cue: str) -> bool:
    """A login without digits: one run of letters that is no word."""
    bare = handle.lstrip("@")
    if len(bare) < 4 or not bare.replace("-", "").isalpha() or _plain(bare):
        return False
    if not (bare.islower() or bare.isupper()):
        return False
    return not cue.startswith(("acct", "handle", "sync", "proxy", "id"))


def _bare_login(handle: str, cue: str) -> bool:
    """`Printed by rclement`: small letters or capitals where a name would be written as one."""
    if not handle.isalpha() or _plain(handle):
        return False
    if handle.isupper():
        return len(handle) > 5 and not cue.isupper()
    shortest = 3 if cue.lower().startswith(("taken", "typed", "trans")) else 5
    return handle.islower() and len(handle) >= shortest


def _typist_like(code: str) -> bool:
    return (not _plain(code) and code.lower() not in _NOT_TYPISTS and not code.istitle()) or _coded(
        code
    )


_NOT_PLAIN = no(value(_plain, "handle"))

FAMILY = Family(
    "usernames",
    frozenset({TYPE}),
    (
        Rule(_LOGIN, TYPE, 0.9, "handle", when=_is_login),
        Rule(_SOCIAL, TYPE, 0.85, "handle", when=_is_social),
        Rule(_AT_HANDLE, TYPE, 0.85, "handle", when=value(_is_at_handle)),
        Rule(_BY, TYPE, 0.85, "handle", when=_is_coded),
        Rule(_DONE_BY, TYPE, 0.82, "handle", when=_is_worker),
        Rule(_SIGNED, TYPE, 0.82, "handle", when=_is_worker),
        Rule(_TYPIST, TYPE, 0.85, LAST, when=_is_typist),
        Rule(_SIGN_OFF, TYPE, 0.85, "handle", when=value(_is_typist_code, "handle")),
        Rule(_DD_DT, TYPE, 0.85, "handle", when=value(_is_typist_code, "handle")),
        Rule(_DICTATED, TYPE, 0.85, "handle", when=value(_is_typist_code, "handle")),
        _slashed,
        Rule(_AFTER_DEGREE, TYPE, 0.8, "handle", when=_NOT_PLAIN, signs=("  ", "\t")),
        Rule(_NOT_READ, TYPE, 0.8, "handle", when=_NOT_PLAIN),
        Rule(_PARENTHESIS, TYPE, 0.8, "handle", when=_NOT_PLAIN),
        Rule(_AUDIT_ROW, TYPE, 0.8, "handle", when=_NOT_PLAIN),
        Rule(_ADDRESS, TYPE, 0.8, "handle", when=_NOT_PLAIN),
    ),
    keep_distinct,
)
