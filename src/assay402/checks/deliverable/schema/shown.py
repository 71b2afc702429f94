"""What the engine is shown of a document: numbers that stand for others, and arrays judged as they were delivered."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from assay402.checks.deliverable.document import Deliverable
from assay402.checks.deliverable.schema.stand_in import NEAR, VALUE, stand_ins
from assay402.checks.deliverable.schema.unique import deciding
from assay402.checks.deliverable.schema.work import Plan
from assay402.core.strictjson import JSON


@contextmanager
def shown(deliverable: Deliverable, value: JSON, plan: Plan) -> Iterator[JSON]:
    """Give what the engine is shown of a part of a document, and let its arrays be judged as they were delivered."""
    if deliverable.measure(value).number_size <= NEAR:
        with deciding(deliverable.are_different):
            yield value
        return
    key = id(value), plan.scale
    known = deliverable.findings.get(key)
    if known is None:
        known = deliverable.findings[key] = stand_ins(*deliverable.nodes(value), plan.scale)
    originals: Mapping[int, list[JSON]] = known.originals
    with deciding(lambda array: deliverable.are_different(originals.get(id(array), array))):
        yield known.value


def showing(deliverable: Deliverable, value: JSON, plan: Plan) -> int:
    """Count the steps of letting numbers stand for others, where that is to be done and has not been."""
    measure = deliverable.measure(value)
    is_known = measure.number_size <= NEAR or (id(value), plan.scale) in deliverable.findings
    return 0 if is_known else VALUE * measure.values
