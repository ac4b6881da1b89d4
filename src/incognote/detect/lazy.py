"""A property that is worked out when first asked for, and then kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Answer = TypeVar("Answer")


class lazy(Generic[Answer]):  # noqa: N801 - read as a decorator
    """`functools.cached_property` without its lock, which costs more than most of these answers.

    Two threads may work out the same answer; neither waits for the other.
    """

    def __init__(self, work: Callable[[Any], Answer]) -> None:
        self._work = work
        self._name = work.__name__
        self.__doc__ = work.__doc__

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> lazy[Answer]: ...

    @overload
    def __get__(self, instance: object, owner: type[Any]) -> Answer: ...

    def __get__(self, instance: object | None, owner: type[Any]) -> lazy[Answer] | Answer:
        if instance is None:
            return self
        answer = instance.__dict__[self._name] = self._work(instance)
        return answer
