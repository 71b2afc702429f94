"""The claims check on the command line: its form, and its words for people."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import click

from assay402.checks.claims.contract import REQUEST_SCHEMA
from assay402.checks.claims.model import Outcome, Verdict
from assay402.checks.claims.reading.actions import consequential
from assay402.cli.claims_page import MARKS, evidence_line, page, stretches, visible
from assay402.cli.claims_receipt import receipt_command
from assay402.cli.form import Form, read_source, request_from
from assay402.cli.output import print_lines
from assay402.cli.usage import Usage
from assay402.core.asks import Answerer
from assay402.core.check import Operation, Refusal
from assay402.core.strictjson import JSON

_DETAILS: Final = """\b
Give a request file (`-` for stdin), or the text and the evidence as files:
  assay claims {name} --text answer.md --evidence ci.log
A file named .log or .txt is a log, .json a paste, any other a document;
`KIND:FILE` says it otherwise, with KIND log, paste, document or description
(a description is a self-report: it cannot show that something was done).

\b
✓ SUPPORTED     the evidence states it       ✗ CONTRADICTED  it denies it
! UNSUPPORTED   it speaks of it, not so      ? UNVERIFIED    it is silent"""
_EPILOG: Final = """\b
Exit codes: 0 CLEAR_WITH_CEILING (verify: verified), 1 REPAIR_REQUIRED,
2 usage or refusal, 3 our own fault, 4 HOLD, 5 BLOCK, 6 QUARANTINE.
With --jsonl 0 once every line is answered, whatever the states: each line
tells its own; 3 where a line met a fault of ours."""
_COLOURS: Final = {"SUPPORTED": "green", "CONTRADICTED": "red", "UNSUPPORTED": "yellow", "UNVERIFIED": "blue"}
_STATE_COLOURS: Final = {"CLEAR_WITH_CEILING": "green", "REPAIR_REQUIRED": "yellow", "HOLD": "blue"}
_LONGEST_NAME: Final = 200
"""Characters of a file's name that an error repeats."""
_KINDS: Final = ("log", "paste", "document", "description")
_BY_ENDING: Final = {".log": "log", ".txt": "log", ".out": "log", ".json": "paste", ".jsonl": "log"}


def _none_if_empty(
    _context: click.Context, _parameter: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...] | None:
    return value or None


def _parameters() -> list[click.Parameter]:
    return [
        click.Argument(["source"], type=click.File("rb"), required=False, metavar="[REQUEST.json|-]"),
        click.Option(["--text"], type=click.File("rb"), help="The text to check."),
        click.Option(
            ["--evidence"],
            metavar="[KIND:]FILE",
            multiple=True,
            callback=_none_if_empty,
            help="An evidence item; up to twelve.",
        ),
        click.Option(["--expected"], type=click.File("rb"), help="What the text was asked to look like."),
        click.Option(
            ["--judge"],
            metavar="URL|FOLDER",
            help="Ask this judge about what the rules leave open: a chat endpoint, or a folder with an ONNX model.",
        ),
        click.Option(
            ["--judge-model"],
            metavar="NAME",
            help="The model the endpoint is asked for; its key is read from ASSAY_JUDGE_KEY.",
        ),
        click.Option(["--html"], metavar="FILE", help="Write the diagnosis as one HTML page."),
    ]


def _compose(operation: Operation[Any, Any], values: Mapping[str, Any]) -> JSON | Refusal:
    """Make a request from a request file, or from a text and its evidence."""
    source, text = values["source"], values["text"]
    if (source is None) == (text is None):
        raise Usage("Give either a REQUEST.json (`-` for stdin) or --text FILE with --evidence FILE.")
    if source is not None:
        if values["evidence"] or values["expected"]:
            raise Usage("--evidence and --expected go with --text; a request file holds its own.")
        return request_from(source, operation)
    request: dict[str, JSON] = {
        "schema": REQUEST_SCHEMA,
        "candidate_output": _text(text, operation, "--text"),
    }
    if values["expected"] is not None:
        request["expected_output"] = _text(values["expected"], operation, "--expected")
    request["evidence"] = [
        _item(number, each, operation) for number, each in enumerate(values["evidence"] or (), 1)
    ]
    return request


def _text(stream: Any, operation: Operation[Any, Any], option: str) -> str:  # noqa: ANN401  (a binary stream of click's)
    source = read_source(stream, operation.request_bytes)
    named = f"{option} {visible(str(stream.name))[:_LONGEST_NAME]}"
    if isinstance(source, Refusal):
        raise Usage(f"{named} is longer than a request may be ({operation.request_bytes} bytes).")
    try:
        return source.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise Usage(
            f"{named} is not UTF-8 text: convert it first, so that what is checked is what it says."
        ) from None


def _item(number: int, given: str, operation: Operation[Any, Any]) -> JSON:
    kind, _, name = given.partition(":")
    if kind not in _KINDS or not name:
        kind, name = "", given
    path = Path(name)
    if not kind and ":" in given and not path.exists():
        raise Usage(f"Item {number} of --evidence is no file, and KIND is one of {', '.join(_KINDS)}.")
    try:
        with path.open("rb") as stream:
            text = _text(stream, operation, "--evidence")
    except OSError as error:
        raise Usage(f"The file of --evidence {number} could not be read: {error.strerror}.") from None
    return {
        "id": f"e{number}",
        "kind": kind or _BY_ENDING.get(path.suffix.lower(), "document"),
        "source_label": path.name[:160],
        "text": text,
    }


