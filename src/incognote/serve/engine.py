"""One thread of a process finds and replaces; what waits for the same detector is read together.

A note's result never depends on its company (`Finder.detect_many`), so batching changes nothing but
speed. What waits is bounded, given up when its client has left or its time is over, and each note is
answered as soon as it is done.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Literal, Protocol

from incognote.base.errors import UserError, kind_of_error
from incognote.base.messages import log
from incognote.detect.detector import Detection, Detector, detect_many
from incognote.document import Document
from incognote.phi import CATEGORIES, TYPES
from incognote.pipeline import Deidentifier
from incognote.replace.operators import Operator
from incognote.replace.policy import POLICY_PLUGINS, Policy, read_policy
from incognote.replace.rewrite import OPERATORS, Operators
from incognote.runs.settings import Settings
from incognote.serve.problems import BusyError, ProblemError

TOGETHER = 64
CHARACTERS_TOGETHER = 40_000
"""What is read together has at most so many notes and characters, or is one note: others that come
meanwhile wait no longer than for that.
"""
SETTINGS_AT_HAND = 128
_FIRST_GUESS = 2e-5
"""Seconds a character, before any was measured."""

Find = Literal["rules", "model", "both"] | None
Speed = Literal["careful", "balanced", "fast"] | None


@dataclass(frozen=True)
class Choice:
    """How the notes of a request are found and replaced; None and "" are the service's own choice."""

    replace: str | None = None
    policy: str | None = None
    number: bool | None = None
    find_by: Find = None
    speed: Speed = None
    operator: Operator | None = None
    """Replaces every type, whatever the rest says; of another service's form."""

    def of(self, base: Settings) -> Settings:
        """The service's settings with what the request says.

        A policy or operators of a request stand for all of the service's, which would else mix.
        """
        settings = base
        if self.policy is not None or self.replace is not None:
            policy = None if self.policy is None else named_policy(self.policy)
            settings = replace(settings, replace=self.replace or "", policy=policy)
        if self.number is not None:
            settings = replace(settings, number=self.number)
        if self.find_by is not None:
            speed = None if self.find_by == "rules" else settings.speed  # which only a model has
            settings = replace(settings, find_by=self.find_by, speed=speed)
        return settings if self.speed is None else replace(settings, speed=self.speed)


@cache
def _policies() -> Mapping[str, Policy]:
    return {name: read_policy(name) for name in POLICY_PLUGINS.names()}


def named_policy(name: str) -> Policy:
    """A policy that the service knows by its name; never a file."""
    known = _policies()
    if name not in known:
        raise ProblemError(422, f"no such policy; there are {', '.join(known)}")
    return known[name]


class Figures(Protocol):
    """What the engine counts; `metrics.py` has them."""

    def batch(self, notes: int, characters: int, seconds: float) -> None:
        """A batch was read."""

    def waiting(self, notes: int) -> None:
        """So many wait now."""


@dataclass(eq=False)
class _Task:
    """One note, or one call; `detector` is None for a call, which is done alone."""

    detector: tuple[Find, Speed] | None
    document: Document
    finish: Callable[[Detection], Any]
    future: Future[Any]
    deadline: float


