"""Requests of the claims check, made short for tests."""

from typing import Any


def item(text: str, name: str = "e1", kind: str = "log", **more: Any) -> dict[str, Any]:
    """Make an evidence item."""
    return {"id": name, "kind": kind, "source_label": more.pop("label", name), "text": text, **more}


def request(candidate: str, *evidence: str | dict[str, Any], expected: str | None = None) -> dict[str, Any]:
    """Make a request; an evidence text alone becomes a log."""
    items = [
        item(each, f"e{number}") if isinstance(each, str) else each for number, each in enumerate(evidence, 1)
    ]
    made: dict[str, Any] = {
        "schema": "FAHCE_MACHINE_REQUEST_V1",
        "candidate_output": candidate,
        "evidence": items,
    }
    return made if expected is None else {**made, "expected_output": expected}
