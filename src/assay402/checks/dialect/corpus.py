"""The published corpus of the dialect check: its pin, and whether the engine gives the expected outputs."""

from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

from msgspec import Struct

from assay402.checks.dialect.contract import admit, check, publish
from assay402.checks.dialect.criteria import CORPUS_SHA256
from assay402.core.asks import clock_only, drive
from assay402.core.canon import canonical, sha256_hex
from assay402.core.check import Refusal
from assay402.core.strictjson import read

_AT = datetime(2026, 1, 1, tzinfo=UTC)
"""Any moment: expected outputs hold no time."""


class CorpusVerdict(Struct, frozen=True, kw_only=True):
    """How the shipped corpus stands to its published pin and to the engine."""

    corpus_id: str
    sha256: str
    """The pin, computed from the file."""
    pin_holds: bool
    """The computed pin is the one in the file and the one in the criteria."""
    cases: int
    differing: tuple[str, ...]
    """Ids of the cases in which the engine answers otherwise."""

    @property
    def holds(self) -> bool:
        """Whether everything agrees."""
        return self.pin_holds and not self.differing


def read_corpus() -> Mapping[str, Any]:
    """Read the shipped corpus."""
    corpus: Any = read(files(__package__).joinpath("corpus.json").read_bytes())
    return corpus  # type: ignore[no-any-return]


def verify_corpus(corpus: Mapping[str, Any]) -> CorpusVerdict:
    """Compute the pin and run every case through the engine."""
    unpinned = {name: value for name, value in corpus.items() if name != "sha256"}
    sha256 = sha256_hex(canonical(unpinned))
    return CorpusVerdict(
        corpus_id=corpus["id"],
        sha256=sha256,
        pin_holds=sha256 == corpus["sha256"] == CORPUS_SHA256,
        cases=len(corpus["cases"]),
        differing=tuple(
            case["id"] for case in corpus["cases"] if _output(case["artefact"]) != case["expected"]
        ),
    )


def _output(artefact: Mapping[str, Any]) -> dict[str, Any] | None:
    """Give what the engine says of an artefact in the corpus's shape, or None for a refusal."""
    given = admit({"mode": "submitted", "artefact": artefact})
    report = given if isinstance(given, Refusal) else drive(check(given), clock_only(lambda: _AT))
    if isinstance(report, Refusal):
        return None
    published = publish(report)
    return {
        "dialect": published["dialect"],
        "axes": published["axes"],
        "mismatches": [
            f"{mismatch['code']}:{mismatch.get('leg') or mismatch['name']}"
            for mismatch in published["mismatches"]
        ],
    }
