"""What stands on the command line of the listing check, judged in the contract's order and refused in its words."""

import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import click

from assay402.checks.listing.admission import (
    CHAINS,
    DEFAULT_ONLY,
    MAX_TIMEOUT_MS,
    is_web,
    milliseconds,
    multiplier,
)
from assay402.checks.listing.reading.words import phrase
from assay402.cli.form import read_source
from assay402.cli.usage import OneLine
from assay402.core.check import Refusal, read_request
from assay402.core.strictjson import JSON
from assay402.formats import http_text
from assay402.formats.exchange import TranscriptUnreadable

REFERENCE_LOGS: Final = ("human", "json")
LOGS: Final = (*REFERENCE_LOGS, "pretty", "sarif", "junit", "github")
FILE_BYTES: Final = 1 << 20
_BASE_IDS: Final = {"base": "base", "8453": "base"}
_SEPOLIA_IDS: Final = dict.fromkeys(("base-sepolia", "basesepolia", "84532"), "base-sepolia")
_CHAIN_IDS: Final = {**_BASE_IDS, **_SEPOLIA_IDS}
_CHAIN_LINE: Final = re.compile(r"^[ \t]*(?:export[ \t]+)?BASE_CHAIN_ID[ \t]*=[ \t]*(.*)$", re.MULTILINE)
_HEXADECIMAL: Final = re.compile(r"0[xX][0-9a-fA-F]+")
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_LARGEST_PLAIN: Final = 1e21
"""From here on JavaScript writes a number with an exponent."""


def request_of(values: Mapping[str, Any]) -> dict[str, JSON]:
    """Make the request of the command line, printing banner and note where the contract has them.

    Raises:
        OneLine: for the first mistake, in the contract's order.

    """
    profile, log = values["profile"], values["log"]
    _judge_words(values)
    chain = values["chain"] or _chain_of_the_environment()
    request: dict[str, JSON] = {"url": values["service_url"], "profile": profile, "chain": chain}
    _judge_url("<service-url>", values["service_url"])
    if values["endpoint"] is not None:
        _judge_url("--endpoint", values["endpoint"])
        request["endpoint"] = values["endpoint"]
    on_stderr = log != "human"
    if chain == "base":
        click.echo(f"⚠ {phrase(profile, 'mainnet.banner')}", err=on_stderr)
    request["timeout_ms"] = _timeout(values["timeout_ms"])
    if values["endpoint"] is not None:
        click.echo(f"ℹ {phrase(profile, 'endpoint.note')}", err=on_stderr)
    request["unreachable_consensus_count"] = _count(values["unreachable_consensus_count"])
    request["unreachable_interval_multiplier"] = _multiplier(values["unreachable_interval_multiplier"])
    given = {name: values[name] for name in ("payer_hint", "discovery_base_url", "method", "body")}
    request |= {name: value for name, value in given.items() if value is not None}
    request |= _files(values)
    if values["validate"]:
        request["validate"] = True
    if values["probe_history_log"] is not None:
        request["history"] = True
        _judge_history(values["probe_history_log"])
    _judge_profile(profile, request)
    return request


def _judge_words(values: Mapping[str, Any]) -> None:
    logs = REFERENCE_LOGS if values["profile"] == "compat" else LOGS
    if values["log"] not in logs:
        listed = " or ".join((", ".join(f"'{log}'" for log in logs[:-1]), f"'{logs[-1]}'"))
        raise OneLine(f"--log must be {listed} (got '{values['log']}')")
    if values["chain"] is not None and values["chain"] not in CHAINS:
        raise OneLine(f"--chain must be 'base-sepolia' or 'base' (got '{values['chain']}')")


def _judge_url(name: str, value: str) -> None:
    if not is_web(value):
        raise OneLine(f"error: {name} must be a valid URL (got '{value}')")


def _judge_profile(profile: str, request: Mapping[str, JSON]) -> None:
    unfit = [name for name in DEFAULT_ONLY if name in request]
    if profile == "compat" and unfit:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in unfit)
        raise OneLine(f"error: {flags}: not available with --profile compat")


