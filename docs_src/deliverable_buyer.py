"""A buyer of a report: criteria that can be checked, a delivery that is judged, an answer that is not taken on trust."""

import json
from typing import Any

from assay402 import deliverable

CRITERIA = [
    {"id": "json", "check": "is_json", "strict": True},
    {
        "id": "shape",
        "check": "json_schema",
        "schema": {
            "type": "object",
            "required": ["rows", "total"],
            "properties": {
                "rows": {
                    "type": "array",
                    "minItems": 1,
                    "items": {"type": "object", "required": ["item", "cents"]},
                },
                "total": {"type": "integer"},
            },
        },
    },
    {
        "id": "sum",
        "check": "claims_consistent",
        "claims": [{"left": {"path": "total"}, "op": "eq", "right": {"sum": "rows[*].cents"}}],
    },
]


def publish() -> str:
    """Publish the criteria only when each can be checked; their root is what buyer and seller agree on."""
    linted = deliverable.lint(CRITERIA)
    if linted["checkable"] != linted["total"]:
        raise ValueError([each["reason"] for each in linted["criteria"] if not each["checkable"]])
    root: str = linted["criteriaRoot"]
    return root


def accept(report: str, root: str) -> bool:
    """Pay for ACCEPT alone, and only under the criteria that were agreed on."""
    answer = deliverable.check(request(report))
    return (answer["verdict"], answer["criteriaRoot"]) == ("ACCEPT", root)


def believe(report: str, answer: str) -> bool:
    """Judge again what somebody else has judged, and compare every root and result."""
    agrees: bool = deliverable.replay(json.dumps(request(report)), answer)["agrees"]
    return agrees


def request(report: str) -> dict[str, Any]:
    """Make the request that anybody can repeat."""
    return {"deliverable": {"kind": "text", "value": report}, "criteria": CRITERIA}


if __name__ == "__main__":
    delivered = json.dumps({"rows": [{"item": "hosting", "cents": 1250}], "total": 1250})
    judged = deliverable.check(request(delivered))
    print(judged["verdict"], accept(delivered, publish()), believe(delivered, json.dumps(judged)))
