"""What the service itself publishes: its manifest, its challenge, its payee."""

from collections.abc import Mapping
from typing import Final

from assay402.checks.listing.model import ChallengeRead, Facts, Finding, Manifest, Note, Unread
from assay402.checks.listing.reading.bazaar import Shape, reference_shape, specified_shape, v1_shape
from assay402.checks.listing.reading.challenge import bazaar_of
from assay402.checks.listing.reading.liveness import shared_outage
from assay402.checks.listing.reading.words import fix, note_text, say, trouble
from assay402.core.check import rule
from assay402.core.strictjson import JSON
from assay402.wire.requirements import mapping, text

_BODY_DISCOVERY: Final = "body-discovery"
_REQUIRED: Final = {
    "mcp-discovery": "name and description",
    _BODY_DISCOVERY: "info.input, info.output and schema",
}
_HINT_LENGTH: Final = 10
"""Characters of the payer that a message shows."""


@rule("listing/well-known", since="0.1", spec="results[0]")
def well_known(facts: Facts) -> Finding:
    """Whether the manifest at the root of the service is there and well-formed.

    ## What it reports
    `pass` for a JSON object at `/.well-known/x402` that has a name and a description, whose `accepts` is an array
    where it has one, and whose `extensions.bazaar` is complete where it has one; `pass` as well where `--endpoint`
    replaces it. `fail` for anything else, with every broken rule in `detail.issues` or the status in
    `detail.httpStatus`. In the default profile `info` where the service does not answer at all.

    ## Why it matters
    Directories read name and description from here, and the facilitator that the other checks ask is declared here.

    ## How to fix it
    Serve a JSON object with `name` and `description` at `/.well-known/x402`, status 200.

    ## Known limits
    The path and the members are a convention of catalogues, not part of the x402 specification: a service without a
    manifest can be listed. Use `--endpoint` to leave it out.
    """
    given, manifest = facts.given, facts.manifest
    if manifest is None:
        return Finding(
            check="well-known",
            status="pass",
            message=say(given, "well-known.skipped", url=facts.challenge_url),
        )
    if isinstance(manifest, Unread):
        return _without_manifest(facts, manifest)
    issues = _manifest_issues(facts, manifest.sent)
    if issues:
        shape = _shape(facts, bazaar_of(manifest.sent) or {})
        return Finding(
            check="well-known",
            status="fail",
            message=say(
                given,
                "well-known.issues",
                url=facts.manifest_url,
                count=len(issues),
                issues=", ".join(issues),
            ),
            fix=fix("well-known.issues", required=_REQUIRED.get(shape.variant, "info.input and schema")),
            detail={"issues": list(issues)},
        )
    return Finding(check="well-known", status="pass", message=_well_formed(facts, manifest))


def _without_manifest(facts: Facts, unread: Unread) -> Finding:
    given = facts.given
    values = {"url": facts.manifest_url, "status": unread.status, **unread.about}
    if unread.failure is not None:
        values["error"] = trouble(given, unread.failure)
    if shared_outage(facts, unread.failure):
        message = say(given, "well-known.outage", **values)
        return Finding(check="well-known", status="info", message=message, fix=fix("well-known.outage"))
    return Finding(
        check="well-known",
        status="fail",
        message=say(given, f"well-known.{unread.key}", **values),
        fix=fix("well-known.serve"),
        detail=None if unread.status is None else {"httpStatus": unread.status},
    )


def _manifest_issues(facts: Facts, sent: Mapping[str, JSON]) -> tuple[str, ...]:
    given = facts.given

    def missing(field: str) -> str:
        return say(given, "well-known.issue_missing", field=field)

    issues = [missing(name) for name in ("name", "description") if not (text(sent, name) or "").strip()]
    if "accepts" in sent and not isinstance(sent["accepts"], list):
        issues.append(say(given, "well-known.issue_accepts"))
    bazaar = bazaar_of(sent)
    if bazaar is not None:
        issues += [missing(f"extensions.bazaar.{field}") for field in _shape(facts, bazaar).missing]
    elif sent.get("discovery_extension") == "bazaar":
        issues.append(say(given, "well-known.issue_opt_in"))
    return tuple(issues)


def _well_formed(facts: Facts, manifest: Manifest) -> str:
    given, sent = facts.given, manifest.sent
    accepts, bazaar = sent.get("accepts"), bazaar_of(sent)
    suffix = ""
    if bazaar is not None:
        variant = _shape(facts, bazaar).variant
        key = "well-known.suffix" if variant == "mcp-discovery" else "well-known.suffix_body"
        suffix = say(given, key, variant=variant)
    shown = say(given, "well-known.accepts_absent")
    if isinstance(accepts, list):
        shown = say(given, "well-known.accepts", count=len(accepts))
    return say(
        given,
        "well-known.pass",
        url=facts.manifest_url,
        name=text(sent, "name"),
        accepts=shown,
        suffix=suffix,
    )


