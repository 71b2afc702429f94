"""What the keywords of one schema take of one value, by that value's own size."""

from typing import Final

from assay402.checks.deliverable.nodes import Nodes
from assay402.checks.deliverable.schema.weights import Weights, bundled_steps, number_steps, shortened

_MACHINE_DIGITS: Final = 19


def steps_at(weights: Weights, nodes: Nodes, number: int) -> int:
    """Count what a schema takes of one value, by that value's own size."""
    found = nodes.found[number]
    total = weights.each
    if isinstance(found, str):
        text = nodes.text[number]
        total += weights.byte * text + sum(price.byte * min(text, price.reach or 0) for price in weights.near)
    elif isinstance(found, dict):
        total += weights.member * len(found) + weights.name_byte * nodes.text[number]
    elif isinstance(found, list):
        total += weights.element * len(found)
    if weights.has_numbers and (nodes.spans[number] or weights.number_size):
        span = max(nodes.spans[number], _MACHINE_DIGITS)
        total += number_steps(weights, span, nodes.digits[number], is_decimal=nodes.decimals[number])
    return total


def steps_of_names(weights: Weights, nodes: Nodes, number: int) -> int:
    """Count what a schema takes of the names of an object."""
    count, text = len(nodes.members(number)), nodes.text[number]
    near = sum(price.byte * min(text, count * (price.reach or 0)) for price in weights.near)
    return weights.each * count + weights.byte * text + near


def bundled_at(weights: Weights, nodes: Nodes, number: int) -> int:
    """Count what a meta-schema takes of a value and all within it."""
    return bundled_steps(
        nodes.values[number],
        nodes.sizes[number],
        nodes.long_numbers[number],
        shortened(weights, nodes.spans[number], nodes.digits[number]),
        nodes.digits[number],
    )
