"""Exact arithmetic on JSON numbers, within a published number of digits.

Any sum, difference or product of two numbers within the limits of a document fits; what does not fit is refused,
never rounded.
"""

from collections.abc import Callable, Iterable
from decimal import Context, Decimal, Inexact, Overflow, Underflow
from typing import Final, TypeAlias

Exact: TypeAlias = int | Decimal

MAX_DIGITS: Final = 10_240
"""Digits of a result: the span from 10^4096 down to the last digit of 10^-4096, and room for a product."""
_MAX_EXPONENT: Final = 999_999


class TooManyDigits(Exception):
    """A result that does not fit."""


class Arithmetic:
    """Adds and multiplies exactly, or raises `TooManyDigits`."""

    def __init__(self) -> None:
        self._context = Context(
            prec=MAX_DIGITS, Emax=_MAX_EXPONENT, Emin=-_MAX_EXPONENT, traps=[Inexact, Overflow, Underflow]
        )

    def add(self, numbers: Iterable[Exact]) -> Exact:
        """Add numbers; none make 0."""
        total: Exact = 0
        for number in numbers:
            total = self._add(total, number)
        return total

    def multiply(self, numbers: Iterable[Exact]) -> Exact:
        """Multiply numbers; none make 1."""
        product: Exact = 1
        for number in numbers:
            product = self._exactly(self._context.multiply, product, number)
        return product

    def is_close(
        self, value: Exact, target: Exact, tolerance: Exact | None, relative: Exact | None = None
    ) -> bool:
        """Tell whether a value lies within a tolerance of a target, absolute or relative to the target's size."""
        distance = abs_of(self._exactly(self._context.subtract, value, target))
        if tolerance is not None and distance <= tolerance:
            return True
        return relative is not None and distance <= self.multiply((relative, abs_of(target)))

    def _add(self, one: Exact, other: Exact) -> Exact:
        return self._exactly(self._context.add, one, other)

    def _exactly(self, operation: Callable[[Decimal, Decimal], Decimal], one: Exact, other: Exact) -> Exact:
        try:
            return operation(Decimal(one), Decimal(other))
        except (Inexact, Overflow, Underflow):
            raise TooManyDigits from None


def abs_of(number: Exact) -> Exact:
    """Give the size of a number; Python's own `abs` would round a `Decimal` to the thread's precision."""
    return number.copy_abs() if isinstance(number, Decimal) else abs(number)
