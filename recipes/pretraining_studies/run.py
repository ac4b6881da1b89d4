"""Runs the small pretraining studies, arm by arm; an arm that is done is not run again.

    python recipes/pretraining_studies/run.py --albert albert/ --work work/ --data DATA
        [--plan miniatures] [--studies sentence-loss,sharing/e64-all] [--seed 1] [--scale 0.5]
        [--threads 1] [--precision bf16] [--dry]

studies.toml has the arms. Each leaves work/arms/STUDY-ARM, and its figures in work/results; report.py
makes tables and plots of these. `shipped` asks the ALBERT that ships about pairs (shipped.py), and
`transfer` fine-tunes what was pretrained (transfer.py).
--plan miniatures takes the arms of miniatures.toml: tiny encoders that all read the same number of tokens.
`downstream/TASK` fine-tunes these on parts of public tasks, `downstream/TASK/ARM` one of them.
--seed 1 runs their arms again from other random weights, where a study has a second seed.
--scale changes the minutes of all arms; --dry runs two tiny steps of each in work/dry, to see that all is
there.
Killed at any moment, the same command goes on.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from recipes.clinical_albert.make import SHIPPED, call, incognote
from recipes.pretraining_studies.downstream import PARTS as TASKS
from recipes.pretraining_studies.downstream import fine_tune
from recipes.pretraining_studies.transfer import PARTS, TRANSFER, transfer

HERE = Path(__file__).resolve().parent
ALBERT = HERE.parent / "clinical_albert"
HELD_OUT = ("clinical", "medical")
SHIPPED_STUDY = "shipped"
PLANS = ("studies", "miniatures")
DOWNSTREAM = "downstream"
LOOKS = 6
"""Evaluations of an arm that has steps, beside the last: they take time as well."""
DRY = (
    "--steps 2 --batch-pieces 512 --lengths 64 --evaluate-every 1 --evaluate-examples 4 "
    "--final-examples 4"
).split()


@dataclass(frozen=True)
class Studies:
    """The plan, and where things are."""

    plan: dict[str, Any]
    albert: Path
    work: Path
    data: Path
    scale: float
    threads: int | None
    precision: str
    dry: bool
    workers: int = 1
    seed: int = 0

    def run(self, study: str, only: str = "") -> None:
        """All arms of a study in their order, or one of them; those that have a seed of that number."""
        for name, arm in self.plan["studies"][study]["arms"].items():
            if only not in ("", name) or self.seed >= arm.get("seeds", 1) or "same" in arm:
                continue
            stem = f"{study}-{name}" + (f"-seed-{self.seed}" if self.seed else "")
            folder = self.work / "arms" / stem
            budget = self.budget(arm)
            if not (folder / "training.json").exists():
                self.pretrain(arm, folder, budget)
            result = self.work / "results" / f"{stem}.json"
            if not result.exists() and ("score" in arm or "minutes" in arm):
                self.score(arm, folder, result)

    def score(self, arm: dict[str, Any], folder: Path, result: Path) -> None:
        """What the arm does on held-out documents, whatever it was trained for."""
        asked: list[object] = ["--objectives", ",".join(arm.get("score", []))]
        texts = [self.albert / f"text/held_out/{kind}.jsonl" for kind in HELD_OUT]
        pieces = "albert" if "/" in arm["shards"] else arm["shards"]
        asked += ["--length", arm.get("length", 128), "--cuts", arm.get("cuts", 1)]
        asked += ["--held-out", *texts, "--shards", self.work / "held_out" / pieces]
        asked += ["--examples", 8 if self.dry else arm.get("examples", 4000)]
        asked += ["--minutes", arm["minutes"] * self.scale] if "minutes" in arm else []
        call(HERE / "score.py", folder, "-o", result, *asked, *self.cpu)

    def fine_tune(self, task: str, stem: str = "") -> None:
        """The arms that are there on one task, or one of them, by the folder's name."""
        options = self.plan[DOWNSTREAM][task].split()
        for folder in sorted((self.work / "arms").glob(stem or "*")):
            if (folder / "training.json").exists():
                more = ["--precision", self.precision]
                fine_tune(folder, task, self.data, self.work, [*options, *more], self.cpu)

    def ask_shipped(self) -> None:
        """What the ALBERT that ships knows of pairs."""
        result = self.work / f"{SHIPPED_STUDY}.json"
        if not result.exists():
            few = ["--cuts", 1] if self.dry else []
            call(HERE / "shipped.py", "--albert", self.albert, "-o", result, *few)

    def budget(self, arm: dict[str, Any]) -> list[object]:
        """Minutes, of which steps are made; or steps, where arms are to read equally much."""
        if "minutes" in arm:
            return ["--hours", f"{arm['minutes'] * self.scale / 60:.4g}"]
        steps = max(LOOKS, round(arm["steps"] * self.scale))
        return ["--steps", steps, "--evaluate-every", steps // LOOKS]

    def pretrain(self, arm: dict[str, Any], folder: Path, budget: list[object]) -> None:
        """One run, begun or gone on with."""
        text, more = self.text(arm["shards"])
        options = [*self.filled(arm["options"]).split(), *more, *self.start(arm, folder.name)]
        if self.dry:
            drop = {"--batch-pieces", "--lengths", "--batch-size"}
            kept = [w for n, w in enumerate(options) if not {w, options[n - 1]} & drop]
            options = [*kept, *DRY]
        else:
            looking = self.plan["options"]["looking"].split()
            options += [*looking, *budget]
        options += ["--precision", self.precision, "--seed", self.seed]
        incognote("pretrain", *text, "-o", folder, *options, *self.cpu, "--resume")

    def start(self, arm: dict[str, Any], name: str) -> list[object]:
        """The checkpoint that an arm begins from, made if need be; nothing, random weights."""
        if "begin" in arm:
            begun = self.work / "starts" / name
            if not (begun / "config.json").exists():
                call(ALBERT / "begin.py", self.albert, "-o", begun, *arm["begin"].split())
            return ["--from", begun]
        if "small" in arm:
            begun = self.work / "starts" / "-".join(arm["small"].replace("--", "").split())
            if not (begun / "config.json").exists():
                files, more = self.text(arm["shards"])
                call(HERE / "begin_small.py", *files, *more, "-o", begun, *arm["small"].split())
            return ["--from", begun]
        if "start" not in arm:
            return []
        start = self.work / "arms" / arm["start"]
        if "second_segment" in arm:
            begun = self.work / "starts" / f"{arm['start']}-second-segment"
            if not (begun / "config.json").exists():
                shards = self.work / "shards" / arm["shards"]
                norm = ["--norm", arm["second_segment"], *(["--steps", 2] if self.dry else [])]
                call(ALBERT / "second_segment.py", start, shards, "-o", begun, *norm, *self.cpu)
            start = begun
        return ["--from", start]

    def text(self, shards: str) -> tuple[list[Path], list[object]]:
        """What an arm reads: shards that are there, or files with the options that tokenise them."""
        if "/" in shards:
            return [Path(self.filled(shards))], []
        files = [self.albert / f"text/{name}.jsonl" for name in self.plan["text"]["files"]]
        folder = self.work / "shards" / shards
        held_out = self.plan["text"]["held_out"]
        more: list[object] = ["--shards", folder, "--held-out", held_out, "--text-workers", 1]
        tokenizer = self.tokenizer(shards, files)
        return files, [*more, "--tokenizer", tokenizer] if tokenizer else more

    def tokenizer(self, name: str, files: list[Path]) -> Path | None:
        """A tokenizer of that name, learned from the text; None, the checkpoint's own."""
        if name not in self.plan["tokenizers"]:
            return None
        folder = self.work / "tokenizers" / name
        if not folder.exists():
            options = self.plan["tokenizers"][name]["options"].split()
            incognote("tokenizer", *files, "-o", folder, *options)
        return folder

    @property
    def cpu(self) -> list[object]:
        """The threads, if they were named."""
        return ["--threads", self.threads] if self.threads else []

    def filled(self, text: str) -> str:
        """Names in braces as what they stand for."""
        for name, options in reversed(self.plan["options"].items()):  # some name earlier ones
            text = text.replace(f"{{{name}}}", options)
        text = text.replace("{shipped}", str(SHIPPED))
        return text.replace("{albert}", str(self.albert)).replace("{work}", str(self.work))


def main() -> int:
    """Parse, and run the studies asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--plan", choices=PLANS, default=PLANS[0], help="the file with the arms")
    parser.add_argument(
        "--albert", type=Path, required=True, help="work of recipes/clinical_albert"
    )
    parser.add_argument("--work", type=Path, required=True, help="folder for all that is made")
    parser.add_argument("--data", type=Path, required=True, help="the shared data folder")
    parser.add_argument("--studies", help="which, in this order; STUDY/ARM is one arm; all if none")
    parser.add_argument("--seed", type=int, default=0, help="of the weights and the examples")
    parser.add_argument("--scale", type=float, default=1.0, help="of all minutes and epochs")
    parser.add_argument("--threads", type=int, help="of the processor")
    parser.add_argument(
        "--workers", type=int, default=1, help="starts fine-tuned at once, each with its threads"
    )
    parser.add_argument(
        "--precision", default="fp32", help="bf16 is faster where the processor multiplies in it"
    )
    parser.add_argument("--dry", action="store_true", help="two tiny steps of each arm")
    given = parser.parse_args()
    plan = tomllib.loads((HERE / f"{given.plan}.toml").read_text(encoding="utf-8"))
    more = (SHIPPED_STUDY, TRANSFER) if given.plan == PLANS[0] else (DOWNSTREAM,)
    names = [*plan["studies"], *more]
    asked = given.studies.split(",") if given.studies else names
    arms = [f"{study}/{arm}" for study, told in plan["studies"].items() for arm in told["arms"]]
    arms += [f"{TRANSFER}/{part}" for part in PARTS] if TRANSFER in names else []
    arms += [f"{DOWNSTREAM}/{task}" for task in plan.get(DOWNSTREAM, {})]
    if unknown := [n for n in asked if n not in (*names, *arms) and not is_downstream(n, arms)]:
        parser.error(f"no study {unknown[0]}; there are {', '.join((*names, *arms))}")
    studies = Studies(
        plan=plan,
        albert=given.albert.resolve(),
        work=(given.work / "dry" if given.dry else given.work).resolve(),
        data=given.data.resolve(),
        scale=given.scale,
        threads=given.threads,
        precision=given.precision,
        dry=given.dry,
        workers=given.workers,
        seed=given.seed,
    )
    for name in asked:
        try:
            study, _, arm = name.partition("/")
            if study == DOWNSTREAM:
                task, _, stem = arm.partition("/")
                for each in [task] if task else TASKS:
                    studies.fine_tune(each, stem)
            elif study == TRANSFER:
                for part in [arm] if arm else PARTS:
                    transfer(part, studies)
            elif study == SHIPPED_STUDY:
                studies.ask_shipped()
            else:
                studies.run(study, arm)
        except subprocess.CalledProcessError as error:
            return int(error.returncode)
    return 0


def is_downstream(name: str, known: Sequence[str]) -> bool:
    """Whether it names one arm of a task to fine-tune for."""
    return name.startswith(f"{DOWNSTREAM}/") and name.rpartition("/")[0] in known


if __name__ == "__main__":
    sys.exit(main())
