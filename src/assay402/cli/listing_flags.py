"""The flags of the listing check: the reference's with its defaults, then ours."""

from pathlib import Path
from typing import Any

import click

from assay402.checks.listing.admission import METHODS, PROFILES
from assay402.cli.listing_options import LOGS


def parameters() -> list[click.Parameter]:
    """Make the parameters of the command.

    The reference's flags take any text here and are judged in the contract's order and words by `listing_options`.
    """
    return [click.Argument(["service_url"], metavar="SERVICE-URL"), *_of_the_reference(), *_of_ours()]


def _option(name: str, text: str, **more: Any) -> click.Option:  # noqa: ANN401  (click's own)
    return click.Option([f"--{name}"], help=text, show_default="default" in more, **more)


def _of_the_reference() -> list[click.Option]:
    return [
        _option("log", f"Output: {', '.join(LOGS)}.", default="human", metavar="FORM"),
        _option("chain", "Echoed in the report: base-sepolia or base.", metavar="CHAIN"),
        _option("payer-hint", "Compare this payer with the payees.", metavar="ADDRESS"),
        _option("discovery-base-url", "Ask the catalogue here, at the reference's paths.", metavar="URL"),
        _option("timeout-ms", "Time for each request.", default="10000", metavar="MS"),
        _option("endpoint", "Take the challenge from here and leave out the manifest.", metavar="URL"),
        _option("probe-history-log", "Read and append records of reachability.", metavar="FILE"),
        _option("unreachable-consensus-count", "Probes that have to agree.", default="3", metavar="N"),
        _option(
            "unreachable-interval-multiplier", "Stretches the windows of consensus.", default="1", metavar="N"
        ),
    ]


def _of_ours() -> list[click.Option]:
    return [
        _option(
            "profile",
            "Our rules, or the reference's to the letter.",
            type=click.Choice(PROFILES),
            default="default",
        ),
        _option(
            "method", "Ask the paid route with this method.", type=click.Choice(METHODS, case_sensitive=False)
        ),
        _option("body", "Send this JSON to the paid route.", metavar="JSON"),
        _option("facilitator-registry", "Know these facilitators too.", metavar="FILE"),
        _option("payload-capture", "A captured payment payload, as JSON.", metavar="FILE"),
        _option("settle-capture", "A captured answer to /settle: `curl -i` or JSON.", metavar="FILE"),
        _option("validate", "Ask CDP's validator too; it then calls the service.", is_flag=True),
        _option("allow-private", "Let the run contact this machine and private addresses.", is_flag=True),
        _option(
            "ca-file",
            "Trust the certificate authorities of this file besides the system's.",
            metavar="PEM",
        ),
        _option(
            "record",
            "Write the run's questions and answers to FILE.",
            metavar="FILE",
            type=click.Path(path_type=Path),
        ),
    ]
