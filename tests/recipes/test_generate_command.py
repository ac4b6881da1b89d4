"""The command on a small data folder: what it writes is read back and found sound."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import generate
import pytest

from incognote.formats.inline import parse
from incognote.phi import TYPES

NAMES = "name\tsex\ttotal_count\tfirst_year\tlast_year\nMary\tF\t50\t1880\t2016\nTunde\tM\t9\t1990\t2016\n"
FACILITIES = "name,city\nGLEN ROSE MEDICAL CENTER LLC,X\nST. EDWARD HOME INC,Y\n"
CITIES = "name\tadmin1\tcountry\tpopulation\n"
COUNTRIES = ("GB", "IE", "AU", "IN")
TABLES = {
    "us_ssa_first_names/first_names.tsv.gz": NAMES,
    "us_gov_lists/family_names.tsv.gz": "name\tcount\nSmith\t90\nSganga\t2\n",
    "us_gov_lists/hospitals.tsv.gz": "name\tcity\nAllen Parish Hospital\tKinder\n",
    "us_gov_lists/postal_code_localities.tsv.gz": "zip\n06259\n92371\n",
    "us_gov_lists/streets.tsv.gz": "street\tregions\nMain St\tOhio\n(Co Rd 23)\tOhio\n",
    "us_gov_lists/professions.tsv.gz": "title\tsoc_2018\nEgg Candler\t1\nRN Case Manager\t2\n",
    "geonames/us_cities_pop1000.tsv.gz": f"{CITIES}King Cove\tAK\tUS\t1009\nChicago\tIL\tUS\t900\n",
    "geonames/world_cities_pop15000.tsv.gz": CITIES
    + "".join(f"Town {code}\t1\t{code}\t900\n" for code in COUNTRIES),
}
SYNTHEA = (
    "hospitals", "nursing", "longterm", "home_health_agencies", "hospice", "urgent_care_facilities",
    "primary_care_facilities_women", "primary_care_facilities_children", "ambulatory_surgical_center", "rehab",
    "va_facilities", "ihs_centers", "dialysis",
)  # fmt: skip
LISTS = {
    "geonames/us_counties.json": [{"name": "Leon County"}],
    "geonames/countries.json": {"KE": {"name": "Kenya", "population": 5}},
    "corpora_cc0/occupations.json": {"occupations": ["welder"]},
    "corpora_cc0/fortune500.json": {"companies": ["Ford Motor", "HCA Hospitals"]},
    "corpora_cc0/charities.json": {"charities": ["Habitat for Humanity"]},
    "corpora_cc0/drugs.json": {"drugs": ["Adenosine", "Abacavir Sulfate"]},
}
LABELLED = {
    "usaddress_training_labeled": "<A><S><AddressNumber>219</AddressNumber> <StreetName>Dearborn</StreetName> "
    "<PlaceName>Creston</PlaceName></S></A>",
    "probablepeople_company_labeled": "<N><Name><C>anu</C> <C>enterprises</C></Name></N>",
}
NOTES = {
    "a.txt": "[[PATIENT|Okafor, Ngozi]] saw Dr. [[DOCTOR|Roux]] on [[DATE|3/14/2019]].\nFoley out.\n",
    "b.txt": "[[AGE|54]]-year-old [[PROFESSION|welder]] from [[CITY|Dunmore]], MRN [[MEDICALRECORD|00-41-7]].\n",
}


def gz(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.write(text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data and corpus folders in the layout of the real ones."""
    root = tmp_path_factory.mktemp("recipe")
    gazetteers, annotated = (
        root / "data/gazetteers",
        root / "data/annotated/usaddress_probablepeople",
    )
    for name, text in TABLES.items():
        gz(gazetteers / name, text)
    for name in SYNTHEA:
        gz(gazetteers / f"synthea/{name}.csv.gz", FACILITIES)
    for name, value in LISTS.items():
        path = gazetteers / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")
    for name, text in LABELLED.items():
        gz(annotated / f"{name}.xml.gz", text)
    gz(
        root / "data/clinical/mtsamples/mtsamples.jsonl.gz",
        json.dumps(
            {
                "transcription": "HISTORY:,This is a 54-year-old man seen by Dr. X. "
                + "The lungs are clear. " * 9
            }
        ),
    )
    for part in ("train", "valid"):
        visits = root / f"data/clinical/aci_bench/{part}.csv"
        visits.parent.mkdir(exist_ok=True)
        visits.write_text("encounter_id,note\n", encoding="utf-8")
        visits.with_name(f"{part}_metadata.csv").write_text("encounter_id\n", encoding="utf-8")
    for part in ("Training", "Validation"):
        dialogues = root / f"data/clinical/mts_dialog/MTS-Dialog-{part}Set.csv"
        dialogues.parent.mkdir(exist_ok=True)
        dialogues.write_text("ID,dialogue\n", encoding="utf-8")
    (root / "corpus/A").mkdir(parents=True)
    for name, text in NOTES.items():
        (root / "corpus/A" / name).write_text(text, encoding="utf-8")
    return root


def run(folder: Path, output: Path, *more: str, sets: str = "A") -> int:
    common = ["--data", str(folder / "data"), "--corpus", str(folder / "corpus"), "--sets", sets]
    return generate.main([*common, "-o", str(output), *more])


def test_notes_are_written_and_any_can_be_made_again(folder: Path, tmp_path: Path) -> None:
    assert run(folder, tmp_path / "notes.jsonl", "--notes", "60", "--seed", "3") == 0
    lines = (tmp_path / "notes.jsonl").read_text(encoding="utf-8").splitlines()
    notes = [json.loads(line) for line in lines]
    assert len({note["id"] for note in notes}) == 60
    assert {note["source"].split("/")[0] for note in notes} == {"corpus", "mtsamples", "grammar"}
    assert all(span["type"] in TYPES for note in notes for span in note["spans"])
    again = tmp_path / "again.jsonl"
    assert run(folder, again, "--notes", "1", "--first", "41", "--seed", "3") == 0
    assert again.read_text(encoding="utf-8").splitlines() == [lines[41]]
    assert not list(tmp_path.glob("*.part"))


def test_shares_are_kept(folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "notes.jsonl"
    shares = ("--corpus-share", "1", "--prepared-share", "0")
    assert run(folder, output, "--notes", "20", *shares) == 0
    notes = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert {note["source"] for note in notes} == {"corpus/A"}
    old = {
        span.text for text in NOTES.values() for span in parse(text)[1] if span.type == "PATIENT"
    }
    kept = [note for note in notes if any(name in note["text"] for name in old)]
    assert 0 < len(kept) < len(notes)  # some are told as they are, and names are lent


@pytest.mark.parametrize(
    ("sets", "more", "reason"),
    [
        ("E", (), "sealed"),
        ("G", (), "judges"),
        ("B", (), "no notes"),
        ("A", ("--corpus-share", "2"), "shares"),
    ],
)
def test_mistakes_are_told_in_one_line(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    sets: str,
    more: tuple[str, ...],
    reason: str,
) -> None:
    assert run(folder, tmp_path / "notes.jsonl", "--notes", "1", *more, sets=sets) == 2
    error = capsys.readouterr().err
    assert reason in error
    assert error.count("\n") == 1
    assert not (tmp_path / "notes.jsonl").exists()