def _judge(values: Mapping[str, Any]) -> Answerer | None:
    """Open the judge that the parameters name. The rules bound what it can change."""
    named = values["judge"]
    if named is None:
        return None
    if not named.startswith(("http://", "https://")):
        from assay402.net.judge_local import open_model  # noqa: PLC0415  (the network layer loads only where it is wanted)

        return open_model(Path(named))
    if not values["judge_model"]:
        raise Usage("--judge URL needs --judge-model NAME.")
    from assay402.net.judge_endpoint import EndpointJudge  # noqa: PLC0415  (the same)

    return EndpointJudge(named, values["judge_model"], key=os.environ.get("ASSAY_JUDGE_KEY"))


def _finish(outcome: Outcome, values: Mapping[str, Any]) -> None:
    if values["html"] is None:
        return
    try:
        Path(values["html"]).write_text(page(outcome), encoding="utf-8")
    except OSError as error:
        raise Usage(f"The page of --html could not be written: {error.strerror}.") from None


def _present(outcome: Outcome) -> Iterable[str]:
    diagnosis, given = outcome.diagnosis, outcome.given
    yield click.style(diagnosis.state, bold=True, fg=_STATE_COLOURS.get(diagnosis.state, "red"))
    yield f"  {diagnosis.ceiling}"
    if diagnosis.state == "QUARANTINE":
        yield ""
        yield from (f"  {hit.code} in {hit.where} at {hit.start}-{hit.end}" for hit in diagnosis.hits)
    elif diagnosis.verdicts:
        yield ""
        yield from (f"  {line}" for line in _marked(outcome).split("\n"))
        yield ""
        for verdict in diagnosis.verdicts:
            yield from _explained(verdict, outcome)
    yield from (f"  ! {each.requirement}" for each in diagnosis.directives if not each.met)
    yield from _proposal(outcome)
    action = outcome.published["next_safe_action"]
    yield ""
    yield click.style(action["action"], bold=True) + f"  {action['reason']}"
    if given.operation in ("verify", "repair-bundle"):
        yield f"verified: {'yes' if outcome.published['verification']['verified'] else 'no'}"


def _marked(outcome: Outcome) -> str:
    parts = []
    for text, verdict in stretches(outcome):
        if verdict is None:
            parts.append(visible(text))
            continue
        support = verdict.finding.support
        parts.append(
            click.style(f"[{verdict.claim.id}{MARKS[support]} {visible(text)}]", fg=_COLOURS[support])
        )
    return "".join(parts)


def _explained(verdict: Verdict, outcome: Outcome) -> Iterable[str]:
    finding = verdict.finding
    support = click.style(f"{finding.support:<12}", fg=_COLOURS[finding.support])
    yield f"{MARKS[finding.support]} {verdict.claim.id:<4}{support}  {finding.rule}" + (
        f"  {finding.code}" if finding.code else ""
    )
    if finding.note:
        yield f"       {visible(finding.note)}"
    for ref in finding.refs[:4]:
        yield f"       {ref}  {evidence_line(ref, outcome.given)}"
    if finding.missing is not None:
        yield f"       missing: {visible(finding.missing[1])}"


_UNPROPOSED: Final = {
    "HOLD": "evidence comes first",
    "QUARANTINE": "what is isolated is not repaired",
}


def _proposal(outcome: Outcome) -> Iterable[str]:
    repair = outcome.repair
    if repair is None:
        return
    yield ""
    if repair.corrections:
        yield "Changes, each of a faulty claim alone:"
    for edit in repair.corrections:
        yield f"  {edit.claim_id} {edit.op}: {visible(edit.before)!r} -> {visible(edit.after)!r}"
    if repair.proposed is None:
        why = _UNPROPOSED.get(
            outcome.diagnosis.state, "the evidence carries nothing of it that could be left"
        )
        yield f"No text is proposed: {why}."
    else:
        yield "Proposed text:"
        yield from (f"  {visible(line)}" for line in repair.proposed.split("\n"))


def _actions() -> click.Command:
    def show() -> None:
        print_lines(sorted(consequential()))

    return click.Command(
        "actions", help="List the groups of consequential actions: contradicting one blocks.", callback=show
    )


def _form(name: str) -> Form[Outcome]:
    return Form(
        parameters=_parameters,
        compose=_compose,
        present=_present,
        finish=_finish,
        judge=_judge,
        asks_network=False,
        details=_DETAILS.replace("{name}", name),
        epilog=_EPILOG,
    )


FORMS: Final[Mapping[str, Form[Outcome]]] = {
    name: _form(name) for name in ("diagnose", "repair", "verify", "repair-bundle")
}
COMMANDS: Final[Mapping[str, Callable[[], click.Command]]] = {
    "actions": _actions,
    "receipt": receipt_command,
}
