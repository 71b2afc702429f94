"""What a record tells of actions: which, and how far they went."""

import re
from functools import cache, lru_cache
from typing import Final

from msgspec import Struct

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Mention, Stage
from assay402.checks.claims.reading.actions import cue, groups_in, mentions
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.asked import HTTP, METHODS
from assay402.checks.claims.rules.keyed import done_by_fields, of_deed

_READING_VERB: Final = re.compile(
    r"(?:^|[\s_.])(?:get|search|list|find|read|lookup|look|fetch|query|calculate|think|describe|show|view|retrieve|check|count|select)",
    re.IGNORECASE,
)
_STATUS: Final = frozenset(
    {
        "status",
        "state",
        "result",
        "outcome",
        "conclusion",
        "access",
        "decision",
        "phase",
        "health",
        "review",
        "dsn",
    }
)
_TRUTH: Final = frozenset(
    {
        "ok",
        "success",
        "successful",
        "passed",
        "completed",
        "done",
        "delivered",
        "sent",
        "approved",
        "merged",
        "deployed",
        "published",
        "refunded",
        "shipped",
        "paid",
        "applied",
    }
)
_ERROR: Final = frozenset({"error", "errors", "exception", "failure", "error_message"})
_CODE: Final = frozenset({"code", "http_status", "status_code", "statuscode"})
"""Fields of HTTP status codes; those of exit codes are results."""
_NAMING: Final = frozenset(
    {
        "object",
        "type",
        "action",
        "event",
        "operation",
        "kind",
        "step",
        "task",
        "command",
        "job",
        "message",
        "msg",
        "cmd",
        "op",
        "method",
        "name",
        "title",
        "description",
    }
)
_MAIL: Final = Pattern(r"\bdsn=[0-9]|\brelay=\S|\bto=<[^>\s]{1,200}>")
_EXIT: Final = Pattern(
    r"\bexit(?:ed)?(?: with)?(?: code| status)?[ =:]*([0-9]{1,3})\b|\bexit_code[=:]\s?([0-9]{1,3})",
    re.IGNORECASE,
)
_SQL_TAG: Final = Pattern(r"^\s*(DELETE|UPDATE|INSERT 0|COPY|SELECT)\s([0-9]+)\s*$")
_TERSE: Final = 90
_BARE: Final = 60
"""Longer sentences that name no action deny something of their own."""
_RUN_ALONE: Final = re.compile(
    r"[\W\d]{0,40}(?:update|upgrade|deploy|deployment|release|migration|job|run|build|import|export|backup|restart|task|step|change|patch)\s#?[\w-]{0,30}[0-9]\s?[-:]?\s?(?:has\s|was\s)?(?:failed|aborted|errored)\W*$",
    re.IGNORECASE,
)
"""A line that only says that one named run failed: whatever was to be done in it was not."""
_BOX: Final = Pattern(r"\[[xX ]\]|✅|✓|✔")
_QUESTION: Final = Pattern(r"\?\s*[\"']?\s*$")


class Deed(Struct, frozen=True):
    """An action a record tells of, and how far it went."""

    record: Record
    group: str
    stage: Stage


def deeds_of(record: Record) -> list[Deed]:
    """Give the actions a record tells of."""
    end = record.text[-8:]
    if "?" in end and record.form != "json" and _QUESTION.search(end):
        return []
    if record.is_prose and len(record.text) > _TERSE:
        # In a longer sentence a word of failure may belong to anything; only what stands at the verb counts.
        return [Deed(record, each.group, _told(each, None)) for each in mentions(record.text[:600])]
    stage = stage_of(record)
    made = _from_keys(record, stage) if record.form == "json" else _from_words(record, stage)
    named = {deed.group for deed in made}
    if any(deed.group == "rollback" and deed.stage == "REVERSED" for deed in made):
        made.append(Deed(record, "*", "REVERSED"))
    if stage is None:
        return made
    made += [Deed(record, group, stage) for group in sorted(_groups(record) - named)]
    if stage == "FAILED" and _RUN_ALONE.match(record.text):
        made.append(Deed(record, "*", stage))
    boxed = _BOX.search(record.text[:40]) is not None
    bare = record.is_prose and len(record.text) > _BARE
    if record.form != "json" and (boxed or (not made and not bare and stage in ("NONEXECUTION", "REVERSED"))):
        made.append(Deed(record, "*", stage))
    return made


def _from_keys(record: Record, stage: Stage | None) -> list[Deed]:
    return [Deed(record, group, "COMPLETED") for group in done_by_fields(record, has_stage=stage is not None)]


