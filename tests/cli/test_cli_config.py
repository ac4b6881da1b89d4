"""The configuration file: the same as typed, over defaults and under what is typed, or refused by its line."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from commands import Command
from places import ROOT
from typer.main import get_command

from incognote.cli.app import app, load
from incognote.cli.configuration import ONCE, Parameter, all_commands, parameters

NOTE = "Dr. Ngozi Okafor saw Mr. Smith on 2019-03-04.\n"
EVERY = [
    (words, parameter, option)
    for words, command, _ in all_commands()
    for parameter, option in zip(
        parameters(command).values(),
        [each for each in command.params if each.name != "help"],
        strict=True,
    )
]


SEVERAL = ("gold", "predicted", "first", "second")
"""Arguments of commands with several: what is typed fills the first places."""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a note."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("INCOGNOTE_CONFIG", raising=False)
    (tmp_path / "note.txt").write_text(NOTE)
    return tmp_path


def write(text: str, path: str = "incognote.toml") -> None:
    file = Path(path)
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    file.chmod(0o644)


def context(*arguments: str) -> Any:
    """The context of a command, before it runs."""
    command: Any = get_command(app)
    inner = command.make_context("incognote", list(arguments))
    while hasattr(inner.command, "commands"):
        rest = [*inner._protected_args, *inner.args]
        name, command, rest = inner.command.resolve_command(inner, rest)
        inner = command.make_context(name, rest, parent=inner)
    return inner


def read(*arguments: str) -> dict[str, Any]:
    """The parameters that a command would run with; what an empty list is varies with typer."""
    params = context(*arguments).params
    return {
        name: list(value) or None if isinstance(value, list | tuple) else value
        for name, value in params.items()
    }


def sample(parameter: Parameter, option: Any) -> Any:
    """A value that is not the default."""
    if parameter.kind is bool:
        return not option.default
    if parameter.choices:
        return next(each for each in reversed(parameter.choices) if each != option.default)
    if parameter.kind in (int, float):
        bounds = option if hasattr(option, "min") else getattr(option, "type", None)
        least, most = getattr(bounds, "min", None) or 1, getattr(bounds, "max", None)
        values = (least, least + 1, most)
        return next(parameter.kind(each) for each in values if each and each != option.default)
    if named := names(parameter):
        return named[-1]
    return "name=PATIENT" if "=" in parameter.metavar else "some/words"


def names(parameter: Parameter) -> list[str]:
    """The names that the help of an option shows, if it takes only those."""
    match = re.fullmatch(r"<(.+)>", parameter.metavar)
    return match[1].split("|") if match else []


def as_typed(parameter: Parameter, value: Any, folder: Path) -> list[str]:
    if value is True:
        return [parameter.flag]
    if value is False:
        return [f"--{parameter.off[0]}"]
    text = str(value)
    if parameter.path:
        name, equals, path = text.rpartition("=")
        text = f"{name}{equals}{folder}/{path}"
    return [text] if parameter.is_input else [parameter.flag, text]


def needed(words: tuple[str, ...], but: str) -> list[str]:
    """The other parameters that the command cannot do without, typed."""
    typed: list[str] = []
    for each, parameter, option in EVERY:
        if each == words and option.required and parameter.name != but:
            value = next(iter((*parameter.choices, *names(parameter))), "needed")
            typed += [value] if parameter.is_input else [parameter.flag, value]
    return typed


@pytest.mark.parametrize("words", dict.fromkeys(words for words, _, _ in EVERY), ids=" ".join)
def test_every_option_reads_from_the_file_as_if_typed(words: tuple[str, ...], here: Path) -> None:
    options = [
        (parameter, option, sample(parameter, option))
        for each, parameter, option in EVERY
        if each == words and parameter.key not in ONCE and parameter.key not in SEVERAL
    ]
    lines = [
        f"{parameter.key} = {json.dumps([value] if parameter.many else value)}"
        for parameter, _, value in options
    ]
    write("\n".join([f"[profiles.x.{'.'.join(words)}]", *lines]), "jobs/site.toml")
    rest = [
        parameter.key
        for each, parameter, option in EVERY
        if each == words and option.required and parameter.key in SEVERAL
    ]
    typing = [as_typed(parameter, value, here / "jobs") for parameter, _, value in options]
    typed = read(*words, *rest, *itertools.chain(*typing))
    configured = ("--config", str(here / "jobs/site.toml"), "--profile", "x")
    from_file = read(*configured, *words, *rest)
    assert from_file.keys() == typed.keys()
    for parameter, option, _ in options:
        assert from_file[parameter.name] == typed[parameter.name], parameter.flag
        assert from_file[parameter.name] != option.default, parameter.flag


NO_PATHS = {
    "include", "exclude", "encoding", "names", "as", "to", "documents", "types", "map", "split",
    "patient-pattern", "keep-layers", "weights", "scope", "source",
}  # fmt: skip
"""Options of text whose help speaks of files, folders or corpora, but which name none."""


def test_every_option_that_names_a_file_is_known_to() -> None:
    speaks = re.compile(
        r"(?i)\b(files?|folders?|paths?|director(y|ies)|checkpoints?|corpora|corpus)\b"
    )
    about_files = {
        (" ".join(words), parameter.key): parameter.path is not None
        for words, parameter, option in EVERY
        if parameter.kind in (str, Path)
        and speaks.search(f"{option.help} {parameter.metavar} {parameter.key}")
        and parameter.key not in NO_PATHS
    }
    assert len(about_files) > 80
    assert [each for each, is_path in about_files.items() if not is_path] == []


def test_several_arguments_from_a_profile() -> None:
    write('[profiles.x.score]\ngold = "a"\npredicted = ["b", "c"]\n')
    params = read("--profile", "x", "score")
    assert (params["gold"], params["predicted"]) == ("a", ["b", "c"])


def test_each_option_that_must_be_typed_exists() -> None:
    assert ONCE.keys() <= {parameter.key for _, parameter, _ in EVERY}


@pytest.mark.parametrize("key", ONCE)
@pytest.mark.parametrize("table", ["", "profiles.x."])
def test_what_must_be_typed_is_refused_in_a_file(incognote: Command, key: str, table: str) -> None:
    words = next(words for words, parameter, _ in EVERY if parameter.key == key)
    write(
        f"[{table}{'.'.join(words)}]\n{key} = true\n[profiles.x]\n"
        if not table
        else f"[{table}{'.'.join(words)}]\n{key} = true\n"
    )
    ran = incognote("--profile", "x", *words, *needed(words, ""))
    assert ran.status == 2
    assert ran.err.startswith(
        f"incognote: incognote.toml:2: {table}{'.'.join(words)}.{key}: may not"
    )
    assert f"type --{key}" in ran.err


@pytest.mark.parametrize(
    ("words", "parameter"),
    [
        pytest.param(words, parameter, id=f"{' '.join(words)} {parameter.key}")
        for words, parameter, _ in EVERY
        if parameter.kind in (int, float)
    ],
)
def test_a_number_beyond_all_measure_is_refused_in_one_line(
    incognote: Command, words: tuple[str, ...], parameter: Parameter
) -> None:
    number = str(10**20) if parameter.kind is int else "inf"
    ran = incognote(*words, *needed(words, parameter.name), parameter.flag, number)
    assert (ran.status, ran.out) == (2, b"")
    assert parameter.flag in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("command", ["deid", "find", "bench"])
def test_there_are_at_most_so_many_workers(incognote: Command, command: str) -> None:
    ran = incognote(command, "note.txt", "-j", "1025")
    assert ran.status == 2
    assert "1024" in ran.err


LAYERS = """
[common]
text-field = ["common"]
workers = 1
[deid]
text-field = ["deid"]
[profiles.x.common]
text-field = ["x.common"]
[profiles.x.deid]
text-field = ["x.deid"]
"""


@pytest.mark.parametrize(
    ("tables", "arguments", "expected"),
    [
        (4, ("--profile", "x", "deid", "--text-field", "typed"), ["typed"]),
        (4, ("--profile", "x", "deid"), ["x.deid"]),
        (3, ("--profile", "x", "deid"), ["x.common"]),
        (4, ("deid",), ["deid"]),
        (1, ("deid",), ["common"]),
        (0, ("deid",), None),
        (4, ("deid", "--no-config"), None),
    ],
)
def test_what_goes_over_what(tables: int, arguments: tuple[str, ...], expected: Any) -> None:
    write("".join(re.split(r"(?m)^(?=\[)", LAYERS)[: tables + 1]))
    assert read(*arguments)["fields_text"] == expected


def test_common_options_go_to_the_commands_that_have_them() -> None:
    write(LAYERS)
    assert read("find")["fields_text"] == ["common"]
    assert read("find")["workers"] == 1
    assert "workers" not in read("corpus", "stats", "notes")


def test_the_file_names_its_profile_and_an_option_another() -> None:
    write('profile = "a"\n[profiles.a.deid]\nnumber = true\n[profiles.b.deid]\nspeed = "fast"\n')
    assert read("deid")["replacement_number"] is True
    chosen = read("deid", "--profile", "b")
    assert (chosen["replacement_number"], chosen["choices_speed"]) == (False, "fast")


def test_a_profile_can_take_an_option_away() -> None:
    write(
        '[deid]\nvault = "v"\ninclude = ["*.txt"]\n[profiles.x.deid]\nvault = false\ninclude = []\n'
    )
    assert read("deid")["vault"] == Path("v")
    assert read("--profile", "x", "deid")["vault"] is None
    assert not read("--profile", "x", "deid")["include"]


def test_every_switch_can_be_turned_off_by_typing(incognote: Command) -> None:
    write("[deid]\nnumber = true\nwhole-weeks = false\nquiet = true\n")
    params = read("deid", "--no-number", "--whole-weeks", "--no-quiet")
    assert not params["replacement_number"]
    assert params["dates_whole_weeks"]
    assert not params["messages_quiet"]
    assert "--no-number" not in incognote("deid", "--help").out.decode()


def test_known_values_as_a_table() -> None:
    for line in (
        'known = { name = "PATIENT", town = "CITY" }',
        'known = ["name=PATIENT", "town=CITY"]',
    ):
        write(f"[deid]\n{line}\n")
        assert read("deid")["fields_known"] == ["name=PATIENT", "town=CITY"]
    write('[deid.known]\nname = "PATIENT"\n')
    assert read("deid")["fields_known"] == ["name=PATIENT"]


def test_paths_stand_beside_the_file(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(
        '[deid]\ncolumns = "plan.toml"\nkey-file = "keys/k"\nmodel = "/models/m"\nlog = "~/log"\n'
        '[train]\nencoder = "minilm"\nteacher = "t"\n'
        '[profiles.x.deid]\npaths = ["a/*.txt", "-"]\noutput = "out/"\n'
        '[profiles.x.train]\nencoder = "./minilm"\n',
        "site [1]/site.toml",
    )
    monkeypatch.setenv("HOME", "/home/me")
    params = read("--config", "site [1]/site.toml", "--profile", "x", "deid")
    assert params["fields_columns"] == "site [1]/plan.toml"
    assert params["key_file"] == Path("site [1]/keys/k")
    assert params["choices_model"] == Path("/models/m")
    assert params["messages_log"] == Path("/home/me/log")
    assert params["paths"] == ["site [[]1]/a/*.txt", "-"]
    assert params["output"] == "site [1]/out/"
    train = ("train", "notes", "-o", "out")
    assert read("--config", "site [1]/site.toml", *train)["encoder"] == "minilm"
    params = read("--config", "site [1]/site.toml", "--profile", "x", *train)
    assert params["encoder"] == "site [1]/./minilm"
    assert params["learning_teacher"] == "site [1]/t"


def test_a_name_is_a_path_only_where_such_a_file_is() -> None:
    write(
        '[pretrain]\nfrom = "minilm"\n[profiles.x.compare]\ngrid = "study"\nencoders = "minilm,./a"\n',
        "jobs/c.toml",
    )
    arguments = ("--config", "jobs/c.toml", "--profile", "x", "compare", "notes", "-o", "out")
    assert read(*arguments)["grid"] == "study"
    assert read(*arguments)["encoders"] == "minilm,jobs/./a"
    pretrain = ("--config", "jobs/c.toml", "pretrain", "texts", "-o", "out")
    assert read(*pretrain)["beginning_source"] == "minilm"
    write("", "jobs/study")
    assert read(*arguments)["grid"] == "jobs/study"


def test_the_environment_names_a_file_and_an_option_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("incognote", "a", "b"):
        write(f'[deid]\ntext-field = "{name}"\n', f"{name}.toml")
    assert read("deid")["fields_text"] == ["incognote"]
    monkeypatch.setenv("INCOGNOTE_CONFIG", "a.toml")
    assert read("deid")["fields_text"] == ["a"]
    assert read("deid", "--config", "b.toml")["fields_text"] == ["b"]
    assert read("--no-config", "deid")["fields_text"] is None


def test_only_the_working_folder_is_searched(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("[deid]\nnumber = true\n")
    (here / "below").mkdir()
    monkeypatch.chdir(here / "below")
    assert read("deid")["replacement_number"] is False


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("[died]\n", "deid note.txt", "incognote.toml:1: died: is the name of no command and no table (did you mean deid?)"),
        ("[profiles.x.died]\n", "deid note.txt", "incognote.toml:1: profiles.x.died: is the name"),
        ("\nreplace = 'tag'\n", "deid note.txt", "incognote.toml:2: replace: belongs into the table"),
        ("[config]\n", "deid note.txt", "incognote.toml:1: config: is the name of no command"),
        ("deid = 3\n", "deid note.txt", "incognote.toml:1: deid: must be a table: [deid]"),
        ("[deid]\n\nspede = 'fast'\n", "deid note.txt", "incognote.toml:3: deid.spede: no such option of incognote deid (did you mean speed?)"),
        ("[deid]\ntext_field = 'a'\n", "deid note.txt", "deid.text_field: no such option of incognote deid (did you mean text-field?)"),
        ("[deid]\nkey = 'V8sQz1'\n", "deid note.txt", "incognote.toml:2: deid.key: no such option"),
        ("[common]\nsped = 'fast'\n", "score a b", "incognote.toml:2: common.sped: no command has such an option (did you mean speed?)"),
        ("[common]\noutput = 'x'\n", "find note.txt", "common.output: says what one job works on"),
        ("[common]\noverwrite = true\n", "find note.txt", "common.overwrite: may not stand in a file"),
        ("[deid]\npaths = ['x']\n", "deid", "incognote.toml:2: deid.paths: says what one job works on, so it stands in a profile: [profiles.NAME.deid]"),
        ("[corpus.stat]\n", "corpus stats note.txt", "incognote.toml:1: corpus.stat: no such command of incognote corpus (did you mean stats?)"),
        ("[corpus]\njson = true\n", "corpus stats note.txt", "incognote.toml:2: corpus.json: belongs into the table of a command of incognote corpus"),
        ("[deid]\nno-number = true\n", "deid note.txt", "deid.no-number: write number = false"),
        ("[deid]\nany-days = true\n", "deid note.txt", "deid.any-days: write whole-weeks = false"),
        ("[deid]\nnumber = 'yes'\n", "deid note.txt", "incognote.toml:2: deid.number: must be true or false"),
        ("[deid]\nworkers = '2'\n", "deid note.txt", "deid.workers: must be a whole number"),
        ("[deid]\nworkers = true\n", "deid note.txt", "deid.workers: must be a whole number"),
        ("[deid]\nmin-recall = '1'\n", "deid note.txt", "deid.min-recall: must be a number"),
        ("[deid]\nreplace = ['tag']\n", "deid note.txt", "deid.replace: must be a text"),
        ("[deid]\nkey-file = 3\n", "deid note.txt", "deid.key-file: must be a path"),
        ("[deid]\nkey-file = ''\n", "deid note.txt", "deid.key-file: is empty"),
        ("[deid]\ninclude = [['*']]\n", "deid note.txt", "deid.include: must be a text or a list of them"),
        ("[deid]\ninclude = { a = 'b' }\n", "deid note.txt", "deid.include: must be a text or a list of them"),
        ("[deid]\nknown = { a = true }\n", "deid note.txt", "deid.known: must be a text or a list of them or a table of them"),
        ("[deid]\nspeed = 'fats'\n", "deid note.txt", "incognote.toml:2: deid.speed: 'fats' is none of careful, balanced, fast (did you mean fast?)"),
        ("[deid]\nworkers = 0\n", "deid note.txt", "incognote.toml:2: deid.workers: "),
        ("[deid]\nworkers = 99999999999999999999\n", "deid note.txt", "incognote.toml:2: deid.workers: "),
        ("[deid]\nmin-recall = inf\n", "deid note.txt", "incognote.toml:2: deid.min-recall: is no finite number"),
        ("[score]\nresamples = 99999999999999999999\n", "config check", "incognote.toml:2: score.resamples: "),
        ("[find]\nmax-unpack = 99999999999999999999\n", "config check", "incognote.toml:2: find.max-unpack: is too large a number"),
        ("[deid]\nmax-unpack = -1\n", "deid note.txt", "incognote.toml:2: deid.max-unpack: "),
        ("[deid]\nknown = ['a=b']\n", "deid note.txt", "incognote.toml:2: deid.known a=b: write FIELD=TYPE"),
        ("[deid]\nnames = 'any'\n", "deid note.txt", "incognote.toml:2: deid.names any: choose number, hash or keep"),
        ("[deid]\npatient-folder = true\n", "deid note.txt --patient-pattern x", "choose one of --patient-pattern and --patient-folder (deid.patient-folder stands at incognote.toml:2)"),
        ("[deid]\nmodel = 'none'\n", "deid note.txt", "(deid.model stands at incognote.toml:2)"),
        ("[deid]\nreplace = 'fog'\n", "deid note.txt", "(deid.replace stands at incognote.toml:2)"),
        ("profile = 'x'\n", "deid note.txt", "incognote.toml:1: profile: no such profile as 'x'; the file has none"),
        ("[profiles.night]\n", "--profile nigth deid note.txt", "incognote.toml: --profile: no such profile as 'nigth' (did you mean night?); there are night"),
        ("[deid\n", "deid note.txt", "incognote.toml:1: "),
        ("[profiles.night]\n", "deid --profile= note.txt", "--profile: no such profile as ''; there are night"),
        ("", "deid --config= note.txt", ".: is a folder"),
        ("[deid\n", "encoders", "incognote.toml:1: "),
        ("[deid\n", "config check", "incognote.toml:1: "),
        ("", "--no-config --profile x deid note.txt", "--no-config goes neither with"),
        ("", "--config none.toml deid note.txt", "none.toml: no such file or directory"),
    ],
)  # fmt: skip
def test_mistakes_stop_the_command_with_their_place(
    incognote: Command, here: Path, text: str, arguments: str, message: str
) -> None:
    write(text)
    ran = (
        incognote(*arguments.split(), "-o", "out.txt")
        if "deid" in arguments
        else incognote(*arguments.split())
    )
    assert ran.status == 2
    assert message in ran.err.splitlines()[-1]
    assert "V8sQz1" not in ran.err
    assert {each.name for each in here.iterdir()} == {"note.txt", "incognote.toml"}


def test_a_typed_value_hides_a_wrong_one_of_the_file_only_if_it_is_of_its_kind() -> None:
    write("[deid]\nworkers = 0\n")
    assert read("deid", "-j", "1")["workers"] == 1


def test_a_profile_without_a_file(incognote: Command) -> None:
    ran = incognote("--profile", "x", "deid", "note.txt")
    assert ran.status == 2
    assert "there is no incognote.toml here" in ran.err


@pytest.mark.parametrize(
    "arguments", ["--help", "--version", "deid --help", "corpus stats --help", "corpus"]
)
def test_help_works_with_a_broken_file(incognote: Command, arguments: str) -> None:
    write("[deid\n")
    ran = incognote(*arguments.split())
    assert b"sage" in ran.out or b"incognote " in ran.out
    assert "incognote.toml" not in ran.err


def test_help_shows_the_defaults_of_the_program(incognote: Command) -> None:
    before = incognote("deid", "--help").out
    write("[deid]\nreplace = 'mask'\nnumber = true\n")
    assert incognote("deid", "--help").out == before


@pytest.mark.parametrize("mode", [0o666, 0o602])
def test_a_found_file_that_everybody_may_change_is_refused(incognote: Command, mode: int) -> None:
    write("[deid]\nreplace = 'keep'\n")
    Path("incognote.toml").chmod(mode)
    ran = incognote("deid", "note.txt")
    assert ran.status == 2
    assert not ran.out
    assert "may be changed by everybody" in ran.err
    assert incognote("--no-config", "deid", "note.txt").status == 0
    assert incognote("deid", "note.txt", "--config", "incognote.toml").out.decode() == NOTE


def test_a_found_file_of_another_user_is_refused(
    incognote: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("[deid]\nreplace = 'keep'\n")
    monkeypatch.setattr("os.geteuid", lambda: Path("incognote.toml").stat().st_uid + 1)
    monkeypatch.setattr("incognote.cli.configuration._TRUSTED", frozenset())
    ran = incognote("deid", "note.txt")
    assert (ran.status, ran.out) == (2, b"")
    assert "belongs to another user" in ran.err


def test_a_found_file_of_a_group_is_refused(
    incognote: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("[deid]\nreplace = 'keep'\n")
    Path("incognote.toml").chmod(0o664)
    group = Path("incognote.toml").stat().st_gid
    monkeypatch.setattr("os.getegid", lambda: group)
    assert incognote("deid", "note.txt").out.decode() == NOTE
    monkeypatch.setattr("os.getegid", lambda: group + 1)
    ran = incognote("deid", "note.txt")
    assert (ran.status, ran.out) == (2, b"")
    assert "may be changed by a group" in ran.err
    assert incognote("deid", "note.txt", "--config", "incognote.toml").out.decode() == NOTE


@pytest.mark.parametrize("of_another", ["the link", "its target"])
def test_a_found_link_to_or_of_another_user_is_refused(
    incognote: Command, monkeypatch: pytest.MonkeyPatch, of_another: str
) -> None:
    write("[deid]\nreplace = 'keep'\n", "other/keep.toml")
    link = Path("incognote.toml")
    link.symlink_to("other/keep.toml")
    owner, stat = link.lstat().st_uid, Path.stat

    def with_another_owner(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        status = stat(path, follow_symlinks=follow_symlinks)
        is_theirs = path == link and follow_symlinks == (of_another == "its target")
        return os.stat_result((*status[:4], owner + 1, *status[5:])) if is_theirs else status

    monkeypatch.setattr("incognote.cli.configuration._TRUSTED", frozenset())
    assert incognote("deid", "note.txt").status == 0
    monkeypatch.setattr(Path, "stat", with_another_owner)
    monkeypatch.setattr(Path, "lstat", lambda path: path.stat(follow_symlinks=False))
    ran = incognote("deid", "note.txt")
    assert (ran.status, ran.out) == (2, b"")
    assert "belongs to another user" in ran.err


def test_a_found_file_that_everybody_may_exchange_is_refused(incognote: Command) -> None:
    write("[deid]\nreplace = 'keep'\n")
    Path().chmod(0o777)
    ran = incognote("deid", "note.txt")
    assert (ran.status, ran.out) == (2, b"")
    assert "everybody may exchange it" in ran.err
    Path().chmod(0o1777)
    assert incognote("deid", "note.txt").out.decode() == NOTE


def test_a_found_file_is_announced_to_the_quiet_too(incognote: Command) -> None:
    write("[deid]\nreplace = 'keep'\n")
    ran = incognote("deid", "note.txt", "--quiet")
    assert ran.out.decode() == NOTE
    assert ran.err == "incognote: options from incognote.toml\n"


def test_what_is_used_is_said_once_on_standard_error(incognote: Command) -> None:
    write("[deid]\ndetector = 'rules'\n[profiles.x.deid]\nnumber = true\n[find]\n")
    ran = incognote("--profile", "x", "deid", "note.txt")
    assert ran.err.count("incognote: options from incognote.toml, profile x\n") == 1
    assert b"incognote.toml" not in ran.out
    named = ("--config", "incognote.toml")
    assert incognote("deid", "note.txt", "--quiet", *named).err == ""
    assert "options from" not in incognote("find", "note.txt", "--detector", "rules").err


def test_a_run_with_the_file_writes_what_the_typed_run_writes(
    incognote: Command, here: Path
) -> None:
    write("[deid]\ndetector = 'rules'\nreplace = 'tag,DATE=mask'\nnumber = true\n")
    assert incognote("deid", "note.txt", "-o", "a.txt").status == 0
    typed = ("--detector", "rules", "--replace", "tag,DATE=mask", "--number")
    assert incognote("--no-config", "deid", "note.txt", "-o", "b.txt", *typed).status == 0
    assert Path("a.txt").read_bytes() == Path("b.txt").read_bytes()
    audits = [json.loads(Path(f"{name}.txt.audit.json").read_text()) for name in "ab"]
    assert audits[0]["settings"] == audits[1]["settings"]


def rows(ran: Any) -> dict[str, Any]:
    return {row["option"]: row for row in json.loads(ran.out)["options"]}


def test_show_tells_where_each_value_comes_from(incognote: Command) -> None:
    write(
        "[deid]\nnumber = true\nspeed = 'fast'\n[profiles.x.deid]\nspeed = 'careful'\npaths = ['.']\n"
    )
    shown = rows(incognote("config", "show", "deid", "-j", "2", "--profile", "x", "--json"))
    assert [each["source"] for each in map(shown.get, ("--number", "--speed", "--workers", "--replace")) if each] == [
        "file", "profile", "flag", "default",
    ]  # fmt: skip
    assert shown["--speed"] == {
        "command": "deid",
        "option": "--speed",
        "value": "careful",
        "source": "profile",
        "place": "incognote.toml:5",
        "key": "profiles.x.deid.speed",
    }
    assert len(shown) == sum(1 for words, _, _ in EVERY if words == ("deid",))
    page = incognote("config", "show").out.decode()
    assert "deid     --number  yes    incognote.toml:2 (deid.number)" in page
    assert "careful" not in page


@pytest.mark.parametrize("command", ["corpus", "corpus nothing", "nothing"])
def test_show_wants_a_command_that_is(incognote: Command, command: str) -> None:
    assert incognote("config", "show", *command.split()).status == 2


def test_show_without_a_file(incognote: Command) -> None:
    ran = incognote("config", "show")
    assert (ran.status, ran.out) == (0, b"")
    assert "there is no configuration file" in ran.err
    assert rows(incognote("config", "show", "corpus", "split", "--json"))["--seed"]["value"] == 0


def test_check_tells_every_mistake_once(incognote: Command) -> None:
    write(
        "[deid]\nspede = 'fast'\n[find]\nworkers = 0\n[train]\nepochs = 0\nsize = ['x']\n"
        "[profiles.a.score]\nresamples = 'many'\n[profiles.b.common]\nvolts = 3\n"
    )
    ran = incognote("config", "check")
    assert ran.status == 2
    places = [line.removeprefix("incognote: incognote.toml:") for line in ran.err.splitlines()]
    assert [place.split(":")[0] for place in sorted(places)] == ["11", "2", "4", "6", "9"]


def test_check_passes_a_sound_file_and_wants_one(incognote: Command) -> None:
    assert incognote("config", "check").status == 2
    write("[deid]\nnumber = true\n[profiles.x.find]\nspeed = 'fast'\n")
    ran = incognote("config", "check")
    assert ran.status == 0
    assert "it has options of deid, find, and the profiles x" in ran.out.decode()


def test_the_page_does_what_it_says(incognote: Command, here: Path) -> None:
    for folder in ("keys", "notes", "notes/p1", "notes/p2"):
        (here / folder).mkdir()
    for patient in ("p1", "p2"):
        write(NOTE, f"notes/{patient}/letter.txt")
    page = (ROOT / "docs/configuration.md").read_text()
    ran = 0
    for kind, text in re.findall(r"(?ms)^```(\w*)\n(.*?)^```", page):
        if kind == "toml":
            write(text)
        for command, *shown in re.findall(r"(?m)^\$ incognote (.*)\n((?:[^$].*\n)*)", text):
            result = incognote(*shlex.split(command))
            assert result.status == 0, result.err
            lines = {
                " ".join(line.split()) for line in (result.out.decode() + result.err).splitlines()
            }
            assert set(shown[0].splitlines()) <= lines, command
            ran += 1
    assert ran == page.count("\n$ ")
    assert "[PATIENT-1]" in (here / "out/quality/p1/letter.txt").read_text()
    assert "Okafor" not in "".join(
        path.read_text() for path in (here / "out/research").rglob("*.txt")
    )
    table = re.findall(r"(?m)^\| `--([\w-]+)` \| (.*) \|$", page.partition("## What may not")[2])
    assert dict(table) == ONCE


def test_a_command_that_a_program_builds_reads_no_file(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    write("[deid\n")
    arguments = ["note.txt", "--detector", "rules"]
    assert load("find").main(arguments, standalone_mode=False) == 0
    assert capsysbinary.readouterr().out