def _judge_history(path: str) -> None:
    """Refuse before anything is asked what could not be appended to afterwards."""
    if Path(path).exists() and not Path(path).is_file():
        raise OneLine(f"error: --probe-history-log must be a file (got '{path}')")


def _timeout(text: str) -> int:
    value = javascript_number(text)
    if value > MAX_TIMEOUT_MS and not math.isinf(value):
        raise OneLine(f"error: --timeout-ms must be <= {MAX_TIMEOUT_MS} (got '{spelled(value)}')")
    found = milliseconds(value)
    if found is None:
        raise OneLine(f"error: --timeout-ms must be a positive number (got '{spelled(value)}')")
    return found


def _count(text: str) -> int:
    value = javascript_number(text)
    if not (value >= 1 and math.isfinite(value) and value == int(value)):
        raise OneLine(
            f"error: --unreachable-consensus-count must be a positive integer (got '{spelled(value)}')"
        )
    return int(value)


def _multiplier(text: str) -> float:
    value = javascript_number(text)
    if multiplier(value) is None:
        raise OneLine(
            f"error: --unreachable-interval-multiplier must be a positive number (got '{spelled(value)}')"
        )
    return value


def javascript_number(text: str) -> float:
    """Read a number as the reference's runtime does: blanks around it, hexadecimal, nothing at all is 0."""
    trimmed = text.strip()
    if _HEXADECIMAL.fullmatch(trimmed):
        return float(min(int(trimmed, 16), 2**1000))
    if _DECIMAL.fullmatch(trimmed):
        return float(trimmed)
    if trimmed.lstrip("+-") == "Infinity":
        return -math.inf if trimmed.startswith("-") else math.inf
    return math.nan if trimmed else 0.0


def spelled(value: float) -> str:
    """Write a number as the reference's runtime does."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return str(int(value)) if value == int(value) and abs(value) < _LARGEST_PLAIN else repr(value)


def _chain_of_the_environment() -> str:
    """Give the chain of BASE_CHAIN_ID, from the environment or a `.env` file here; anything else is ignored."""
    named = os.environ.get("BASE_CHAIN_ID")
    if named is None:
        named = _chain_of_the_file()
    return _CHAIN_IDS.get(named.strip().lower(), "base-sepolia")


def _chain_of_the_file() -> str:
    try:
        with Path(".env").open("rb") as file:
            text = file.read(FILE_BYTES).decode(errors="replace")
    except OSError:
        return ""
    found = _CHAIN_LINE.findall(text)
    return str(found[-1]).partition(" #")[0].strip().strip("'\"") if found else ""


def _files(values: Mapping[str, Any]) -> dict[str, JSON]:
    found: dict[str, JSON] = {}
    for name in ("facilitator_registry", "payload_capture", "settle_capture"):
        if values[name] is not None:
            found[name] = _file(f"--{name.replace('_', '-')}", values[name], name == "settle_capture")
    return found


def _file(flag: str, path: str, may_be_http: bool) -> JSON:
    try:
        with click.open_file(path, "rb") as file:
            source = read_source(cast("BinaryIO", file), FILE_BYTES)
    except OSError:
        raise OneLine(f"error: {flag} cannot be read (got '{path}')") from None
    if not isinstance(source, Refusal):
        if may_be_http and source.lstrip().startswith(b"HTTP/"):
            return _saved_response(flag, path, source)
        read = read_request(source, FILE_BYTES)
        if not isinstance(read, Refusal):
            return read
    raise OneLine(f"error: {flag} must be a JSON file of at most 1 MiB (got '{path}')")


def _saved_response(flag: str, path: str, source: bytes) -> JSON:
    try:
        saved = http_text.read(source, is_rewritten=False)
    except TranscriptUnreadable:
        raise OneLine(f"error: {flag} holds no HTTP response (got '{path}')") from None
    return {"status": saved.status, "headers": dict(saved.headers)}
