"""Properties computed at the first look and kept: as `functools.cached_property`, without its lock.

Up to Python 3.11 the standard one takes a lock at every first look, of which a large request has a million.
What is kept here is computed from values that do not change, so that two threads can only find the same.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

_T = TypeVar("_T")


class cached_property(Generic[_T]):  # noqa: N801  (it stands where the standard one would)
    """A method without arguments, read as an attribute; called once for each object."""

    def __init__(self, compute: Callable[[Any], _T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, held: None, owner: type[Any]) -> "cached_property[_T]": ...
    @overload
    def __get__(self, held: object, owner: type[Any]) -> _T: ...
    def __get__(self, held: object | None, owner: type[Any]) -> "cached_property[_T] | _T":
        """Compute the value and put it where the next look finds it without coming here."""
        if held is None:
            return self
        found = self._compute(held)
        setattr(
            held, self._name, found
        )  # and not by `__dict__`, which would make a dictionary of each object
        return found
