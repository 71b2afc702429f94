"""What the keywords of one schema take of one value, by that value's own size."""

from decimal import Decimal
from typing import Final

from assay402.checks.deliverable.nodes import Nodes
from assay402.checks.deliverable.schema.weights import Weights, bundled_steps, judged_steps, number_steps

_MACHINE_DIGITS: Final = 19


def steps_at(weights: Weights, nodes: Nodes, number: int, *, is_ours: bool) -> int:
    """Count what a schema takes of one value, by that value's own size; `is_ours` says that numbers are judged here."""
    found = nodes.found[number]
    total = weights.each
    if isinstance(found, str):
        text = nodes.text[number]
        total += weights.byte * text + sum(price.byte * min(text, price.reach or 0) for price in weights.near)
    elif isinstance(found, dict):
        total += weights.member * len(found) + weights.name_byte * nodes.text[number]
    elif isinstance(found, list):
        total += weights.element * len(found)
    if is_ours:
        is_number = isinstance(found, (int, Decimal)) and not isinstance(found, bool)
        size = max(nodes.spans[number], _MACHINE_DIGITS) if is_number else 0
        total += judged_steps(weights, size, nodes.digits[number])
    elif weights.has_numbers and (nodes.spans[number] or weights.number_size):
        span = max(nodes.spans[number], _MACHINE_DIGITS)
        total += number_steps(weights, span, nodes.digits[number], is_decimal=nodes.decimals[number])
    return total


def steps_of_names(weights: Weights, nodes: Nodes, number: int, *, is_ours: bool) -> int:
    """Count what a schema takes of the names of an object."""
    count, text = len(nodes.members(number)), nodes.text[number]
    near = sum(price.byte * min(text, count * (price.reach or 0)) for price in weights.near)
    ours = count * judged_steps(weights, 0, 0) if is_ours else 0
    return weights.each * count + weights.byte * text + near + ours


def bundled_at(nodes: Nodes, number: int, *, is_ours: bool) -> int:
    """Count what a meta-schema takes of a value and all within it."""
    return bundled_steps(
        nodes.values[number],
        nodes.sizes[number],
        nodes.long_numbers[number],
        nodes.digits[number],
        is_ours=is_ours,
    )
