"""An iterable in chunks, by number and by total size, and an iterable read ahead in a thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from threading import Condition, Thread
from typing import Generic, TypeVar

Item = TypeVar("Item")


def chunks(
    items: Iterable[Item],
    most: int,
    *,
    size_of: Callable[[Item], int] = lambda item: 0,
    enough: int | None = None,
    largest: int | None = None,
) -> Iterator[list[Item]]:
    """The items in their order, at most `most` together.

    A chunk ends with the item by which its size in all reaches `enough`, and before one by which it
    would exceed `largest`; so only an item that does so alone is in a larger chunk.
    """
    chunk: list[Item] = []
    total = 0
    for item in items:
        size = size_of(item)
        if chunk and largest is not None and total + size > largest:
            yield chunk
            chunk, total = [], 0
        chunk.append(item)
        total += size
        if len(chunk) >= most or (enough is not None and total >= enough):
            yield chunk
            chunk, total = [], 0
    if chunk:
        yield chunk


class Ahead(Generic[Item]):
    """Items made in a thread of their own, some before they are asked for, at most `most` waiting.

    They come in their order. With `size_of`, those that wait have a size of at most `largest` in
    all, unless a single one has more. What making an item raises is raised in its place. Closed, it
    makes no further item.
    """

    def __init__(
        self,
        items: Iterable[Item],
        most: int,
        *,
        size_of: Callable[[Item], int] = lambda item: 0,
        largest: int = 0,
    ) -> None:
        self._most = most
        self._size_of = size_of
        self._largest = largest
        self._size = 0
        self._waiting: deque[Item] = deque()
        self._changed = Condition()
        self._over = False
        self._closed = False
        self._error: BaseException | None = None
        Thread(target=self._make, args=(iter(items),), daemon=True).start()

    def items(self) -> Generator[Item]:
        """One by one; the thread ends when nobody takes them any more."""
        try:
            while some := self.there(1):
                yield some[0]
        finally:
            self.close()

    def there(self, most: int) -> list[Item]:
        """At most so many of the items that wait, or the next one made. Empty: there are no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._over)
            some = [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]
            self._size -= sum(map(self._size_of, some))
            self._changed.notify_all()
            if not some and self._error is not None:
                raise self._error
            return some

    def any_there(self) -> bool:
        """Whether an item is waiting."""
        with self._changed:
            return bool(self._waiting)

    def close(self) -> None:
        """The thread stops at the item that it is making."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _make(self, items: Iterator[Item]) -> None:
        try:
            for item in items:
                if not self._add(item):
                    break
        except BaseException as error:
            self._error = error
        finally:
            with self._changed:
                self._over = True
                self._changed.notify_all()

    def _add(self, item: Item) -> bool:
        """Wait for room, then put the item there; False once nobody wants more."""
        size = self._size_of(item)
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._has_room(size))
            if not self._closed:
                self._waiting.append(item)
                self._size += size
                self._changed.notify_all()
            return not self._closed

    def _has_room(self, size: int) -> bool:
        if not self._waiting:
            return True
        return len(self._waiting) < self._most and self._size + size <= self._largest
