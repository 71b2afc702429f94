"""The deliverable check on the command line: its forms, its words for people, and its own commands."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, BinaryIO, Final

import click

from assay402.checks.deliverable import CHECK
from assay402.checks.deliverable.admission import MAX_DELIVERABLE, REQUEST_BYTES, read_body, read_criteria
from assay402.checks.deliverable.contract import lint_reason, publish
from assay402.checks.deliverable.explain import publish_explain
from assay402.checks.deliverable.model import Body, Finding, LintInput, Profile, ReplayReport, Report
from assay402.checks.deliverable.published import contract_document
from assay402.checks.deliverable.registry import registry
from assay402.cli.form import Form, read_source, request_from
from assay402.cli.output import notice_of, pretty, print_bytes
from assay402.cli.usage import SourceFile, Usage
from assay402.core.base64 import encode
from assay402.core.check import Operation, Refusal
from assay402.core.strictjson import JSON

_DETAILS: Final = """\b
Give a request {deliverable, criteria, jobRef?} as a file (`-` for stdin):
    {"deliverable": {"kind": "json", "value": {"status": "done"}},
     "criteria": [{"id": "s", "check": "json_path_equals",
                   "path": "status", "value": "done"}]}
or any file with its criteria:
    assay deliverable check --file report.json --criteria criteria.json

