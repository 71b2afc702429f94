"""Every refusal of a request and every reason of a criterion, with what it means and what to do: shown to people only."""

from collections.abc import Mapping
from typing import Final

from assay402.core.errors import Notice
from assay402.core.exactjson import MAX_DEPTH

_NUMBER_PLACE: Final = "The detail counts to the place."

REASONS: Final[Mapping[str, Notice]] = {
    "OK": Notice("The criterion is met.", "Nothing needs doing."),
    # The buyer's parameters.
    "PARAM_UNKNOWN": Notice(
        "The criterion has a parameter its check does not take.",
        "Mind the spelling: a misspelt bound would bound nothing. Parameters of ours are unknown to the contract.",
    ),
    "PARAM_MISSING": Notice("The criterion lacks a parameter its check needs.", "Add it; nothing is assumed."),
    "PARAM_INVALID": Notice(
        "A parameter has a value its check does not take, or bounds leave nothing between them.",
        "See the check's page for what each parameter is.",
    ),
    "PARAM_CONFLICT": Notice("Two parameters exclude each other, or one stands twice.", "Keep one of them."),
    "PATH_SYNTAX": Notice(
        "The path is none of the three syntaxes.",
        "Write `a.b[0]`, `/a/b/0` or `$.a.b[0]`; names with dots go into the latter two.",
    ),
    "PATH_NOT_SINGULAR": Notice(
        "The path may select several values.", "Name one value; wildcards go into `sum`, `min` and `max` of claims."
    ),
    "SCHEMA_INVALID": Notice(
        "The schema breaks its meta-schema, refers to nothing, or refers to itself at one value.",
        "Validate it against its meta-schema and look for `$ref`s without target or end.",
    ),
    "SCHEMA_DIALECT_UNSUPPORTED": Notice(
        "`$schema` names a dialect that is not read here, or changes within the schema.",
        "Use draft 2020-12, 2019-09, 7, 6 or 4, by its published URI.",
    ),
    "SCHEMA_PATTERN_UNSUPPORTED": Notice(
        "A pattern cannot be run in linear time, is too large, or means something else to other engines.",
        "Write it without look-around, back-references, inline flags and class operations, repeat no `^`, `$` or `\\b`, "
        "and repeat classes of Unicode "
        "such as `\\p{L}` without counts: what they stand for is written out as often, up to 1 MiB.",
    ),
    "SCHEMA_REMOTE_REF": Notice(
        "The schema refers to something outside it.", "Put it under `$defs` and refer to it there; nothing is fetched."
    ),
    "SCHEMA_TOO_COMPLEX": Notice(
        "The schema is too deep, too long, or expands to too much.",
        "`assay deliverable registry` prints the limits; flatten it, or split it into several criteria. One that refers to "
        "itself is closed by `additionalProperties`, never by `unevaluatedProperties`.",
    ),
    "PATTERN_UNSUPPORTED": Notice(
        "The pattern engine refuses the pattern.", "Write it in RE2's syntax, and smaller where it repeats by count."
    ),
    "STATEMENT_NOT_MECHANICAL": Notice(
        "Free text is never judged.", "Say what can be measured by other checks, and agree on who decides the rest."
    ),
    # What a document has no single meaning for, and limits.
    "JSON_DUPLICATE_NAME": Notice(
        "The document repeats a name within an object, so readers disagree about it.",
        "The seller writes each name once; the buyer adds `is_json` with `strict`, which rejects such documents.",
    ),
    "JSON_LONE_SURROGATE": Notice(
        "The document has half a character in a string.",
        "The seller escapes whole characters; the buyer adds `is_json` with `strict`, which rejects such documents.",
    ),
    "LIMIT_DEPTH": Notice("The document is nested too deeply.", "Keep to 256 open brackets at once."),
    "LIMIT_NUMBER": Notice(
        "A number has too many digits or too large an exponent.",
        "Keep to 1024 significant digits and exponents within 4096.",
    ),
    "LIMIT_WORK": Notice(
        "Judging this criterion on this deliverable takes more steps than the request has left.",
        "Put it first, or ask less of all criteria: fewer claims, schemas of lower expansion, smaller patterns.",
    ),
    # What the seller delivered.
    "HASH_MISMATCH": Notice("The digest is another one.", "Hash the exact bytes that are delivered."),
    "BELOW_MIN": Notice("It is less than the least allowed.", "Compare the detail with the bound."),
    "ABOVE_MAX": Notice("It is more than the most allowed.", "Compare the detail with the bound."),
    "NOT_EXACT": Notice("It is not the exact count.", "Compare the detail with `equals`."),
    "NOT_UTF8": Notice("The bytes are no text in UTF-8.", "Deliver text in UTF-8."),
    "NOT_FOUND": Notice("The string does not occur.", "Case, blanks and accents count."),
    "FOUND": Notice("What must not occur does.", f"Remove it. {_NUMBER_PLACE}"),
    "NO_MATCH": Notice("The pattern matches nowhere.", "Mind anchors and case."),
    "PREFIX_MISMATCH": Notice("It begins otherwise.", f"Nothing is stripped in front. {_NUMBER_PLACE}"),
    "SUFFIX_MISMATCH": Notice("It ends otherwise.", "A final newline counts."),
    "NOT_JSON": Notice("The bytes are not JSON.", "Deliver RFC 8259 JSON in UTF-8, written by a library."),
    "PATH_MISSING": Notice("Nothing stands at the path.", "Deliver the member under exactly this name."),
    "NOT_A_STRING": Notice("What stands at the path is no string.", "Deliver a string there."),
    "TYPE_MISMATCH": Notice("The value has another type.", 'Numbers in quotes are strings: 1 is not "1".'),
    "VALUE_MISMATCH": Notice("The value is another one.", "`assay deliverable explain` shows both."),
    "NOT_A_NUMBER": Notice("What stands at the path is no number.", "Deliver it without quotes."),
    "OUT_OF_TOLERANCE": Notice("The number is too far away.", "The detail says on which side."),
    "NOT_AN_ARRAY": Notice("What stands at the path is no array.", "Deliver an array there, an empty one included."),
    "DUPLICATE_VALUE": Notice("Two elements are equal.", "The detail names the first pair."),
    "SCHEMA_VIOLATION": Notice("The value does not follow the schema.", "Validate it with the schema before delivering."),
    "CLAIM_CONTRADICTION": Notice("A claim does not hold.", "The detail names the first; compute it from the rows."),
    "CLAIM_OPERAND_MISSING": Notice("A claim speaks of something that is not there.", "Deliver it."),
    "CLAIM_OPERAND_TYPE": Notice("A claim needs a number, string or array where another type stands.", "Deliver that type."),
    # x402 objects.
    "X402_NOT_OBJECT": Notice("It is no object.", "Deliver the x402 object itself."),
    "X402_SHAPE": Notice("Its members make no x402 object.", "Say with `object` which one is meant."),
    "X402_BASE64": Notice(
        "The header form is not base64.", "Encode the JSON in standard base64 with padding; raw JSON is not the header form."
    ),
    "X402_VERSION": Notice("`x402Version` is not the number 1 or 2, or not the one wanted.", "Write it as a number."),
    "X402_ERROR": Notice("`error` is no string.", "Write a sentence, or leave it out."),
    "X402_RESOURCE": Notice("The resource is missing or has no URL.", "Version 2: `resource.url`; version 1: `resource` in each entry."),
    "X402_ACCEPTS": Notice("`accepts` is not an array with entries.", "List at least one way to pay."),
    "X402_SCHEME": Notice("`scheme` is missing.", "Write the scheme's name, such as `exact`."),
    "X402_NETWORK": Notice("`network` is not of its version's form.", "Version 2: `eip155:8453`; version 1: `base`."),
    "X402_AMOUNT": Notice("The amount is no string of atomic units.", "Write digits without point, sign and leading zeros."),
    "X402_ASSET": Notice("`asset` is no address of its network.", "On eip155: 20 bytes, with the right checksum if cases are mixed."),
    "X402_PAY_TO": Notice("`payTo` is no address of its network and no role.", "On eip155: 20 bytes, with the right checksum if cases are mixed."),
    "X402_TIMEOUT": Notice("`maxTimeoutSeconds` is no positive integer.", "Write it as a number of seconds."),
    "X402_EXTRA": Notice("`extra` is neither an object nor null.", "Write an object, or leave it out."),
    "X402_DESCRIPTION": Notice("`description` is no string.", "Version 1 wants it in each entry."),
    "X402_EXTENSIONS": Notice("An extension lacks its `info` or `schema` object.", "Give each extension both."),
    "X402_ACCEPTED": Notice("`accepted` is missing.", "Version 2 echoes the chosen requirements there."),
    "X402_PAYLOAD": Notice("`payload` is no object.", "Put what the scheme needs there."),
    "X402_SIGNATURE": Notice("The signature is not 65 bytes or more in hexadecimal.", "Write `0x` and the bytes."),
    "X402_AUTHORIZATION": Notice("The authorization lacks a well-formed member.", "Give `from`, `to`, `value`, `validAfter`, `validBefore`, `nonce`, all as strings."),
    "X402_RECIPIENT_MISMATCH": Notice("The authorization pays somebody else.", "`to` is `payTo`."),
    "X402_VALUE_MISMATCH": Notice("The authorization pays another amount.", "`value` is `amount`."),
    "X402_WINDOW": Notice("The authorization ends before it begins.", "`validBefore` is after `validAfter`."),
    "X402_SUCCESS": Notice("`success` is no boolean.", "Write true or false."),
    "X402_TRANSACTION": Notice("`transaction` is missing, or empty although the payment succeeded.", "Write the transaction's id."),
    "X402_SIGNER_MISMATCH": Notice("Somebody else signed.", "Sign with the key of `from`, for this token's domain."),
    "X402_DOMAIN_UNKNOWN": Notice("The requirements do not say the token's domain.", "Put `name` and `version` into `extra`."),
    "X402_SIGNATURE_KIND": Notice(
        "The signature is not of the kind that can be recovered.",
        "Only an `exact` payment on eip155 with an authorization and 65 bytes is; leave `verifySignature` out otherwise.",
    ),
}  # fmt: skip

