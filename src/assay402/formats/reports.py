"""Findings in the forms that other tools read: SARIF for code scanning, JUnit for test reports, GitHub annotations."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

Level: TypeAlias = Literal["none", "note", "warning", "error"]

SARIF_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_COMMANDS: Final = {"none": None, "note": "notice", "warning": "warning", "error": "error"}


class Item(Struct, frozen=True, kw_only=True):
    """One finding: the rule it comes from, how grave it is, and what to do."""

    rule: str
    level: Level
    message: str
    fix: str | None = None


class Report(Struct, frozen=True, kw_only=True):
    """Findings about one subject."""

    tool: str
    version: str
    subject: str
    """The address that was checked."""
    items: Sequence[Item]
    conclusion: Item


def sarif(report: Report) -> dict[str, Any]:
    """Give the findings as a SARIF 2.1.0 log; what passed is a result of kind `pass`."""
    rules = [{"id": item.rule} for item in report.items]
    driver = {"name": report.tool, "version": report.version, "rules": rules}
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "results": [_result(item, report.subject) for item in report.items],
                "properties": {"verdict": report.conclusion.rule, "message": report.conclusion.message},
            }
        ],
    }


def _result(item: Item, subject: str) -> dict[str, Any]:
    return {
        "ruleId": item.rule,
        "kind": "pass" if item.level == "none" else "fail",
        "level": item.level,
        "message": {"text": _whole(item)},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": subject}}}],
    }


def junit(report: Report) -> str:
    """Give the findings as a JUnit test suite: an error fails, a warning is skipped, so that it shows but is green."""
    failures = sum(item.level == "error" for item in report.items)
    skipped = sum(item.level == "warning" for item in report.items)
    counts = f'failures="{failures}" errors="0" skipped="{skipped}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="{_xml(report.tool)}" tests="{len(report.items)}" {counts}>',
    ]
    for item in report.items:
        opening = f'  <testcase classname="{_xml(report.subject)}" name="{_xml(item.rule)}"'
        if item.level == "error":
            inside = f'<failure message="{_xml(item.message)}">{_xml(item.fix or "")}</failure>'
        elif item.level == "warning":
            inside = f'<skipped message="{_xml(_whole(item))}"/>'
        else:
            inside = f"<system-out>{_xml(item.message)}</system-out>"
        lines.append(f"{opening}>{inside}</testcase>")
    lines += [f"  <system-out>{_xml(report.conclusion.message)}</system-out>", "</testsuite>"]
    return "\n".join(lines) + "\n"


def github(report: Report) -> Iterable[str]:
    """Give the findings as workflow commands, which become annotations; what passed says nothing."""
    for item in (*report.items, report.conclusion):
        command = _COMMANDS[item.level]
        if command is not None:
            yield f"::{command} title={_property(item.rule)}::{_data(_whole(item))}"


def _whole(item: Item) -> str:
    return item.message if item.fix is None else f"{item.message} Fix: {item.fix}"


def _xml(text: str) -> str:
    return escape(_NOT_XML.sub("", text))


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