\b
`assay deliverable registry` prints the menu; `assay explain
deliverable/json-schema` explains one check, `assay explain PARAM_MISSING`
one reason."""

_EPILOG: Final = """\b
Exit codes: 0 ACCEPT; 1 REJECT; 4 NO_VERDICT; 2 usage or refusal; 3 our own
fault."""

_COLOURS: Final[Mapping[str, str]] = {
    "PASS": "green",
    "ACCEPT": "green",
    "FAIL": "red",
    "REJECT": "red",
    "UNCHECKABLE": "yellow",
    "NO_VERDICT": "yellow",
}
_MEANINGS: Final[Mapping[str, str]] = {
    "ACCEPT": "every criterion passes",
    "REJECT": "at least one criterion fails",
    "NO_VERDICT": "no criterion fails, and at least one cannot be checked",
}


def _request_parameters() -> list[click.Parameter]:
    return [
        click.Argument(["source"], type=SourceFile(), required=False, metavar="[REQUEST.json|-]"),
        click.Option(["--file"], type=SourceFile(), help="Judge the bytes of this file."),
        click.Option(["--criteria"], type=SourceFile(), help="The criteria to judge --file by."),
    ]


def _compose(operation: Operation[Any, Any], values: Mapping[str, Any]) -> JSON | Refusal:
    """Make a request from a file that holds one, or from a deliverable and its criteria."""
    source, file, criteria = values["source"], values["file"], values["criteria"]
    if source is not None and file is None and criteria is None:
        return request_from(source, operation)
    if source is not None or file is None or criteria is None:
        raise Usage("Give one REQUEST.json (`-` for stdin), or --file with --criteria.")
    return _quick(file, criteria)


def _quick(file: BinaryIO, criteria: BinaryIO) -> Body | Refusal:
    """Make a request of the bytes of a file and criteria in another."""
    data = read_source(file, MAX_DELIVERABLE)
    if isinstance(data, Refusal):
        return Refusal(code="deliverable-too-large", length=data.length, cap=data.cap)
    wanted = read_source(criteria, REQUEST_BYTES)
    read = wanted if isinstance(wanted, Refusal) else read_criteria(wanted, REQUEST_BYTES)
    if isinstance(read, Refusal):
        return read
    members = {"deliverable": {"kind": "bytes", "value": encode(data)}, **read}
    # As read: written anew, a number could outgrow the limit of bytes.
    return Body(members, plain=read.plain, survives=read.survives)


def _present(report: Report) -> Iterable[str]:
    yield f"{_styled(report.verdict)}  {_MEANINGS[report.verdict]}"
    width = max(len(judged.criterion.id) for judged in report.judged)
    for judged in report.judged:
        criterion, finding = judged.criterion, judged.finding
        detail = "".join(f" {name}={number}" for name, number in finding.detail.items())
        yield (
            f"  {_styled(finding.result, 11)}  {_printable(criterion.id):<{min(width, 32)}}  {criterion.check}"
            f"  {finding.reason}{click.style(detail, dim=True)}"
        )
        yield from _hint(finding)
    answer = publish(report)
    yield ""
    for name in ("sha256", "keccak256"):
        yield f"deliverable {name} {answer['deliverableDigest'][name]}"
    for name in ("inputRoot", "programRoot", "outputRoot"):
        yield f"{name} {answer['provenance'][name]}"


def _hint(finding: Finding) -> Iterable[str]:
    notice = None if finding.result == "PASS" else notice_of(finding.reason, CHECK)
    if notice is not None:
        yield f"               {notice.text} {notice.hint}"


def _present_lint(report: LintInput) -> Iterable[str]:
    reasons = [lint_reason(criterion) for criterion in report.criteria]
    yield f"{reasons.count('OK')} of {len(reasons)} criteria can be checked"
    for criterion, reason in zip(report.criteria, reasons, strict=True):
        if reason != "OK":
            yield f"  {click.style(reason, fg='yellow')}  {_printable(criterion.id)}  {criterion.check}"
            yield from _hint(Finding("UNCHECKABLE", reason))
    yield f"criteriaRoot {report.criteria_root}"


def _present_replay(report: ReplayReport) -> Iterable[str]:
    if not report.differences:
        yield f"{click.style('agrees', fg='green')}: every root and result is the one computed here"
        return
    count = len(report.differences)
    yield f"{click.style('differs', fg='red')} in {count} {'place' if count == 1 else 'places'}:"
    yield from (f"  {_printable(place)}" for place in report.differences)
    if report.root_fits is not None:
        words = (
            "fits it: it is an answer to something else"
            if report.root_fits
            else "does not fit it: it was changed"
        )
        yield f"The answer's own outputRoot {words}."
    if "/program/programRoot" in report.differences:
        yield "The answer names another program: replay it with the release that gave it, or under its profile."


_SIDES: Final = ("left", "right")


def _present_explain(report: Report) -> Iterable[str]:
    yield f"{_styled(report.verdict)}  {_MEANINGS[report.verdict]}"
    for each in publish_explain(report)["criteria"]:
        yield ""
        yield f"{_styled(each['result'])}  {_printable(each['id'])}  {each['check']}  {each['reason']}"
        yield f"  {each['meaning']} {each['hint']}"
        for name, bound in each.get("bounds", {}).items():
            yield f"  {name}: {bound}"
        for name in ("expected", "actual"):
            if name in each:
                yield f"  {name}: {_printable(each[name])}"
        for found in each.get("violations", ()):
            place = _printable(found["path"]) or "the whole value"
            yield f"  {found['keyword']} at {place} ({_printable(found['schemaPath'])} of the schema)"
        for claim in each.get("claims", ()):
            left, right = ("nothing" if claim[name] is None else _printable(claim[name]) for name in _SIDES)
            yield f"  {claim['reason']}: {left} {claim['op']} {right}"
        for change in each.get("diff", ()):
            yield f"  {change['op']} {_printable(change['path']) or 'the whole value'}"


def _styled(word: str, width: int = 0) -> str:
    return click.style(f"{word:<{width}}", fg=_COLOURS[word], bold=True)


def _printable(text: str) -> str:
    """Give text that cannot steer a terminal."""
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def _lint_parameters() -> list[click.Parameter]:
    return [click.Argument(["source"], type=SourceFile(), required=False, metavar="[CRITERIA.json|-]")]


def _compose_lint(operation: Operation[Any, Any], values: Mapping[str, Any]) -> JSON | Refusal:
    if values["source"] is None:
        raise Usage("Give one CRITERIA.json (`-` for stdin).")
    return request_from(values["source"], operation)


def _replay_parameters() -> list[click.Parameter]:
    return [
        click.Argument(["sources"], type=SourceFile(), nargs=-1, metavar="[REQUEST.json] ANSWER.json"),
        click.Option(
            ["--file"], type=SourceFile(), help="The file that was judged, instead of REQUEST.json."
        ),
        click.Option(["--criteria"], type=SourceFile(), help="The criteria --file was judged by."),
    ]


def _compose_replay(_operation: Operation[Any, Any], values: Mapping[str, Any]) -> JSON | Refusal:
    """Put a request and its answer together, each read by itself."""
    sources, file, criteria = values["sources"], values["file"], values["criteria"]
    is_quick = file is not None and criteria is not None
    if len(sources) != (1 if is_quick else 2) or (not is_quick and (file or criteria)):
        raise Usage("Give REQUEST.json and ANSWER.json, or --file, --criteria and ANSWER.json.")
    sides: dict[str, JSON] = {}
    for name, source in zip(("answer", "request"), reversed(sources), strict=False):
        data = read_source(source, REQUEST_BYTES)
        read = data if isinstance(data, Refusal) else read_body(data, REQUEST_BYTES)
        if isinstance(read, Refusal):
            # JSON that is no object lacks the members of a request; an answer that is none has not the shape of one.
            is_shape = name == "answer" and read.code == "member-missing"
            return Refusal(code="answer-shape") if is_shape else read
        sides[name] = read
    if is_quick:
        request = _quick(file, criteria)
        if isinstance(request, Refusal):
            return request
        sides["request"] = request
    return sides


FORMS: Final[Mapping[str, Form[Any]]] = {
    "check": Form(
        parameters=_request_parameters,
        compose=_compose,
        present=_present,
        asks_network=False,
        details=_DETAILS,
        epilog=_EPILOG,
    ),
    "lint": Form(
        parameters=_lint_parameters,
        compose=_compose_lint,
        present=_present_lint,
        asks_network=False,
        details="CRITERIA.json is the array of criteria, or an object with that member, such as a whole request.",
        epilog="\b\nExit codes: 0 all can be checked; 4 not all; 2 usage or refusal; 3 our own fault.",
    ),
    "replay": Form(
        parameters=_replay_parameters,
        compose=_compose_replay,
        present=_present_replay,
        asks_network=False,
        details="The profile is the one whose registry the answer names. What was judged by --file and --criteria is\n"
        "replayed with the same two.",
        epilog="\b\nExit codes: 0 all agree; 1 something differs; 2 usage or refusal; 3 our own fault.",
    ),
    "explain": Form(
        parameters=_request_parameters,
        compose=_compose,
        present=_present_explain,
        asks_network=False,
        details="The output holds content of the deliverable: it is for whoever has it anyway.",
        epilog=_EPILOG,
    ),
}


def _registry(profile: Profile) -> None:
    """Print the registry document of a profile: the menu, the reasons and the limits."""
    print_bytes(pretty(registry(profile)))


def _contract() -> None:
    """Print the contract document in our wording."""
    print_bytes(pretty(contract_document()))


COMMANDS: Final[Mapping[str, Callable[[], click.Command]]] = {
    "contract": lambda: click.Command("contract", help=_contract.__doc__, callback=_contract),
    "registry": lambda: click.Command(
        "registry",
        help=_registry.__doc__,
        callback=_registry,
        params=[
            click.Option(
                ["--profile"], type=click.Choice(["assay", "contract"]), default="assay", show_default=True
            )
        ],
    ),
}
"""What this room offers beside its operations."""
