"""Release policies against the statutes' items, on example notes, and the files of one's own."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from places import ROOT, TESTS

from incognote.document import Document
from incognote.formats.inline import parse
from incognote.phi import CATEGORIES, TYPES, KnownTypes
from incognote.pipeline import Deidentifier
from incognote.replace import OperatorError, parse_operators, rewrite
from incognote.replace.policy import POLICIES, POLICY_PLUGINS, PolicyError, read_policy
from incognote.replace.rewrite import Treatment, operator_names

KEY = b"a key of sufficient length"
FOLDER = TESTS / "cases" / "policies"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


ITEMS = rows("statutes.jsonl")
VALUES = {
    "PATIENT": "Ngozi Okafor", "DOCTOR": "Ama Brandt", "USERNAME": "nokafor3",
    "PROFESSION": "glazier", "HOSPITAL": "Mercy Hospital", "ORGANIZATION": "Tundra Freight",
    "STREET": "18 Quarry Ln", "CITY": "Bangor", "STATE": "Maine", "COUNTRY": "France",
    "ZIP": "04401", "LOCATION-OTHER": "Moosehead Lake", "AGE": "63", "DATE": "3/14/2019",
    "PHONE": "207-947-4410", "FAX": "207-947-4411", "EMAIL": "nokafor@tundrapost.com",
    "URL": "www.tundrapost.com/okafor", "IPADDR": "81.17.4.202", "SSN": "471-90-2212",
    "MEDICALRECORD": "307-74-18", "HEALTHPLAN": "XQW 4471902", "ACCOUNT": "44-719-02",
    "LICENSE": "BO1234563", "VEHICLE": "7KTR412", "DEVICE": "SN-44719A", "BIOID": "VP-20-4471",
    "IDNUM": "A-7718204",
}  # fmt: skip

GENERIC = {"hospital", "ln", "lake", "freight", "www", "com"}
"""Words that tell nothing, which a tag or a fake may have too."""


def after(policy: str, marked: str) -> str:
    text, spans = parse(marked)
    operators = parse_operators("", key=KEY, policy=read_policy(policy))
    return rewrite(Document("", text, spans, "p"), operators).document.text


def holds(policy: str, type: str, becomes: str) -> bool:
    """Whether values of a type become what the statute asks for."""
    value = VALUES[type]
    new = after(policy, f"[[{type}|{value}]]")
    match becomes:
        case "may stay":
            return True
        case "gone":
            parts = set(re.findall(r"\w{2,}", value.lower())) - GENERIC
            return not parts & set(re.findall(r"\w{2,}", new.lower()))
        case "another date":
            return re.fullmatch(r"\d+/\d+/\d{4}", new) is not None and new != value
        case "three digits or 000":
            return (new, after(policy, "[[ZIP|05901-1234]]")) == ("044", "000")
        case "year, none over 89":
            birth = after(policy, "DOB [[DATE|2/3/1926]] seen [[DATE|3/14/2019]]")
            return (new, birth) == ("2019", "DOB [DATE] seen 2019")
        case "90+ over 89":
            return after(policy, "[[AGE|93]] [[AGE|91 years]]") == "90+ 90+ years"
        case "a band, 90+ over 89":
            return (new, after(policy, "[[AGE|93]]")) == ("60-64", "90+")
    raise AssertionError(becomes)


@pytest.mark.parametrize("row", ITEMS, ids=lambda row: f"{row['policy']} {row['item']}")
def test_what_each_item_of_the_statute_asks_for_is_done(row: dict[str, Any]) -> None:
    for type, becomes in row["becomes"].items():
        assert holds(row["policy"], type, becomes), (type, becomes)


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_has_the_statutes_items_and_every_type_once(name: str) -> None:
    policy = read_policy(name)
    asked = [row for row in ITEMS if row["policy"] == name]
    assert [(item.item, item.citation, set(item.types)) for item in policy.items] == [
        (row["item"], row["citation"], set(row["becomes"])) for row in asked
    ]
    types = [type for item in policy.items for type in item.types]
    assert sorted(types) == sorted(TYPES) == sorted(policy.treatments)
    assert set(policy.by_category) == set(CATEGORIES)
    assert policy.can
    assert policy.cannot


def test_safe_harbor_has_all_18() -> None:
    items = [item.item for item in read_policy("safe-harbor").items]
    assert items == [f"({letter})" for letter in "ABCDEFGHIJKLMNOPQR"]


@pytest.mark.parametrize("name", POLICIES)
def test_its_page_names_each_item_and_each_limit(name: str) -> None:
    page = " ".join((ROOT / f"docs/policies/{name}.md").read_text(encoding="utf-8").split())
    policy = read_policy(name)
    for item in policy.items:
        assert item.citation in page
        assert item.words in page
        assert all(f"`{type}`" in page for type in item.types)
    for sentence in (*policy.can, *policy.cannot):
        assert sentence in page
    assert f"[{name}]({name}.md)" in (ROOT / "docs/policies/README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("case", rows("notes.jsonl"), ids=lambda case: case["why"])
def test_a_note_before_and_after(case: dict[str, str]) -> None:
    assert after(case["policy"], case["note"]) == case["text"]


def test_under_the_default_policy_output_is_what_it_is_without_one() -> None:
    for case in rows("notes.jsonl"):
        text, spans = parse(case["note"])
        document = Document("", text, spans)
        for number in (False, True):
            plain = rewrite(document, parse_operators("tag", number=number))
            policy = parse_operators("", number=number, policy=read_policy("i2b2"))
            assert rewrite(document, policy) == plain


def test_expert_is_the_surrogate_operator() -> None:
    text, spans = parse(rows("notes.jsonl")[0]["note"])
    document = Document("", text, spans, "p")
    expert = parse_operators("", key=KEY, policy=read_policy("expert"))
    assert rewrite(document, expert) == rewrite(document, parse_operators("surrogate", key=KEY))


def test_a_key_is_asked_for_by_policy_and_operator() -> None:
    with pytest.raises(OperatorError, match="'surrogate' in the policy expert needs a key"):
        parse_operators("", policy=read_policy("expert"))
    with pytest.raises(OperatorError, match=r"^'shift' needs a key"):
        parse_operators("DATE=shift", policy=read_policy("safe-harbor"))


def test_words_go_before_the_policy_by_type_and_never_for_all() -> None:
    policy = read_policy("safe-harbor")
    names = operator_names("DATE=shift,LOCATION=redact", policy=policy)
    assert (names["DATE"], names["CITY"], names["STATE"], names["PATIENT"]) == (
        "shift", "redact", "redact", "tag",
    )  # fmt: skip
    assert names["AGE"] == "generalise"
    for words in ("tag", "surrogate,DATE=tag"):
        with pytest.raises(OperatorError, match="would replace all that the policy safe-harbor"):
            parse_operators(words, key=KEY, policy=policy)
    gdpr = parse_operators("AGE=generalise", policy=read_policy("gdpr"))
    assert gdpr.by_type["AGE"] == parse_operators("", policy=read_policy("gdpr")).by_type["AGE"]


def test_from_python() -> None:
    note = "Ms. Okafor, 93 y/o, seen on 3/14/2019 by Dr. Brandt."
    expected = "Ms. [PATIENT], 90+ y/o, seen on 2019 by Dr. [DOCTOR]."
    by_name = Deidentifier(policy="safe-harbor", detector="rules")
    assert by_name(note).text == expected
    assert pickle.loads(pickle.dumps(by_name))(note).text == expected
    assert by_name.to_dict()["policy"] == f"safe-harbor ({read_policy('safe-harbor').digest})"
    other = Deidentifier("DATE=tag", policy=read_policy("safe-harbor"), detector="rules")
    assert other(note).text == expected.replace("2019", "[DATE]")
    with pytest.raises(TypeError, match="not both"):
        Deidentifier(parse_operators("tag"), policy="i2b2")


# Files of one's own


def own(folder: Path, content: str, name: str = "release.toml") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


CHILD = 'name = "odile"\nextends = "safe-harbor"\n'


def test_a_file_says_what_is_otherwise(tmp_path: Path) -> None:
    own(tmp_path, "# census: 2030\nzip3\n044\n", "areas.tsv")
    path = own(
        tmp_path,
        CHILD
        + '[types]\nLOCATION = "redact"\nCITY = "keep"\nZIP = "generalise"\nSTUDYID = "mask"\n'
        'AGE = { operator = "generalise", width = 10 }\n[own]\nID = "redact"\n'
        '[data]\nzip = "areas.tsv"\n',
    )
    policy = read_policy(path)
    base = read_policy("safe-harbor")
    assert (policy.name, policy.extends, policy.zip_areas.census) == (
        "odile",
        "safe-harbor",
        "2030",
    )
    assert policy.treatments["STATE"] == Treatment("redact")
    assert policy.treatments["CITY"] == Treatment("keep")
    assert policy.treatments["AGE"] == Treatment("generalise", 10)
    assert policy.treatments["DATE"] == base.treatments["DATE"]
    assert policy.can == ()
    assert policy.cannot == base.cannot
    types = KnownTypes({"STUDYID": "ID", "WARDNO": "ID", "VISIT": "DATE"})
    treatments = policy.treatments_of(types)
    assert [treatments[type].operator for type in types.own] == ["mask", "redact", "year"]
    text, spans = parse("[[ZIP|04401]] [[ZIP|05901]] [[STUDYID|ODL-1]]")
    operators = parse_operators("", types=types, policy=policy)
    assert rewrite(Document("", text, spans), operators).document.text == "000 059 XXX-0"
    with pytest.raises(PolicyError, match="names STUDYID, which is no type"):
        policy.treatments_of()


def test_a_policy_may_extend_another_file(tmp_path: Path) -> None:
    own(tmp_path, CHILD + '[types]\nCITY = "keep"\n', "first.toml")
    second = own(tmp_path, 'name = "two"\nextends = "first.toml"\n[types]\nDATE = "month"\n')
    treatments = read_policy(second).treatments
    assert (treatments["CITY"].operator, treatments["DATE"].operator) == ("keep", "month")


def test_a_policy_may_extend_one_that_is_registered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(POLICY_PLUGINS, "_registered", {})
    POLICY_PLUGINS.register("acme")(own(tmp_path, CHILD + '[types]\nCITY = "keep"\n', "first.toml"))
    POLICY_PLUGINS.register("made")(read_policy("gdpr"))
    for parent, operator in (("acme", "keep"), ("made", "tag")):
        child = own(tmp_path, f'name = "two"\nextends = "{parent}"\n[types]\nDATE = "month"\n')
        treatments = read_policy(child).treatments
        assert (treatments["CITY"].operator, treatments["DATE"].operator) == (operator, "month")
    POLICY_PLUGINS.register("acme")(
        own(tmp_path, 'name = "acme"\nextends = "acme"\n', "first.toml")
    )
    with pytest.raises(PolicyError, match=r"first\.toml: extends itself"):
        read_policy("acme")
    child = own(tmp_path, 'name = "two"\nextends = "acm"\n')
    with pytest.raises(PolicyError, match=r"'acm' is not a policy .did you mean acme"):
        read_policy(child)


def test_the_digest_changes_with_the_output_and_not_with_words(tmp_path: Path) -> None:
    own(tmp_path, "# census: 2030\n044\n", "areas.tsv")
    policies = [
        CHILD,
        CHILD + 'title = "Ours"\n',
        CHILD + '[types]\nCITY = "keep"\n',
        CHILD + "[types]\nAGE = { operator = 'generalise', width = 2 }\n",
        CHILD + '[own]\nID = "redact"\n',
        CHILD + '[data]\nzip = "areas.tsv"\n',
    ]
    digests = [read_policy(own(tmp_path, content)).digest for content in policies]
    assert digests[0] == digests[1] == read_policy("safe-harbor").digest
    assert len(set(digests)) == 5


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r":1: has no name"),
        ('name = "a"\n[types]\nNAME = "tag"\n', r":2: types: says nothing of PROFESSION, HOSPITAL"),
        ('name = "a"\n', r"says nothing of PATIENT"),
        ('name = "safe-harbor"\nextends = "i2b2"\n', r":1: name: 'safe-harbor' is a policy that"),
        ('name = "St Odile"\nextends = "i2b2"\n', r":1: name: must be small letters"),
        (CHILD + '[types]\nDATE = "years"\n', r":4: types\.DATE: 'years' is not a way to replace"),
        (CHILD + "[types]\nDATE = 3\n", r":4: types\.DATE: must be an operator"),
        (CHILD + '[types]\nDate = "year"\n', r":4: types\.Date: is no type"),
        (CHILD + "[types]\nAGE = { width = 3 }\n", r":4: types\.AGE: has no operator"),
        (
            CHILD + '[types]\nDATE = { operator = "year", width = 3 }\n',
            r":4: types\.DATE: 'year' takes no width; it takes as-of",
        ),
        (
            CHILD + '[types]\nAGE = { operator = "generalise", width = 0 }\n',
            r":4: types\.AGE: width must be a whole number from 1 to 45",
        ),
        (
            CHILD + '[types]\nDATE = { operator = "year", as-of = "now" }\n',
            r":4: types\.DATE: as-of must be a year",
        ),
        (CHILD + '[own]\nSTUDYID = "tag"\n', r":4: own\.STUDYID: is no category"),
        (CHILD + '[data]\nzip = "none.tsv"\n', r":4: data\.zip: .*none\.tsv: no such file"),
        (CHILD + '[data]\nzips = "x"\n', r":4: data\.zips: no such key \(did you mean zip\?\)"),
        (CHILD + 'tipes = "x"\n', r":3: tipes: no such key \(did you mean types\?\)"),
        ('name = "a"\nextends = "release.toml"\n', "extends itself"),
        ('name = "a"\nextends = "safeharbor"\n', r"'safeharbor' is not a policy \(did you mean"),
        (CHILD + '[[items]]\nitem = "1"\n', r":3: items: has no citation"),
        ('name = "a"\nextends = "i2b2', r":2: unterminated string"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_by_line_and_key(
    tmp_path: Path, content: str, message: str
) -> None:
    with pytest.raises(PolicyError, match=message) as error:
        read_policy(own(tmp_path, content))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["safe-harbour", "hipaa", "nowhere.toml", "a/b"])
def test_a_policy_that_is_not_there(name: str) -> None:
    with pytest.raises(PolicyError, match=r"is not a policy|no such file"):
        read_policy(name)