class Engine:
    """Detectors and operators of a process, and the thread that uses them."""

    def __init__(
        self,
        settings: Settings,
        *,
        queue: int,
        time_limit: float,
        threads: int = 1,
        figures: Figures | None = None,
    ) -> None:
        self._settings, self._queue, self._time_limit = settings, queue, time_limit
        self._threads, self._figures = threads, figures
        self._detectors: dict[tuple[Find, Speed], Detector] = {}
        self._deidentifiers: OrderedDict[Choice, Deidentifier] = OrderedDict()
        self._making = threading.Lock()
        self._waiting: deque[_Task] = deque()
        self._there = threading.Condition()
        self._closing = False
        self._seconds_per_character = _FIRST_GUESS
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="incognote engine", daemon=True)

    def start(self) -> None:
        """Load the model and begin; `ready` says when."""
        self._thread.start()

    @property
    def ready(self) -> bool:
        """Whether the service's own detector is loaded, and nothing is being ended."""
        return self._ready.is_set() and not self._closing

    @property
    def failure(self) -> BaseException | None:
        """Why the detector could not be loaded."""
        return self._failure

    def close(self, seconds: float) -> None:
        """End: what waits is done if it can be in that time."""
        with self._there:
            self._closing = True
            self._there.notify()
        self._thread.join(seconds)
        with self._there:
            while self._waiting:
                self._waiting.popleft().future.cancel()

    def deidentifier(self, choice: Choice) -> Deidentifier:
        """The operators of a choice, made once; a choice that cannot be is the client's mistake.

        What is made for the first time may take seconds: not for the thread of an event loop.
        """
        with self._making:
            known = self._deidentifiers.get(choice)
            if known is not None:
                self._deidentifiers.move_to_end(choice)
                return known
            try:
                settings = choice.of(self._settings)
                detector = self._detector((settings.find_by, settings.speed))
                operators = Operators(choice.operator) if choice.operator else settings.operators()
                made = Deidentifier(operators, detector=detector, types=settings.types)
            except UserError as error:
                raise ProblemError(422, unquoted(str(error), choice.replace)) from None
            self._deidentifiers[choice] = made
            if len(self._deidentifiers) > SETTINGS_AT_HAND:
                self._deidentifiers.popitem(last=False)
            return made

    def has(self, choice: Choice) -> bool:
        """Whether the operators of a choice are there already."""
        return choice in self._deidentifiers

    def submit(
        self,
        choice: Choice,
        documents: Sequence[Document],
        *,
        explain: bool = False,
        patient: bool = False,
    ) -> list[Future[Any]]:
        """A future `Result` for each note, or an `Explanation`; refused where too much waits.

        Who is `patient` comes only where little waits, and has no time limit.
        """
        deidentifier = self.deidentifier(choice)
        settings = choice.of(self._settings)
        key = (settings.find_by, settings.speed)
        tasks = []
        for document in documents:
            if explain:
                call = partial(_called, partial(deidentifier.explain, document))
                tasks.append(self._task(None, document, call))
            else:
                tasks.append(self._task(key, document, partial(deidentifier.replaced, document)))
        if patient:
            for task in tasks:
                task.deadline = math.inf
        self._enqueue(tasks, self._queue // 4 if patient else self._queue)
        return [task.future for task in tasks]

    def call(self, function: Callable[[], Any]) -> Future[Any]:
        """Do something else in the thread, in its turn."""
        task = self._task(None, Document("", ""), partial(_called, function))
        self._enqueue([task], self._queue)
        return task.future

    def _task(
        self,
        detector: tuple[Find, Speed] | None,
        document: Document,
        finish: Callable[[Detection], Any],
    ) -> _Task:
        return _Task(detector, document, finish, Future(), time.monotonic() + self._time_limit)

    def _enqueue(self, tasks: Sequence[_Task], most: int) -> None:
        with self._there:
            if self._closing:
                raise BusyError(503, "the service is being stopped: try again", 5)
            waiting = len(self._waiting)
            if waiting and waiting + len(tasks) > most:
                raise BusyError(429, "too many notes wait: try again later", self._wait())
            self._waiting.extend(tasks)
            self._tell_waiting()
            self._there.notify()

    def _wait(self) -> float:
        """Seconds until half of what waits is done."""
        characters = sum(len(task.document.text) for task in self._waiting)
        return min(self._time_limit, characters * self._seconds_per_character / 2)

    def _tell_waiting(self) -> None:
        if self._figures is not None:
            self._figures.waiting(len(self._waiting))

    def _detector(self, key: tuple[Find, Speed]) -> Detector:
        """Loaded when it is first asked for."""
        if key not in self._detectors:
            settings = replace(self._settings, find_by=key[0], speed=key[1])
            self._detectors[key] = settings.choice.detector(
                threads=self._threads,
                thresholds=settings.thresholds(),
                site=settings.load_site(),
            )
        return self._detectors[key]

    def _run(self) -> None:
        try:
            self.deidentifier(Choice())
            # The first note loads word lists and networks: nobody should wait for it.
            self.deidentifier(Choice())("Seen by Dr. Okafor on 3/14/2019.")
        except BaseException as error:
            self._failure = error
            log("serve", "not ready", error=kind_of_error(error))
            return
        self._ready.set()
        while tasks := self._take():
            try:
                self._work(tasks)
            except BaseException as error:  # whatever happens, the thread goes on
                for task in tasks:
                    if not task.future.done():
                        task.future.set_exception(error)
                log("serve", "batch failed", error=kind_of_error(error))

    def _take(self) -> list[_Task]:
        """What comes next with what can be read with it; nothing when all is done and it ends."""
        with self._there:
            while True:
                self._there.wait_for(lambda: self._waiting or self._closing)
                if not self._waiting:
                    return []
                if tasks := list(self._next()):
                    return tasks

    def _next(self) -> Iterator[_Task]:
        """The first that still counts, and those behind it that can go along."""
        notes, characters, detector = 0, 0, None
        passed: list[_Task] = []
        now = time.monotonic()
        while self._waiting:
            task = self._waiting.popleft()
            size = len(task.document.text)
            full = characters + size > CHARACTERS_TOGETHER
            if notes and (task.detector != detector or detector is None or full):
                passed.append(task)
                if full or len(passed) >= TOGETHER:
                    break
                continue
            if not task.future.set_running_or_notify_cancel():
                continue
            if now > task.deadline:
                late = "no answer within the time limit: try again later, or send less"
                task.future.set_exception(BusyError(503, late, self._wait()))
                continue
            detector, notes, characters = task.detector, notes + 1, characters + size
            yield task
            if notes >= TOGETHER or detector is None:
                break
        self._waiting.extendleft(reversed(passed))
        self._tell_waiting()

    def _work(self, tasks: Sequence[_Task]) -> None:
        began = time.perf_counter()
        if tasks[0].detector is None:
            for task in tasks:
                _answer(task, _NOTHING)
        else:
            self._find(self._detectors[tasks[0].detector], tasks)
        seconds = time.perf_counter() - began
        characters = sum(len(task.document.text) for task in tasks)
        if characters:
            rate = seconds / characters
            self._seconds_per_character += 0.1 * (rate - self._seconds_per_character)
        if self._figures is not None:
            self._figures.batch(len(tasks), characters, seconds)

    def _find(self, detector: Detector, tasks: Sequence[_Task]) -> None:
        """Each is answered as soon as it is found; one that fails takes no other with it."""
        place = 0
        while place < len(tasks):
            found = iter(detect_many(detector, [task.document for task in tasks[place:]]))
            try:
                for detection in found:
                    task = tasks[place]
                    place += 1
                    _answer(task, detection)
                assert place == len(tasks)
            except Exception as error:
                tasks[place].future.set_exception(error)
                place += 1


_NOTHING = Detection((), 0)
_WORDS = frozenset({*OPERATORS, *CATEGORIES, *TYPES, "DEFAULT"})


def unquoted(sentence: str, words: str | None) -> str:
    """An error without the words of a request that are no operators and types: they may be anything."""
    for word in sorted(re.split("[,=]", words or ""), key=len, reverse=True):
        if word.strip() and word.strip() not in _WORDS:
            sentence = sentence.replace(word, "…").replace(word.strip(), "…")
    return sentence


def _called(function: Callable[[], Any], _: Detection) -> Any:
    return function()


def _answer(task: _Task, detection: Detection) -> None:
    try:
        answer = task.finish(detection)
    except Exception as error:
        task.future.set_exception(error)
    else:
        task.future.set_result(answer)