def _from_words(record: Record, stage: Stage | None) -> list[Deed]:
    text = record.text[:600]
    found = () if _is_answer(record) else mentions(text)
    return [
        Deed(
            record,
            each.group,
            "NONEXECUTION" if _UNTRUE.match(text, each.end) is not None else _told(each, stage),
        )
        for each in found
    ]


_UNTRUE: Final = Pattern(
    r"\"?\s?(?:=\s?\"?(?:false|no|0)(?=$|[\s,;|)\"\]}])|:\s?\"?(?:false|no|0)\"?(?=\s*(?:$|[,;|)\]}])))",
    re.IGNORECASE,
)
"""What follows the name of a field whose answer is no."""


def _told(mention: Mention, stage: Stage | None) -> Stage:
    """Give the stage of a mention, as the rest of its line corrects it."""
    told = mention.stage
    if mention.negated and told == "COMPLETED":
        return "NONEXECUTION"
    if stage == "NONEXECUTION" and told == "INTENT":
        return stage  # a dry run tells what it would do
    undone = stage in ("FAILED", "REVERSED", "NONEXECUTION", "QUEUED") and told in ("COMPLETED", "ATTEMPTED")
    return stage if stage is not None and (undone or (told == "ATTEMPTED" and stage == "COMPLETED")) else told


_REFUSAL: Final = re.compile(
    r"^\W{0,6}(?:remote |[A-Z]\w{0,40}(?=Error|Exception))?(?:access |permission |request )?(?:denied|refused|rejected|declined|forbidden|unauthorized|failed|failure|error|exception|timed out|aborted)\b.{0,60}$",
    re.IGNORECASE,
)


def is_mail_line(text: str) -> bool:
    """Tell whether a mail server wrote a line."""
    return _MAIL.search(text[:600]) is not None


def exit_code(text: str) -> str:
    """Give the exit code a line tells; empty where it tells none."""
    match = _EXIT.search(text[:600])
    return (match[1] or match[2]) if match is not None else ""


def is_refusal(text: str) -> bool:
    """Tell whether a short line begins with a word of refusal and tells of no action of its own."""
    return _REFUSAL.match(text.strip()) is not None and not re.search(r"[=:]\s?0\b|\b0\s", text)


def is_sql_answer(text: str) -> bool:
    """Tell whether a line is the answer of a database to a statement: its name and a number of rows."""
    return _SQL_TAG.match(text) is not None


def _is_answer(record: Record) -> bool:
    return record.parent is not None and record.parent.label.endswith(" call")


def _groups(record: Record) -> frozenset[str]:
    if record.form != "json":
        if _MAIL.search(record.text[:600]):
            return groups_in(record.text[:600]) | {"send"}
        http = HTTP.search(record.text[:600])
        if http is not None and http[1] in METHODS:
            return groups_in(record.text[:600]) | METHODS[http[1]]
        return groups_in(
            f"{record.label if len(record.text) < 80 else ''} {record.text[:600]}"
        )  # short lines belong to their heading
    if "history" in record.label:
        return frozenset({"refund"}) if record.is_repayment else groups_in(record.label)
    if record.parent is not None and record.parent.label.endswith(" call"):
        return _tool_groups(record.parent.label)
    if record.label.endswith(" call"):
        return _tool_groups(record.label)
    if _READING_VERB.search(record.label):
        # What is read tells of an action only by the status it shows.
        return groups_in(" ".join(each.value for each in record.fields if each.name.lower() in _STATUS)[:200])
    told = [
        each.value for each in record.fields if each.name.lower() in _NAMING or each.name.lower() in _STATUS
    ]
    told += [each.name for each in record.fields if each.name.lower().endswith(("ed", "ed_at"))]
    found = groups_in(" ".join((record.label, *told, *sorted(record.id_kinds)))[:600])
    return found or of_deed(record, has_status=_has_status(record))


def _tool_groups(label: str) -> frozenset[str]:
    return frozenset() if _READING_VERB.match(label) else groups_in(label)


def stage_of(record: Record) -> Stage | None:
    """Give how far what a record tells of went, as far as it says."""
    if "stage" not in record.memo:
        record.memo["stage"] = _stage_of(record)
    found: Stage | None = record.memo["stage"]
    return found


def _stage_of(record: Record) -> Stage | None:
    told = _field_stage(record)
    if told is not None:
        return told
    if record.form == "json" and "history" in record.label:
        return "COMPLETED"
    called = record.parent is not None and record.parent.label.endswith(" call")
    if record.label.endswith(" call"):
        return "ATTEMPTED"
    if called:
        text = record.text if record.form != "json" else " ".join(each.value for each in record.fields[:3])
        head = re.sub(r"^.{0,80}?(?:->|:)\s*", "", text[:200])
        return (
            "FAILED"
            if re.match(
                r"\s*[\"']?(?:error|failed|failure|exception|traceback|denied|invalid)\b", head, re.IGNORECASE
            )
            else "COMPLETED"
        )
    return _text_stage(record)


