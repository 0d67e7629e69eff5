"""Things that are made once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

T = TypeVar("T")


class Memo:
    """What the users of an object made for it, by key: it lives as long as the object does."""

    def __init__(self) -> None:
        self._made: dict[Hashable, object] = {}

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was made under the key, or what `make` gives."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]  # type: ignore[return-value]

    def latest(self, key: Hashable, make: Callable[[], T], most: int) -> T:
        """The same, keeping no more than `most` things of the key's kind (its first entry)."""
        kind = key[0] if isinstance(key, tuple) else key
        found = self._made.pop(key, None)
        self._made[key] = make() if found is None else found  # the latest at the end
        alike = [k for k in self._made if isinstance(k, tuple) and k[0] == kind]
        for old in alike[: max(len(alike) - most, 0)]:
            self._made.pop(old, None)
        return self._made[key]  # type: ignore[return-value]
