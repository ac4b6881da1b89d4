"""Login names, typist codes and social handles, by the words around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from string import ascii_letters, digits

from incognote.detect.first_words import first_words
from incognote.detect.lexicon import ACRONYMS, is_ordinary
from incognote.detect.pattern import FigurePattern, LinePattern, Pattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.family import Family
from incognote.document import Span

_HANDLE = r"[^\W_][\w.-]{0,30}(?:/[a-z0-9]{1,4})?(?<![.-])"
LOGIN = WordPattern(
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
SOCIAL = WordPattern(
    rf"(?<![\w-]){_NETWORK}(?![a-z])"
    r"(?: (?:handle|user(?:name)?|account|acct|id|name))?[ \t]{0,2}[:=]?[ \t]{0,2}"
    rf"(?P<handle>@?{_HANDLE})(?![\w@])",
    words=first_words(_NETWORK),
    small=True,
)
AT_HANDLE = Pattern(r"(?P<handle>@(?<![\w@.].)[A-Za-z][\w.]{2,29}(?<!\.))(?![\w@.]*@)")
BY = WordPattern(rf"(?<![\w-])by:?[ \t]{{1,4}}(?P<handle>{_HANDLE})(?![\w@])", small=True)
DONE_BY = WordPattern(
    r"(?<![\w-])(?:printed|transcribed|trans|typed|entered|created|updated|modified|closed|opened|"
    r"scanned|filed|keyed|scribed|acknowledged|verified|released|taken|merged|logged|downloaded|"
    r"uploaded|accessed|viewed|edited)(?:[ \t]{1,2}[\w/:.,-]{1,12}){0,3}?[ \t]{1,2}by:?[ \t]{1,4}"
    r"(?P<handle>[a-z]{3,20})(?!\w)(?=[ \t]{2}|[ \t]{0,3}(?:[,;.(@]|\r?\n|\Z|from\b|at\b|on\b|\d))",
    small=True,
)
_SIGNATURE = r"(?:signed|e-?signed|e-?sig|electronically signed|last mod|scribe|staff|users flagged|dictated/|sync)"
SIGNED = WordPattern(
    rf"(?<![\w-]){_SIGNATURE}"
    r"(?:[ \t]{1,2}\d[\d/:.T-]{3,18}){0,2}(?:(?<=/)|:[ \t]{0,6}|[ \t]{1,8})"
    rf"(?P<handle>{_HANDLE})(?![\w@])",
    words=first_words(_SIGNATURE),
    small=True,
)
TYPIST = WordPattern(
    r"(?<![\w-])(?:TID|Tid|tid|TR|Tr|Trans ID|Transcriptionist(?: ID)?|Typist|typist|T/R|Trans)[:=#]?[ \t]{1,4}"
    r"(?P<handle>[A-Za-z][\w-]{1,11}(?:/[a-z0-9]{1,4})?)(?![\w@-])"
    r"|(?<![\w-])(?:TID|tid)[:=](?P<glued>[A-Za-z][\w-]{1,11})(?![\w@-])"
)
SIGN_OFF = LinePattern(
    r"^[ \t]{0,80}(?:[A-Z]{2,4}|[a-z]{2,3}|[A-Z][\w'’-]{2,20}/[A-Z][\w'’-]{2,20}/)[ ]?[/:][ ]?"
    r"(?P<handle>[a-z]{2,3}\d{0,3})(?=[ \t]{2,}|[ \t]*(?:\r?\n|\Z)|[ \t](?:[dtDT]\b|typed|cc|dd|dt|\d))",
    re.MULTILINE,
    first=ascii_letters,
)
SLASHED = Pattern(
    r"/(?<![\w/].)(?P<handle>[a-z]{2,4}(?:-?\d{1,3})?)(?=/|[ \t]{2,}|[ \t]*(?:\r?\n|\Z))"
)
DD_DT = WordPattern(
    r"(?<![\w-])(?:DT|dt|T|t|typed)[ :]{1,3}\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}(?:[ \t]\d{3,4})?[ \t]{1,6}/?"
    r"(?P<handle>[a-z]{2,4}(?:-?\d{1,3})?|[A-Z]{2,3}\d{1,4})(?=[ \t]{2,}|[ \t]*(?:\r?\n|\Z))"
)
DICTATED = WordPattern(
    r"(?<![\w-])D[:=][ ]?[A-Za-z]{2,3}[ \t]+T[:=][ ]?(?P<handle>[a-z]{2,3}\d{0,3})(?!\w)"
)
AFTER_DEGREE = Pattern(
    r"(?:M\.?D|D\.?O|R\.?N|NP|PA-C|PharmD|BCACP|DPT|CNM|MPH|LPN|PhD)\.?,?[ \t]{2,8}"
    r"(?P<handle>[A-Za-z]{1,3}\d{1,4}|[a-z][a-z.]{4,14}\d{0,3})(?=[ \t]{2,}|[ \t]*(?:\r?\n|\Z))"
)
MIXED = Pattern(r"[A-Za-z]{2,12}\d{1,4}[A-Za-z]{1,8}")
NOT_READ = WordPattern(r"not read\.?[ \t]{1,8}(?P<handle>[a-z]{3,12}/[a-z]{2,3}\d?)\b")
PARENTHESIS = Pattern(r"\((?P<handle>[a-z]{2,12}_[a-z0-9]{1,8})\)")
AUDIT_ROW = LinePattern(
    r"^[ \t]{0,8}\d{1,4}[-/]\d{1,2}[-/]\d{2,4}[ \t]{1,6}\d{1,2}:?\d{2}(?::\d{2})?[ \t]{2,8}"
    r"(?P<handle>[a-z][a-z0-9._]{3,24})(?=[ \t]{2})",
    re.MULTILINE,
    first=digits,
)
ADDRESS = FigurePattern(r"\d{1,3}(?:\.\d{1,3}){3}/(?P<handle>[a-z]{3,}\d{0,3})\b", then=r"\.\d")
NOT_TYPISTS = frozenset(
    "po pr np iv im hs am pm wt bp hr rr od os ou ac pc rx fx hx sx dx tx hd pd nv vd vs min day "
    "wk mo yr kg mg ml dl cm mm mcg hpf lpf bid tid qid qhs prn pt ot st rt lt no na nl wnl abx ed or".split()
)


def _find(note: Reading) -> Iterator[Span]:
    text = note.text
    seen: set[tuple[int, int]] = set()
    for start, end, score in _candidates(note):
        if (start, end) not in seen:
            seen.add((start, end))
            yield Span.of(text, start, end, "USERNAME", score=score, source=FAMILY.source)


def _candidates(note: Reading) -> Iterator[tuple[int, int, float]]:
    text = note.text
    for match in LOGIN.find(note):
        handle = text[slice(*match.span("handle"))]
        if match[0][:2] == "id" and "_" not in handle:
            continue
        if _coded(handle) or MIXED.fullmatch(handle) or _login_word(handle, match[0]):
            yield *match.span("handle"), 0.9
    for match in SOCIAL.find(note):
        handle = text[slice(*match.span("handle"))]
        if _coded(handle) or ("@" in handle and not is_ordinary(handle[1:].lower())):
            yield *match.span("handle"), 0.85
    for match in AT_HANDLE.find(note):
        if ("_" in match[0] or any(c.isdigit() for c in match[0])) and not is_ordinary(
            match[0][1:].lower()
        ):
            yield *match.span("handle"), 0.85
    for match in BY.find(note):
        if _coded(text[slice(*match.span("handle"))]):
            yield *match.span("handle"), 0.85
    for match in chain(DONE_BY.find(note), SIGNED.find(note)):
        handle = text[slice(*match.span("handle"))]
        if _coded(handle) or _bare_login(handle, text[match.start() : match.start("handle")]):
            yield *match.span("handle"), 0.82
    for match in TYPIST.find(note):
        group = "handle" if match["handle"] else "glued"
        if _typist_like(match[group]):
            yield *match.span(group), 0.85
    for pattern, score in ((SIGN_OFF, 0.85), (DD_DT, 0.85), (DICTATED, 0.85)):
        for match in pattern.find(note):
            if match["handle"] not in NOT_TYPISTS and not is_ordinary(match["handle"].lower()):
                yield *match.span("handle"), score
    yield from _slashed(text)
    apart = (AFTER_DEGREE,) if "  " in text or "\t" in text else ()
    for code in (*apart, NOT_READ, PARENTHESIS, AUDIT_ROW, ADDRESS):
        for match in code.find(note):
            if not _plain(match["handle"]):
                yield *match.span("handle"), 0.8


def _slashed(text: str) -> Iterator[tuple[int, int, float]]:
    """Typist codes between slashes, once the line says that the note was signed or dictated."""
    for match in SLASHED.finditer(text):
        line = text[max(text.rfind("\n", 0, match.start()), match.start() - 120, 0) : match.start()]
        if SIGNED_LINE.search(line) and match["handle"] not in NOT_TYPISTS:
            yield *match.span("handle"), 0.8
            following = SLASHED_AGAIN.match(text, match.end())
            if following:
                yield *following.span("handle"), 0.8


SIGNED_LINE = Pattern(
    r"sign|dict|typed|transcr|M\.?D\.?|D\.O\.|\bD[DT]?:|//|\bR\.?N\b", re.IGNORECASE
)
SLASHED_AGAIN = Pattern(r"/(?P<handle>[a-z]{2,4}\d{0,3})(?=[ \t]*(?:\r?\n|\Z))")


def _plain(handle: str) -> bool:
    return is_ordinary(handle.lower()) or handle.lower() in ACRONYMS


def _coded(handle: str) -> bool:
    """Letters with a digit, underscore or dot among them: the form of a login, not of a word."""
    bare = handle.lstrip("@")
    if len(bare) < 4 or not bare[0].isalpha() or DATE_LIKE.fullmatch(bare):
        return False
    if ABBREVIATION.fullmatch(bare):
        return False
    if "_" in bare.strip("_"):
        return True
    letters = bare.rstrip("0123456789")
    if letters != bare and letters.isalpha():
        return len(letters) >= 2 and not _plain(letters)
    if TYPIST_PAIR.fullmatch(bare):
        return True
    parts = [part for part in bare.split(".") if part]
    words = [part.rstrip("0123456789") for part in parts]
    return (
        len(parts) > 1
        and all(word.isalpha() for word in words)
        and max(map(len, words)) >= 3
        and not all(_plain(word) for word in words if len(word) > 1)
    )


TYPIST_PAIR = Pattern(r"[A-Za-z]{2,10}(?:-?\d{1,3})?/[a-z]{2,3}\d{0,2}")
DATE_LIKE = Pattern(
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]*[-.]?\d+",
    re.IGNORECASE,
)
ABBREVIATION = Pattern(
    r"(?:[A-Za-z]{1,3}\.){1,3}[A-Za-z]{1,3}|[TCLS]\d{1,2}|B12|T4|A1c", re.IGNORECASE
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
    return (not _plain(code) and code.lower() not in NOT_TYPISTS and not code.istitle()) or _coded(
        code
    )


FAMILY = Family("usernames", frozenset({"USERNAME"}), _find)
