"""The report's page in a real browser, from disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import chromium
import pytest
from toy_corpus import toy
from workshop.compare.report.tiny_comparison import Encoder, make_comparison

from incognote.evaluate import Resampling
from incognote.workshop.compare.data import Data
from incognote.workshop.compare.report import write_report
from incognote.workshop.fine_tuning import Parts

__test__ = chromium.EXPECTED

INK = "getComputedStyle(document.querySelector('.plot svg text, .plot svg g[style*=ink]')).fill"
WIDER = """[...document.querySelectorAll('body *')].filter(one =>
    one.getBoundingClientRect().right > innerWidth + 1 && !one.closest('.wide')).length"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Page]:
    notes = toy(12)
    data = Data(Parts(train=notes[:4], validation=notes[4:8], test=notes[8:]))
    folder = tmp_path_factory.mktemp("report")
    encoders = [Encoder("first", [0.1]), Encoder("second", [0.4], random=True)]
    comparison = make_comparison(folder, data, encoders)
    write_report(folder, comparison, data.parts, resampling=Resampling(resamples=20))
    with chromium.browser(tmp_path_factory.mktemp("profile")) as page:
        page.open(Path(folder) / "report.html")
        yield page


def test_it_asks_for_nothing_and_complains_of_nothing(page: chromium.Page) -> None:
    assert [address.rpartition("/")[2] for address in page.requests] == ["report.html"]
    assert page.complaints == []


@pytest.mark.parametrize("width", [1280, 400])
def test_only_tables_scroll_sideways(page: chromium.Page, width: int) -> None:
    page.call(
        "Emulation.setDeviceMetricsOverride",
        width=width,
        height=800,
        deviceScaleFactor=1,
        mobile=False,
    )
    page.settle()
    assert page.run(WIDER) == 0


def test_plots_follow_the_page_into_the_dark(page: chromium.Page) -> None:
    seen = set()
    for scheme in ("light", "dark"):
        page.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )
        seen.add((page.run(INK), page.run("getComputedStyle(document.body).color")))
    assert len(seen) == 2
    assert all(ink == text for ink, text in seen)


def test_print_leaves_out_the_contents(page: chromium.Page) -> None:
    page.call("Emulation.setEmulatedMedia", media="print")
    assert page.run("getComputedStyle(document.querySelector('nav')).display") == "none"
    page.call("Emulation.setEmulatedMedia", media="")
