"""Whether the listings of one payee are told apart."""

from typing import Any

from assay402.checks.listing.model import Facts, Finding, Listed, Queried, Unread
from assay402.checks.listing.reading.catalogue import NOT_APPLICABLE, HostPaths, host_paths
from assay402.checks.listing.reading.words import fix, say, trouble
from assay402.core.check import rule
from assay402.core.strictjson import JSON


@rule("listing/host-pollution", since="0.1", spec="results[5]")
def host_pollution(facts: Facts) -> Finding:
    """Whether one path of the payee is listed under several hosts.

    ## What it reports
    `info` with the state `polluted`, the paths and their hosts where some path is; `pass` with `no_pollution` or
    `unknown` otherwise. It never changes the verdict. Hosts are compared in lower case and in their ASCII form, with
    the port where it is not the scheme's own; paths without query. The default profile reads every page.

    ## Why it matters
    A catalogue lists the URL that was paid. With several hosts in front of one handler each becomes a listing of its
    own, and their ranking is shared among them.

    ## How to fix it
    Redirect every host to one, and put that host into the challenge's resource URL.
    """
    given, queried = facts.given, facts.merchant
    if facts.pay_to is None:
        message = say(given, "host-pollution.no_challenge")
        return Finding(check="host-pollution", status="pass", message=message)
    if queried is None:
        return Finding(
            check="host-pollution",
            status="pass",
            message=say(given, "host-pollution.not_applicable"),
            detail={"state": NOT_APPLICABLE},
        )
    if isinstance(queried.found, Unread):
        unread = queried.found
        error = "" if unread.failure is None else trouble(given, unread.failure)
        status: dict[str, JSON] = {} if unread.status is None else {"httpStatus": unread.status}
        values: dict[str, Any] = {"pay_to": facts.pay_to, "status": unread.status, "error": error}
        return Finding(
            check="host-pollution",
            status="pass",
            message=say(given, f"host-pollution.{unread.key}", **values),
            detail={"queryUrl": queried.url, **status, "state": "unknown"},
        )
    return _pollution(facts, queried, queried.found)


def _pollution(facts: Facts, queried: Queried, found: Listed) -> Finding:
    given, paths = facts.given, host_paths(found.rows)
    is_polluted = bool(paths.polluted)
    key = "polluted" if is_polluted else "pass" if found.count else "none"
    values = {"count": len(paths.polluted), "entries": paths.entries, "hosts": paths.hosts}
    return Finding(
        check="host-pollution",
        status="info" if is_polluted else "pass",
        message=say(given, f"host-pollution.{key}", pay_to=facts.pay_to, **values),
        fix=fix("host-pollution.polluted") if is_polluted else None,
        detail={
            "queryUrl": queried.url,
            "state": "polluted" if is_polluted else "no_pollution",
            **(_listed_paths(paths) if is_polluted else {}),
            "total_entries": paths.entries,
            "distinct_hosts": paths.hosts,
        },
    )


def _listed_paths(paths: HostPaths) -> dict[str, JSON]:
    return {
        "polluted_paths": [{"resource_path": path, "hosts": list(hosts)} for path, hosts in paths.polluted],
        "polluted_path_count": len(paths.polluted),
    }
