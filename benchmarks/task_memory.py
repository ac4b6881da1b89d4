"""The memory that scoring answers takes: `incognote task evaluate squad` on 1,000 windows and on 10,000.

    python benchmarks/task_memory.py [--encoder DIR] [--windows 1000,10000]

Questions on made-up contexts of ten windows of 384 tokens each are written as SQuAD's JSON, and scored in
a process of its own, whose peak memory is printed. Without --encoder a small BERT with random weights is
scored: what a larger network takes is the same for any number of windows.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from incognote.workshop.training.sources import MINILM, checkpoint_folder

WINDOWS_OF_A_CONTEXT = 10
LONGEST, STRIDE = 384, 128
SPECIAL, QUESTION = 3, "which word stands at the very end of this part"
SMALL = "layers=2 hidden_size=64 heads=4 feed_forward_size=128".split()


def write_questions(path: Path, windows: int) -> None:
    """So many windows, as many questions as contexts."""
    draws = random.Random(0)
    words = "pain chest arm left was seen then there given of the and no one two".split()
    room = LONGEST - SPECIAL - len(QUESTION.split())
    size = room + (WINDOWS_OF_A_CONTEXT - 1) * (room - STRIDE)
    paragraphs = []
    for number in range(windows // WINDOWS_OF_A_CONTEXT):
        context = " ".join(draws.choices(words, k=size))
        answer = {
            "text": context[-20:].strip(),
            "answer_start": context.rindex(context[-20:].strip()),
        }
        asked = {"id": str(number), "question": QUESTION, "answers": [answer]}
        paragraphs.append({"context": context, "qas": [asked]})
    content = {"version": "1.1", "data": [{"title": "made up", "paragraphs": paragraphs}]}
    path.write_text(json.dumps(content), encoding="utf-8")


def run(*words: object) -> tuple[float, float]:
    """Run incognote; gives the megabytes and the processor's seconds of the process."""
    command = [sys.executable, "-m", "incognote", *map(str, words)]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(child.returncode)
    return used.ru_maxrss / 1024, used.ru_utime + used.ru_stime


def main() -> None:
    """Parse, train for one step, score twice."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--encoder", help="to score, instead of random weights")
    parser.add_argument("--windows", default="1000,10000")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_questions(folder / "train.json", WINDOWS_OF_A_CONTEXT)
        sizes = [word for size in SMALL for word in ("--size", size)]
        begin = [
            "--encoder",
            "minilm-l6",
            "--random",
            "--tokenizer",
            checkpoint_folder(MINILM),
            *sizes,
        ]
        begin = ["--encoder", given.encoder] if given.encoder else begin
        limits = ["--max-length", LONGEST, "--stride", STRIDE]
        told = ["squad", folder / "train.json", "-o", folder / "model", *begin, *limits]
        run("task", "train", *told, "--steps", 1, "--batch-size", 2, "--threads", 1)
        for count in map(int, given.windows.split(",")):
            write_questions(folder / "dev.json", count)
            began = time.perf_counter()
            megabytes, cpu = run(
                "task", "evaluate", "squad", folder / "model", folder / "dev.json", "--threads", 1
            )
            took = time.perf_counter() - began
            print(
                f"{count:7,} windows: {megabytes:6.0f} MB at most, {cpu:.0f} s of the processor, "
                f"{took:.0f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