_PAST: Final = Pattern(
    r"\b(?:was|were|has been|have been)\s(?!(?:to|queued|scheduled|planned|pending)\b)[a-z]+|\bnotified\b|\binformed\b|\btold\b",
    re.IGNORECASE,
)
_AFTERWARDS: Final = Pattern(r"\b(?:and|but|which|who|then|that)\s(?:\w+\s){0,4}?will\b[^.;]*", re.IGNORECASE)
"""What is to come after something was done, or was told of, takes nothing from its being done."""


def _text_stage(record: Record) -> Stage | None:
    text = record.text[:600]
    if record.form == "json":
        return None
    http = HTTP.search(text)
    if http is not None:
        code = http[3] or http[4]
        return (
            "QUEUED"
            if code == "202"
            else "COMPLETED"
            if code[0] == "2"
            else "FAILED"
            if code[0] in "45"
            else None
        )
    left = _EXIT.search(text)
    if left is not None:
        return "COMPLETED" if int(left[1] or left[2]) == 0 else "FAILED"
    answered = _SQL_TAG.match(text)
    if answered is not None:
        return "NONEXECUTION" if answered[2] == "0" and answered[1] != "SELECT" else "COMPLETED"
    told = cue(text)
    if told == "QUEUED" and _PAST.search(text):
        told = cue(_AFTERWARDS.sub("", text))
    if told is None and record.level_is_error:
        return "FAILED"
    return told


_RESULT: Final = re.compile(r"(?:^|[._])(?:conclusion|exit(?:_?code|_?status)?|rc|returncode)$")


def _result(record: Record) -> Stage | None:
    """Give how something ended by the field of its result, which tells more than that it did."""
    for field in record.fields:
        match = _RESULT.search(field.name.lower())
        value = field.value.strip().lower()
        if match is not None and value.isdigit():
            return "COMPLETED" if int(value) == 0 else "FAILED"
        if match is not None and (told := _stages().get(value)) is not None:
            return told
    return None


def _field_stage(record: Record) -> Stage | None:
    result = _result(record)
    if result is not None:
        return result
    stages = _stages()
    for field in record.fields:
        name, value = field.name.lower(), field.value.strip().lower()
        last = name.rpartition(".")[2]
        if last in _ERROR and value not in ("null", "none", "false", "0", "", "[]"):
            return "FAILED"
        if last in _TRUTH and value in ("false", "no", "0") and not _is_one_of_steps(record, last):
            return "FAILED"
        if last in _CODE and value.isdigit():
            number = int(value)
            if 100 <= number <= 599:  # HTTP status codes
                return "QUEUED" if number == 202 else "COMPLETED" if number < 400 else "FAILED"
        if _is_status(last) and not (_OF_OTHER_TIME.match(last) and _has_status(record)):
            told = stages.get(value) or stages.get(value.split(" ")[0].split("(")[0]) or cue(value)
            if told is not None:
                return told
    heading = record.searched[:120]
    if "schedul" in heading.lower() and "schedul" in stems(heading.replace(".", " ")):
        return "QUEUED"
    return (
        "COMPLETED"
        if any(
            each.name.lower() in _TRUTH and each.value.lower() in ("true", "yes", "1")
            for each in record.fields
        )
        else None
    )


@lru_cache(maxsize=4_096)
def _is_status(name: str) -> bool:
    """Tell whether a field of this name, in lower case, says how far something went."""
    parts = {stem(part) for part in re.split(r"[\s_]", name)}
    return name in _STATUS or bool(parts & {"status", "stat", "review"})


_OF_OTHER_TIME: Final = re.compile(
    r"(?:last|previous|prev|prior|old|former|original|initial|expected|desired|planned|target|requested)[\s_]"
)


def _has_status(record: Record) -> bool:
    """Tell whether a record has a status beside those that are named for another time."""
    return any(field.name.lower().rpartition(".")[2] in _STATUS for field in record.fields)


def _is_one_of_steps(record: Record, name: str) -> bool:
    """Tell whether a field of a line denies one action beside others that it affirms: `created=true sent=false`."""
    return (
        record.form == "line"
        and bool(groups_in(name))
        and any(field.value.lower() in ("true", "yes") and groups_in(field.name) for field in record.fields)
    )


@cache
def _stages() -> dict[str, Stage]:
    return {word: stage for stage, words in reversed(table("stages").items()) for word in words}
