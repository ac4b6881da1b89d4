"""Items made in a thread of their own, some before they are asked for."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from threading import Condition, Thread
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Ahead(Generic[Item]):
    """The same items in the same order, at most `most` of them waiting.

    With `size_of`, these have a size of at most `largest` in all, unless a single one has more.
    What making an item raises is raised in its place. Closed, it makes no further item.
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
        """One by one; whoever stops taking them closes it."""
        try:
            while some := self.there(1):
                yield some[0]
        finally:
            self.close()

    def there(self, most: int) -> list[Item]:
        """The items that are there; waits for one only where there is none. Empty: it was the last."""
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
        """Whoever makes the items stops at the next."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _make(self, items: Iterator[Item]) -> None:
        try:
            for item in items:
                if not self._kept(item):
                    break
        except BaseException as error:
            self._error = error
        finally:
            with self._changed:
                self._over = True
                self._changed.notify_all()

    def _kept(self, item: Item) -> bool:
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