REFUSALS: Final[Mapping[str, Notice]] = {
    "body-not-json": Notice(
        "The request is not JSON.", "Send one JSON object in UTF-8, without byte order mark."
    ),
    "body-not-ijson": Notice(
        "The request has a repeated name, half a character or NaN, so readers would disagree about it.",
        "Send each name once, whole characters, and numbers.",
    ),
    "body-too-large": Notice(
        "The request is longer than the number `cap`, in bytes.", "Shorten it, or split the criteria."
    ),
    "limit-depth": Notice("The request is nested too deeply.", f"Keep to {MAX_DEPTH} open brackets at once."),
    "limit-number": Notice(
        "A number in the request has too many digits or too large an exponent.",
        "Keep to 1024 significant digits and exponents within 4096; send longer ones as text.",
    ),
    "member-unknown": Notice(
        "The request has a member the contract does not name.",
        "Send `deliverable`, `criteria` and, if you like, `jobRef`, and nothing else.",
    ),
    "member-missing": Notice(
        "The request lacks `deliverable` or `criteria`.", 'Send {"deliverable": {…}, "criteria": […]}.'
    ),
    "criteria-count": Notice(
        "`criteria` is not an array of 1 to 64 criteria.", "Send at least one, at most 64."
    ),
    "criterion-shape": Notice(
        "A criterion is not an object, or lacks `id` or `check`.", 'Send {"id": "…", "check": "…", …}.'
    ),
    "id-invalid": Notice(
        "The `id` of a criterion is not a string of 1 to 128 characters.", "Name it briefly."
    ),
    "id-repeated": Notice(
        "Two criteria have the same `id`.", "Give each its own: results are told apart by it."
    ),
    "check-unknown": Notice(
        "The `check` of a criterion is not on the menu.",
        "`assay deliverable registry` prints the menu; ours beyond the contract is refused under its profile.",
    ),
    "deliverable-shape": Notice(
        "`deliverable` is not exactly a kind and a value of that kind.",
        'Send {"kind": "text", "value": "…"}, {"kind": "json", "value": …} or {"kind": "bytes", "value": "<base64>"}.',
    ),
    "base64-not-canonical": Notice(
        "The value of kind `bytes` is not canonical base64.",
        "Use the standard alphabet with padding, on one line, as every common encoder writes it.",
    ),
    "deliverable-too-large": Notice(
        "The deliverable is longer than the number `cap`, in evaluated bytes.",
        "Deliver less, or deliver its digest or an index of its parts: the limit is before every criterion.",
    ),
    "jobref-not-string": Notice("`jobRef` is not a string.", "Send it as a string, or leave it out."),
    "extra-missing": Notice(
        "A criterion wants a signature recovered, and the library for that is not installed here.",
        "Install `assay402[evm]`, or leave `verifySignature` out.",
    ),
    "answer-shape": Notice(
        "What should be an answer is not a JSON object.",
        "Give the answer as `assay deliverable check --json` wrote it.",
    ),
}
