"""i2b2 XML: rewritten in place, whatever its spelling; unsafe XML refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from formats.note_strategies import folder, good, pass_through, replace_spans, rewrite, target
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.document import Document, Span
from incognote.formats import FORMATS, FormatError

I2B2 = FORMATS["i2b2"]
ODD = (
    b"<?xml version='1.0'  encoding='UTF-8'?>\r\n<!-- made\tby hand -->\n<MEDDOCAN a='1'\n b=\"2\">"
    b"<TEXT ><![CDATA[Seen Ann &amp; Bo\r\n5 ]]]]><![CDATA[> 3]]> &#233;t&#xE9; \xc3\xa9 &gt; > Ann"
    b"!\n</TEXT>\n  <TAGS>\n <NAME  TYPE='PATIENT' text=\"Ann\" end='8' start = '5'"
    b" id='P9' comment='her &quot;name&quot;'/>\n</TAGS ><other>kept</other></MEDDOCAN>\n<!--end-->"
)


def load(data: bytes, tmp_path: Path) -> Document:
    path = tmp_path / "n.xml"
    path.write_bytes(data)
    (record,) = good(I2B2, path)
    return record.documents[0]


def refused(data: bytes, tmp_path: Path) -> str:
    with pytest.raises(FormatError) as error:
        load(data, tmp_path)
    return str(error.value)


def test_reads_text_and_tags_as_xml_gives_them(tmp_path: Path) -> None:
    document = load(ODD, tmp_path)
    assert document.text == "Seen Ann &amp; Bo\n5 ]]> 3 été é > > Ann!\n"
    (span,) = document.spans
    assert (span.start, span.end, span.type, span.text) == (5, 8, "PATIENT", "Ann")
    assert span.attributes == {"tag": "NAME", "id": "P9", "comment": 'her "name"'}


def test_an_odd_file_comes_out_as_it_was(tmp_path: Path) -> None:
    path, out = tmp_path / "in.xml", tmp_path / "out.xml"
    path.write_bytes(ODD)
    pass_through(I2B2, path, out)
    assert out.read_bytes() == ODD


def test_a_replacement_keeps_every_other_byte_and_makes_tags_anew(tmp_path: Path) -> None:
    out = rewrite("i2b2", ODD, "Ann", "<A&B>", tmp_path)
    head, tail = ODD.split(b"<TAGS>")[0], ODD.split(b"</TAGS >")[1]
    head = head.replace(b"Seen Ann", b"Seen <A&B>").replace(b"> Ann", b"> &lt;A&amp;B&gt;")
    assert out.startswith(head)
    assert out.endswith(tail)
    assert b"Ann" not in out
    assert b"her &quot;" not in out
    assert (
        b'<NAME id="P0" start="5" end="10" text="&lt;A&amp;B&gt;" TYPE="PATIENT" comment=""' in out
    )


def test_tags_before_the_text(tmp_path: Path) -> None:
    data = b'<r><TAGS><DATE id="P0" start="0" end="2" text="Bo" TYPE="DATE"/></TAGS><TEXT>Bo</TEXT></r>'
    out = rewrite("i2b2", data, "Bo", "[X]", tmp_path)
    assert out.endswith(b"</TAGS><TEXT>[X]</TEXT></r>")
    assert b"Bo" not in out


def test_removed_text_leaves_no_tag_and_no_false_end_of_cdata(tmp_path: Path) -> None:
    data = b"<r><TEXT><![CDATA[a ]]Bo> b\rc]]></TEXT></r>"
    out = rewrite("i2b2", data, "Bo", "", tmp_path)
    assert out == b"<r><TEXT><![CDATA[a ]]]]><![CDATA[> b\rc]]></TEXT></r>"


def test_a_removal_over_two_pieces(tmp_path: Path) -> None:
    data = b"<r><TEXT>x B<![CDATA[o <]]>&#13;y</TEXT><TAGS/></r>"
    out = rewrite("i2b2", data, "Bo", "Al", tmp_path)
    assert out.startswith(b"<r><TEXT>x Al<![CDATA[ <]]>&#13;y</TEXT><TAGS>\n<NAME ")


def test_crlf_stays(tmp_path: Path) -> None:
    data = b"<r><TEXT><![CDATA[Bo\r\nis\r\nhere]]></TEXT></r>"
    out = rewrite("i2b2", data, "Bo", "A\nB", tmp_path)
    assert b"<![CDATA[A\r\nB\r\nis\r\nhere]]>" in out
    assert load(out, tmp_path).text == "A\nB\nis\nhere"


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("utf-8-sig", "UTF-8"),
        ("utf-16", "UTF-16"),
        ("latin-1", "ISO-8859-1"),
        ("ascii", "us-ascii"),
    ],
)
@pytest.mark.parametrize("cdata", [True, False])
def test_other_encodings(encoding: str, name: str, cdata: bool, tmp_path: Path) -> None:
    accent = "" if encoding == "ascii" else "é"
    note = f"<![CDATA[{accent} Bo]]>" if cdata else f"{accent} Bo"
    data = f'<?xml version="1.0" encoding="{name}"?><r><TEXT>{note}</TEXT></r>'.encode(encoding)
    out = rewrite("i2b2", data, "Bo", "Żé", tmp_path)
    document = load(out, tmp_path)
    assert document.text == f"{accent} Żé"
    assert document.spans[0].text == "Żé"
    assert rewrite("i2b2", data, "absent", "", tmp_path) == data


SPELLINGS = st.sampled_from(
    "a|b|>|]|é|\n|\r\n|\r|&lt;|&#233;|&#xd;|&amp;|<![CDATA[a<]]>|<![CDATA[]]>|"
    "<![CDATA[\r\n]]]]>".split("|")
)


def _ends_cdata_that_is_not_open(raw: str) -> bool:
    return "]]>" in re.sub(r"<!\[CDATA\[.*?\]\]>", "", raw, flags=re.DOTALL)


@given(
    raw=st.lists(SPELLINGS, max_size=25).map("".join),
    ends=st.lists(st.integers(0, 30), max_size=6),
    values=st.lists(st.text("x]>&<\n\r", max_size=3), min_size=3, max_size=3),
)
@settings(max_examples=150, deadline=None)
def test_any_spelling(raw: str, ends: list[int], values: list[str]) -> None:
    with folder() as parent:
        path, out = target(I2B2, parent), target(I2B2, parent, "out")
        path.write_bytes(f"<r><TEXT>{raw}</TEXT></r>".encode())
        if _ends_cdata_that_is_not_open(raw):
            with pytest.raises(FormatError, match="not well-formed"):
                good(I2B2, path)
            return
        (record,) = good(I2B2, path)
        (old,) = record.documents
        cuts = sorted(min(end, len(old.text)) for end in ends)
        pairs = [(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False) if a < b]
        marked = old.with_spans(Span.of(old.text, a, b, "DATE") for a, b in pairs)
        new = replace_spans(marked, values[: len(pairs)])
        try:
            pass_through(I2B2, path, out, {"n1": new})
        except FormatError:
            assert "\r" in raw
            return
        (back,) = good(I2B2, out)
        assert back.documents[0].text == new.text


def test_bombs_and_fetches_are_refused_before_parsing(tmp_path: Path) -> None:
    bomb = b'<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><r><TEXT>&b;</TEXT></r>'
    fetch = b'<?xml version="1.0"?><!-- x --><!DOCTYPE r SYSTEM "file:///etc/passwd"><r/>'
    assert "DOCTYPE" in refused(bomb, tmp_path)
    assert "DOCTYPE" in refused(fetch, tmp_path)
    assert "not well-formed" in refused(b"<r><TEXT>&Okafor;</TEXT></r>", tmp_path)
    assert "Okafor" not in refused(b"<r><TEXT>&Okafor;</TEXT></r>", tmp_path)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b"<r><TEXT>a</r>", "line 1: not well-formed XML"),
        (b"<r>\n<TEXT>a\x00</TEXT></r>", "U+0000 at position 11 is not a character"),
        (b"<r><note>a</note></r>", "no element TEXT"),
        (b"<r><TEXT>a</TEXT><TEXT>b</TEXT></r>", "2 elements TEXT"),
        (b"<r><TEXT>a <b>c</b></TEXT></r>", "elements inside"),
        (b"<r><TEXT>a <!-- Okafor --></TEXT></r>", "the element TEXT has a comment inside"),
        (b"<r><TEXT><?pi Okafor?>a</TEXT></r>", "TEXT has a processing instruction inside"),
        (b"<r><TEXT><![CDATA[a]]><!--Okafor--></TEXT></r>", "TEXT has a comment inside"),
        (b"<r><TEXT>caf\xe9</TEXT></r>", "byte 12: not valid UTF-8"),
        (b'<?xml version="1.0" encoding="EBCDIC"?><r/>', "convert it to UTF-8"),
        (b'<r><TEXT>abc</TEXT><TAGS><D start="1" end="x"/></TAGS></r>', "start and an end"),
        (b'<r><TEXT>abc</TEXT><TAGS><D start="1" end="9"/></TAGS></r>', "ends after the text"),
        (b'<r><TEXT>abc</TEXT><TAGS><D start="1" end="2" text="Q"/></TAGS></r>', "differs"),
    ],
)
def test_bad_files_get_a_sentence(data: bytes, reason: str, tmp_path: Path) -> None:
    assert reason in refused(data, tmp_path)
    assert "Okafor" not in refused(data, tmp_path)


def test_names_the_character_that_xml_has_not() -> None:
    assert I2B2.problem(Document("n", "ab\0")) == "U+0000 at position 2 is not a character of XML"
    assert str(I2B2.problem(Document("n", "\ud800"))).startswith("U+D800 at position 0")


def test_a_note_of_many_megabytes(tmp_path: Path) -> None:
    note = b"Bo was here & there.\n" * 500_000
    out = rewrite("i2b2", b"<r><TEXT><![CDATA[" + note + b"Al]]></TEXT></r>", "Al", "X", tmp_path)
    assert out.startswith(b"<r><TEXT><![CDATA[" + note + b"X]]></TEXT>")


def test_a_default_namespace_is_read_and_kept(tmp_path: Path) -> None:
    data = (
        b'<r xmlns="urn:a" xmlns:x="urn:x"><x:TEXT>other</x:TEXT><TEXT>Ann Lee</TEXT>\n'
        b'<TAGS><NAME id="P0" start="0" end="3" text="Ann" TYPE="PATIENT"/></TAGS></r>'
    )
    path = tmp_path / "in.xml"
    path.write_bytes(data)
    (record,) = good(I2B2, path)
    (note,) = record.documents
    assert (note.text, note.spans[0].type, note.spans[0].attributes["tag"]) == (
        "Ann Lee",
        "PATIENT",
        "NAME",
    )
    out = rewrite("i2b2", data, "Ann", "Bob", tmp_path)
    assert out.startswith(b'<r xmlns="urn:a" xmlns:x="urn:x"><x:TEXT>other</x:TEXT><TEXT>Bob Lee')


@pytest.mark.parametrize("digits", ["0" * 5000 + "65", "x" + "0" * 9000 + "41"])
def test_a_reference_of_thousands_of_digits(digits: str, tmp_path: Path) -> None:
    data = f"<r><TEXT>&#{digits};nn</TEXT></r>".encode()
    path = tmp_path / "in.xml"
    path.write_bytes(data)
    try:
        (record,) = good(I2B2, path)
    except FormatError:
        return
    assert record.documents[0].text == "Ann"
    assert f"&#{digits};ja</TEXT>".encode() in rewrite("i2b2", data, "nn", "ja", tmp_path)