@rule("listing/challenge", since="0.1", spec="results[1]")
def challenge(facts: Facts) -> Finding:
    """Whether the unpaid request is answered with a challenge that catalogues can list.

    ## What it reports
    `pass` for a 402 whose challenge has a payable first entry and a complete `extensions.bazaar`, with the extensions
    in `detail.challengeExtensions`. `fail` otherwise: `detail.httpStatus` where there is no challenge,
    `detail.variant` and `detail.missingFields` where the extension is incomplete. The default profile reads the
    PAYMENT-REQUIRED header first and the body second (`detail.carrier`), validates `info` against its `schema`, and
    lists in `detail.notes` what catalogues drop silently. `info` there where the service does not answer at all.

    ## Why it matters
    A catalogue learns of a resource from this answer alone. One that reads the wrong leg sees nothing.

    ## How to fix it
    Answer unpaid requests with 402, the challenge in the PAYMENT-REQUIRED header, and declare `bazaar` in its
    extensions: `info.input` with the method and parameters, and a `schema` that `info` is valid against. A route that
    takes only POST is asked with `--method POST` and, where it validates first, `--body`.

    ## Known limits
    A schema that refers to itself or whose patterns need look-around is not evaluated; a note says so. The compat
    profile reads only the body, as the reference does.
    """
    read = facts.challenge
    if isinstance(read, Unread):
        return _without_challenge(facts, read)
    given = facts.given
    extensions, bazaar = mapping(read.sent, "extensions"), bazaar_of(read.sent)
    values: dict[str, object] = {"url": facts.challenge_url, "carrier": read.carrier}
    in_entry = None if given.is_compat or read.is_v2 else v1_shape(read.sent)
    if bazaar is None and in_entry is None:
        key = "challenge.no_extensions" if extensions is None else "challenge.no_bazaar"
        return _failed_challenge(say(given, key, **values), fix("challenge.extensions"), None)
    shape = in_entry or _shape(facts, bazaar or {})
    if shape.missing:
        detail: dict[str, JSON] = {"missingFields": list(shape.missing), "variant": shape.variant}
        return _failed_challenge(
            _incomplete(facts, shape, values),
            fix("challenge.missing", fields=", ".join(shape.missing)),
            detail,
        )
    return _complete(facts, read, shape, extensions or {})


def _complete(facts: Facts, read: ChallengeRead, shape: Shape, extensions: Mapping[str, JSON]) -> Finding:
    given = facts.given
    if given.is_compat:
        is_body = shape.variant == _BODY_DISCOVERY
        name = text(bazaar_of(read.sent) or {}, "name")
        message = say(given, "challenge.pass_body" if is_body else "challenge.pass", name=name)
        return Finding(
            check="challenge", status="pass", message=message, detail={"challengeExtensions": extensions}
        )
    in_extensions = not read.is_v2 and shape.variant != "v1-output-schema"
    notes = [*read.notes, *shape.notes, *([Note(code="v1-extension")] if in_extensions else [])]
    counted = f"; {len(notes)} note(s): {', '.join(note.code for note in notes)}" if notes else ""
    detail: dict[str, JSON] = {
        "challengeExtensions": extensions,
        "variant": shape.variant,
        "carrier": read.carrier,
    }
    if notes:
        detail["notes"] = [
            {"code": note.code, **({"field": note.field} if note.field else {}), "text": note_text(note)}
            for note in notes
        ]
    return Finding(
        check="challenge",
        status="pass",
        message=say(given, "challenge.pass", carrier=read.carrier, variant=shape.variant, notes=counted),
        detail=detail,
    )


def _without_challenge(facts: Facts, unread: Unread) -> Finding:
    given = facts.given
    values = {"url": facts.challenge_url, "status": unread.status, **unread.about}
    if unread.failure is not None:
        values["error"] = trouble(given, unread.failure)
    if shared_outage(facts, unread.failure):
        message = say(given, "challenge.outage", **values)
        return Finding(check="challenge", status="info", message=message, fix=fix("challenge.outage"))
    detail: dict[str, JSON] | None = None if unread.status is None else {"httpStatus": unread.status}
    remedy = {"no_leg": "challenge.header", "http": "challenge.method"}.get(
        unread.key, "challenge.middleware"
    )
    return _failed_challenge(say(given, f"challenge.{unread.key}", **values), fix(remedy), detail)


def _failed_challenge(message: str, remedy: str, detail: Mapping[str, JSON] | None) -> Finding:
    return Finding(check="challenge", status="fail", message=message, fix=remedy, detail=detail)


def _incomplete(facts: Facts, shape: Shape, values: Mapping[str, object]) -> str:
    key = "challenge.problems"
    if facts.given.is_compat:
        key = "challenge.missing_body" if shape.variant == _BODY_DISCOVERY else "challenge.missing"
    return say(facts.given, key, fields=", ".join(shape.missing), variant=shape.variant, **values)


def _shape(facts: Facts, bazaar: Mapping[str, JSON]) -> Shape:
    return reference_shape(bazaar) if facts.given.is_compat else specified_shape(bazaar)


@rule("listing/self-payment", since="0.1", spec="results[2]")
def self_payment(facts: Facts) -> Finding:
    """Whether the payer that was named would pay itself.

    ## What it reports
    `fail` where `--payer-hint` is an address the challenge pays to, whatever its case; else `pass`, also where there
    is no hint or no challenge to compare it with. The default profile compares with every entry of the challenge, the
    compat profile with the first.

    ## Why it matters
    CDP refuses a payment to oneself as `invalid_payload`, so a seller who tests with the receiving wallet never
    settles, and what never settles is never listed.

    ## How to fix it
    Pay from another wallet.
    """
    given, read, hint = facts.given, facts.challenge, facts.given.payer_hint
    if isinstance(read, Unread):
        return Finding(check="self-payment", status="pass", message=say(given, "self-payment.no_challenge"))
    if not hint:
        return Finding(check="self-payment", status="pass", message=say(given, "self-payment.no_hint"))
    payees = (read.pay_to,) if given.is_compat else read.payees
    equal = next((payee for payee in payees if payee.lower() == hint.lower()), None)
    if equal is None:
        message = say(given, "self-payment.differs", hint=hint[:_HINT_LENGTH])
        return Finding(check="self-payment", status="pass", message=message)
    return Finding(
        check="self-payment",
        status="fail",
        message=say(given, "self-payment.equal", pay_to=equal),
        fix=fix("self-payment.equal"),
    )
