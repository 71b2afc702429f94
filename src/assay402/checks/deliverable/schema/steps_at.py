"""What the keywords of one schema take of one value, by that value's own size."""

from typing import Final

from assay402.checks.deliverable.nodes import Nodes
from assay402.checks.deliverable.schema.weights import (
    BUNDLED_BYTE,
    BUNDLED_SCHEMAS,
    COMPARED_BYTES,
    SHORT_ARRAY,
    UNIQUE_BYTE,
    UNIQUE_ELEMENT,
    Weights,
    comparison,
    number_steps,
)

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
        total += weights.element * len(found) + (unique_steps(nodes, number) if weights.is_unique else 0)
    if weights.bundled:
        total += weights.bundled * (
            BUNDLED_SCHEMAS * nodes.values[number] + BUNDLED_BYTE * nodes.sizes[number]
        )
    if weights.has_numbers and (nodes.spans[number] or weights.number_size):
        span = max(nodes.spans[number], _MACHINE_DIGITS)
        total += number_steps(weights, span, is_decimal=nodes.decimals[number])
    return total


def steps_of_names(weights: Weights, nodes: Nodes, number: int) -> int:
    """Count what a schema takes of the names of an object."""
    count, text = len(nodes.members(number)), nodes.text[number]
    near = sum(price.byte * min(text, count * (price.reach or 0)) for price in weights.near)
    return weights.each * count + weights.byte * text + near


def unique_steps(nodes: Nodes, number: int) -> int:
    """Count what it takes to find the elements of one array different, up to the first that is not; once for each."""
    if number not in nodes.unique_steps:
        nodes.unique_steps[number] = _unique_at(nodes, number)
    return nodes.unique_steps[number]


def _unique_at(nodes: Nodes, number: int) -> int:
    elements = nodes.elements(number)
    groups: dict[tuple[int, int], list[int]] = {}
    seen: set[int] = set()
    for each in elements:
        if nodes.equals[each] in seen:
            break
        seen.add(nodes.equals[each])
        groups.setdefault(nodes.hashes[each], []).append(each)
    if len(elements) <= SHORT_ARRAY:
        groups = {(0, 0): elements}
    price = comparison(2 * nodes.spans[number], is_decimal=nodes.decimals[number])
    total = UNIQUE_ELEMENT * len(elements) + UNIQUE_BYTE * nodes.sizes[number]
    for group in groups.values():
        # Each is compared with each, and no two of them in more than either's size.
        if len(group) > 1:
            bytes_, numbers = (
                sum(nodes.sizes[each] for each in group),
                sum(nodes.long_numbers[each] for each in group),
            )
            total += len(group) * (bytes_ // COMPARED_BYTES + numbers * price // 2)
    return total
