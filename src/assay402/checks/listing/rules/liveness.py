"""Whether the facilitator and the service answer at all."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from assay402.checks.listing.model import Facts, Finding, UnreachableCause
from assay402.checks.listing.reading.liveness import (
    CLIENT_ERRORS,
    SUCCESS,
    TOO_MANY,
    Consensus,
    cause_of,
    cause_of_failure,
    consensus,
)
from assay402.checks.listing.reading.words import fix, say, trouble
from assay402.core.asks import Failed
from assay402.core.check import rule
from assay402.core.strictjson import JSON
from assay402.wire.requirements import text

_STATES: Final = ("ok", "degraded", "unreachable", "unknown")


@rule("listing/facilitator-fitness", since="0.1", spec="results[6]")
def facilitator_fitness(facts: Facts) -> Finding:
    """Whether the facilitator answers, for each way to pay.

    ## What it reports
    One entry for each object in the manifest's `accepts`: `ok`, `degraded` (it answered only on a retry),
    `unreachable`, or `unknown` where no facilitator is declared or it is not one this check can probe. `info` where
    any is unreachable, else `pass`. The probe is a POST to /verify that must be refused: a refusal is an answer. The
    default profile infers an undeclared facilitator from the catalogue that lists the payee (`inferred-from-catalogue`),
    takes an answer after a network error for degraded, and says where the facilitator limits requests.

    ## Why it matters
    A payment that the facilitator does not verify is refused, and one it does not settle is never listed.

    ## How to fix it
    Look at the facilitator's status page; settle through another one meanwhile.

    ## Known limits
    One probe stands for all ways to pay, because a manifest declares one facilitator for all.
    """
    given = facts.given
    declared = facts.declared or facts.inferred
    fitness, diagnostic = _fitness(facts)
    source = "unknown"
    if declared is not None:
        source = "declared" if facts.declared is not None else "inferred-from-catalogue"
    rails = [
        {
            "rail": position,
            "network": network,
            "facilitator": declared,
            "identity_source": source,
            "fitness": fitness,
            **({"diagnostic": diagnostic} if diagnostic else {}),
        }
        for position, network in enumerate(_networks(facts))
    ]
    counts = Counter({fitness: len(rails)})
    key = "pass" if facts.probed else "undeclared" if declared is None else "unregistered"
    key = "unreachable" if fitness == "unreachable" else key
    values: dict[str, Any] = {"declared": declared, "rails": len(rails)}
    return Finding(
        check="facilitator-fitness",
        status="info" if fitness == "unreachable" else "pass",
        message=say(given, f"facilitator.{key}", **values, **{state: counts[state] for state in _STATES}),
        fix=fix("facilitator.unreachable") if fitness == "unreachable" else None,
        detail={
            "facilitator_fitness": {
                "rails": [dict(rail) for rail in rails],
                "summary": {state: counts[state] for state in _STATES},
            }
        },
    )


def _networks(facts: Facts) -> list[str]:
    """Give the network of each way to pay, or one empty name where the manifest lists none."""
    accepts = (facts.manifest_object or {}).get("accepts")
    entries = accepts if isinstance(accepts, list) else []
    networks = [text(entry, "network") or "" for entry in entries if isinstance(entry, Mapping)]
    return networks or [""]


def _fitness(facts: Facts) -> tuple[str, str | None]:
    """Say how the tries ended, and why."""
    given, tries = facts.given, facts.probed
    if not tries:
        return "unknown", None
    last = tries[-1]
    errors = ", ".join(_error_of(facts, each.answer) for each in (tries[:-1] or tries))
    values: dict[str, Any] = {"ms": last.milliseconds, "status": last.answer.status, "errors": errors}
    if last.answer.status in SUCCESS:
        # The reference forgets network errors once an answer comes; only a 5xx before it degrades.
        counted = [each for each in tries[:-1] if each.answer.status is not None or not given.is_compat]
        if not counted:
            return "ok", say(given, "facilitator.first", **values)
        return "degraded", say(given, "facilitator.recovered", retry=len(tries) - 1, **values)
    if last.answer.status in CLIENT_ERRORS:
        if not given.is_compat and last.answer.status == TOO_MANY:
            return "degraded", say(given, "facilitator.limited", **values)
        return "ok", say(given, "facilitator.rejected", **values)
    errors = ", ".join(_error_of(facts, each.answer) for each in tries)
    return "unreachable", say(given, "facilitator.all_failed", tries=len(tries), errors=errors)


def _error_of(facts: Facts, answer: Any) -> str:  # noqa: ANN401  (either answer)
    if answer.status is not None:
        return f"HTTP {answer.status}"
    assert isinstance(answer, Failed)  # noqa: S101  (a complete answer has a status)
    return trouble(facts.given, answer)


@rule("listing/reachability", since="0.1", spec="results[7]")
def reachability(facts: Facts) -> Finding:
    """Whether the service itself answers, and whether earlier probes agree that it does not.

    ## What it reports
    `pass` for any answer below 500. `info` with a cause otherwise: `dns_failure`, `tcp_refused`, `tls_error`,
    `timeout` (everything that is none of the others too), or `persistent_5xx` after three tries. With
    `--probe-history-log` earlier probes are read and this one is added; where as many as
    `--unreachable-consensus-count` agree within the cause's window, `consensus_met` is true and the verdict is
    `service_unreachable`. In the default profile a probe counts only if it is at least a minute after the one before
    (times the multiplier), and `matching_run` says how many agree.

    ## Why it matters
    Nothing else can be judged of a service that does not answer, and one run cannot tell an outage from a passing
    fault.

    ## How to fix it
    Name, address, port, certificate, process: check in this order. To be sure that it is an outage, probe again over
    some minutes with one history log.

    ## Known limits
    The probe is a GET from this machine; what others see may differ.
    """
    given, reached = facts.given, facts.reached
    cause = cause_of(reached.tries)
    diagnostic = _diagnostic(facts, cause)
    probes = 1 if cause == "persistent_5xx" else len(reached.earlier) + 1
    agreed = None if cause is None else consensus(given, reached, cause)
    met = agreed is not None and agreed.met
    facet: dict[str, JSON] = {
        "state": "ok" if cause is None else "unreachable" if met else "unreachable_first_probe",
        **({} if cause is None else {"unreachable_cause": cause}),
        "probe_count": probes,
        "consensus_threshold": given.consensus_count,
        "consensus_met": met,
        "diagnostic": diagnostic,
        **_window(facts, cause, agreed),
    }
    if cause is None or agreed is None:
        message, remedy = say(given, "reachability.pass", diagnostic=diagnostic), None
    else:
        key, remedy = _words_for(facts, cause, met)
        message = say(given, key, cause=cause, diagnostic=diagnostic, threshold=given.consensus_count)
    return Finding(
        check="reachability",
        status="pass" if cause is None else "info",
        message=message,
        fix=remedy,
        detail={"reachability": facet},
    )


def _window(facts: Facts, cause: UnreachableCause | None, agreed: Consensus | None) -> dict[str, JSON]:
    if cause is None or agreed is None or cause == "persistent_5xx":
        return {}
    window = agreed.window_ms
    said: dict[str, JSON] = {"consensus_window_ms": int(window) if window == int(window) else window}
    return said if facts.given.is_compat else {**said, "matching_run": agreed.run}


def _words_for(facts: Facts, cause: UnreachableCause, met: bool) -> tuple[str, str]:
    if met:
        return "reachability.met", fix("reachability.met")
    if cause == "persistent_5xx":
        key = "reachability.info" if facts.given.is_compat else "reachability.info_5xx"
        return key, fix("reachability.5xx")
    return "reachability.info", fix("reachability.log", threshold=facts.given.consensus_count)


def _diagnostic(facts: Facts, cause: UnreachableCause | None) -> str:
    given, tries = facts.given, facts.reached.tries
    last = tries[-1].answer
    if last.status is None:
        assert isinstance(last, Failed)  # noqa: S101  (a complete answer has a status)
        told, is_known = cause_of_failure(last)
        key = "reachability.failed" if is_known else "reachability.unclassified"
        return say(given, key, cause=told, error=trouble(given, last))
    values: dict[str, Any] = {"status": last.status, "retry": len(tries) - 1, "tries": len(tries)}
    if cause is not None:
        return say(given, "reachability.persistent_5xx", **values)
    return say(given, "reachability.responsive" if len(tries) == 1 else "reachability.recovered", **values)
