"""Small files in the form of published corpora, written for the tests."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
from pathlib import Path
from xml.sax.saxutils import escape

PAGE = """  <page>
    <title>{title}</title>
    <ns>{namespace}</ns>
    <id>{number}</id>{redirect}
    <revision>
      <id>9{number}</id>
      <contributor><username>Someone</username><id>7</id></contributor>
      <text bytes="{size}" xml:space="preserve">{text}</text>
    </revision>
  </page>
"""

SITE = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="de">
  <siteinfo>
    <sitename>Wikipedia</sitename>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="6" case="first-letter">Datei</namespace>
      <namespace key="14" case="first-letter">Kategorie</namespace>
    </namespaces>
  </siteinfo>
"""


def page(title: str, text: str, number: int = 1, *, namespace: int = 0, redirect: str = "") -> str:
    """A page as a dump has it."""
    return PAGE.format(
        title=escape(title),
        namespace=namespace,
        number=number,
        redirect=f'\n    <redirect title="{redirect}" />' if redirect else "",
        size=len(text),
        text=escape(text),
    )


def write_dump(path: Path, *pages: str, streams: int = 1) -> Path:
    """A dump of these pages, in so many streams of bzip2, as the multistream dumps are."""
    data = (SITE + "".join(pages) + "</mediawiki>\n").encode()
    size = -(-len(data) // streams)
    parts = [data[place : place + size] for place in range(0, len(data), size)]
    path.write_bytes(b"".join(map(bz2.compress, parts)))
    return path


def tar_of(files: dict[str, bytes]) -> bytes:
    """A tar archive."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def write_openwebtext(path: Path, *subsets: dict[str, str]) -> Path:
    """openwebtext.tar.xz: a tar, of tars compressed by xz, of texts."""
    inner = {
        f"openwebtext/urlsf_subset00-{number}_data.xz": lzma.compress(
            tar_of({name: text.encode() for name, text in texts.items()})
        )
        for number, texts in enumerate(subsets, 1)
    }
    path.write_bytes(lzma.compress(tar_of(inner)))
    return path


def write_warc(path: Path, *pages: tuple[str, str, str]) -> Path:
    """CC-NEWS-….warc.gz: each record a member of gzip; pages as address, type and body."""
    records = [b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 2\r\n\r\nx\n\r\n\r\n"]
    for address, kind, body in pages:
        content = body.encode()
        answer = (
            f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n\r\n"
        ).encode() + content
        head = (
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
            f"WARC-Target-URI: {address}\r\nWARC-Date: 2019-02-01T00:00:00Z\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(answer)}\r\n\r\n"
        )
        records.append(head.encode() + answer + b"\r\n\r\n")
    path.write_bytes(b"".join(map(gzip.compress, records)))
    return path
