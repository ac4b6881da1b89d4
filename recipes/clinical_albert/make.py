"""Makes the clinical ALBERT, stage by stage; a stage that is done is not done again.

    python recipes/clinical_albert/make.py --data DATA --work work/ [--hours 3.5] [--threads 2]
        [--processes 2] [--precision bf16] [--from clinical-albert] [-o src/incognote/models/clinical-albert]

text       gathers clinical, medical and general text, and holds whole documents out
tokenizer  learns 10,000 pieces from it
shards     tokenises it, in two mixtures and three held-out parts
begin      gives it the words and a layer of MiniLM, or goes on from --from; and a second segment
broad      pretrains on the broad mixture at a constant learning rate: two fifths of the hours
clinical   goes on with the clinical mixture while the rate falls to 0: the rest
evaluate   held-out figures of each part
package    8-bit ONNX, 16-bit checkpoint and card, in work/clinical-albert or -o

Killed at any moment, the same command goes on.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from incognote.workshop.training.sources import checkpoint_folder

HERE = Path(__file__).resolve().parent
SHIPPED = HERE.parent.parent / "src/incognote/models/clinical-albert"
VOCABULARY = 10_000
BROAD_SHARE = 0.4
SECOND_SEGMENT = 1.0
"""How far from the first: a little more than a word's length."""

LEARNING = (
    "--objective mlm+sop --optimizer adamw --betas 0.9,0.98 --weight-decay 0.01 --batch-pieces 3072 "
    "--mask-share 0.2 --ngrams 1 --evaluate-examples 400 --final-examples 1000"
).split()


@dataclass(frozen=True)
class Making:
    """Where things are, and how much of each is made."""

    data: Path
    work: Path
    output: Path
    hours: float
    threads: int | None
    processes: int
    lr: float
    precision: str
    begun: str | None

    def text(self) -> None:
        """All text, in files by kind."""
        if not (self.work / "text/text.json").exists():
            call(HERE / "gather.py", "--data", self.data, "-o", self.work / "text")

    def tokenizer(self) -> None:
        """From little of the books, or the vocabulary would be theirs."""
        if not (self.work / "tokenizer").exists():
            parts = [
                self.work / f"text/{name}.jsonl" for name in ("clinical", "medical", "excerpts")
            ]
            size = ("--kind", "unigram", "--vocab-size", VOCABULARY)
            incognote("tokenizer", *parts, "-o", self.work / "tokenizer", *size)

    def shards(self) -> None:
        """Found made, if they are."""
        call(HERE / "shards.py", self.work)

    def begin(self) -> None:
        """From random weights a run of hours learns little but which pieces are frequent."""
        start = self.work / "start"
        if (start / "config.json").exists():
            return
        begun = checkpoint_folder(self.begun) if self.begun else self.work / "words"
        if begun is None or (self.begun and not (begun / "encoder.json").is_file()):
            raise SystemExit(f"{self.begun}: no encoder with its runs to go on from")
        if self.begun:
            shutil.copyfile(begun / "encoder.json", self.work / "earlier.json")
        else:
            call(HERE / "begin.py", self.work, "-o", begun)
        shards = self.work / "shards/clinical"
        norm = ["--norm", SECOND_SEGMENT, *self.cpu]
        call(HERE / "second_segment.py", begun, shards, "-o", start, *norm)

    def broad(self) -> None:
        """All kinds of text, short sequences."""
        rates = ["--lr", self.lr, "--warmup", 0.05, "--decay", "none", "--lengths", "128"]
        self.pretrain("broad", ["--from", self.work / "start"], rates, self.hours * BROAD_SHARE)

    def clinical(self) -> None:
        """From those, to the end; the last steps see long sequences, so that each position learns."""
        begin = ["--from", self.work / "broad"]
        rates = ["--lr", self.lr, "--warmup", 0.05, "--decay", "after-warmup"]
        rates += ["--lengths", "128:0.85,512:0.15"]
        self.pretrain("clinical", begin, rates, self.hours * (1 - BROAD_SHARE))

    def pretrain(self, name: str, begin: list[object], rates: list[object], hours: float) -> None:
        """One run of `incognote pretrain`, begun or gone on with."""
        if (self.work / name / "training.json").exists():
            return
        options = [*begin, *LEARNING, *rates, "--hours", f"{hours:.4g}", "--resume"]
        options += ["--precision", self.precision]
        command = ["pretrain", self.work / "shards" / name, "-o", self.work / name, *options]
        if self.processes > 1:
            each = max(1, (self.threads or self.processes) // self.processes)
            share = ["--nproc-per-node", self.processes, "-m", "incognote"]
            call("-m", "torch.distributed.run", *share, *command, "--threads", each)
        else:
            incognote(*command, *self.cpu)

    def evaluate(self) -> None:
        """The same masks for whatever is evaluated."""
        for name in ("broad", "clinical"):
            if not (self.work / f"{name}.json").exists():
                call(HERE / "evaluate.py", self.work, name, *self.cpu)

    def package(self) -> None:
        """Made anew each time: it takes seconds."""
        call(HERE / "package.py", self.work, "-o", self.output)

    @property
    def cpu(self) -> list[object]:
        """The threads, if they were named."""
        return ["--threads", self.threads] if self.threads else []


def incognote(*command: object) -> None:
    """A command of incognote."""
    call("-m", "incognote", *command)


def call(*command: object) -> None:
    """Run by this Python to its end, or end here."""
    words = [str(word) for word in command]
    print("+", " ".join(words), file=sys.stderr, flush=True)
    subprocess.run([sys.executable, *words], check=True)


def main() -> int:
    """Parse, and make the stages asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the shared data folder")
    parser.add_argument("--work", type=Path, required=True, help="folder for all that is made")
    parser.add_argument("-o", "--output", type=Path, help="folder to ship; in the work folder")
    parser.add_argument("--hours", type=float, default=3.5, help="of training, in all")
    parser.add_argument("--threads", type=int, help="of the processor, in all")
    parser.add_argument(
        "--processes", type=int, default=1, help="that share each training step, and the threads"
    )
    parser.add_argument("--lr", type=float, default=4e-4, help="learning rate")
    parser.add_argument(
        "--precision", default="fp32", help="bf16 is faster where the processor multiplies in it"
    )
    parser.add_argument(
        "--from", dest="begun", help="encoder to go on from, as `clinical-albert`, with its runs"
    )
    names = ("text", "tokenizer", "shards", "begin", "broad", "clinical", "evaluate", "package")
    parser.add_argument("--stages", default=",".join(names), help="which, in this order")
    given = parser.parse_args()
    making = Making(
        data=given.data,
        work=given.work,
        output=given.output or given.work / SHIPPED.name,
        hours=given.hours,
        threads=given.threads,
        processes=given.processes,
        lr=given.lr,
        precision=given.precision,
        begun=given.begun,
    )
    asked = given.stages.split(",")
    if unknown := [name for name in asked if name not in names]:
        parser.error(f"no stage {unknown[0]}; there are {', '.join(names)}")
    for name in names:
        if name in asked:
            stage: Callable[[], None] = getattr(making, name)
            try:
                stage()
            except subprocess.CalledProcessError as error:
                return int(error.returncode)
    return 0


if __name__ == "__main__":
    sys.exit(main())
