"""What the check asks: a judge about claims left open, where one is wanted, and the envelope of the run."""

from assay402.checks.claims.model import Diagnosis, Given
from assay402.checks.claims.rules.opinion import open_statements
from assay402.checks.claims.rules.world import World
from assay402.core.asks import Collecting, Failed, envelope, judge
from assay402.core.opinions import Enveloped, Judged


def collect_opinions(given: Given, world: World, diagnosis: Diagnosis) -> Collecting[Judged | None]:
    """Ask the judge about the claims that the rules left open; nothing where no judge is wanted or none is open."""
    statements = open_statements(world, diagnosis) if given.judged else ()
    if not statements:
        return None
    answer = yield from judge(tuple((claim, texts) for _, claim, texts in statements))
    return None if isinstance(answer, Failed) else answer


def collect_envelope(given: Given, determination: str) -> Collecting[Enveloped]:
    """Ask for what belongs to this one run."""
    return (yield from envelope(f"machine:{given.operation}", determination))
