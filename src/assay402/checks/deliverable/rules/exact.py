"""Exact bytes: digests and length."""

from collections.abc import Callable

from assay402.checks.deliverable.model import Case, Finding, failed, passed
from assay402.checks.deliverable.rules.bounds import within
from assay402.checks.deliverable.rules.subject import subject
from assay402.core.canon import keccak256_hex, sha256_hex
from assay402.core.check import rule


@rule("deliverable/sha256-equals", since="0.1", spec="summary: sha256 equality")
def sha256_equals(case: Case) -> Finding:
    """Compare the SHA-256 of the delivered bytes with a stated one.

    ## What it reports
    PASS when the digests are equal, else FAIL `HASH_MISMATCH`; the detail says how many bytes were hashed. `value`
    is 64 hexadecimal digits in any case, with `0x` in front or not. For kind `json` the bytes are the canonical text.
    With `path` (an extension) the bytes are those of the one string there.

        {"id": "h", "check": "sha256_equals",
         "value": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}

    passes for the text `abc`.

    ## Why it matters
    A digest agreed beforehand leaves nothing to judge: it is this file or it is not.

    ## How to fix it
    Hash the bytes you deliver, after the last change and without a newline your shell added. `PARAM_INVALID` means
    that the value is no full digest: prefixes, base64 and `sha256-…` forms are not read.
    """
    return _compared(case, case.deliverable.sha256, sha256_hex)


@rule("deliverable/keccak256-equals", since="0.1", spec="summary: keccak256 equality")
def keccak256_equals(case: Case) -> Finding:
    """Compare the Keccak-256 of the delivered bytes with a stated one.

    ## What it reports
    PASS when the digests are equal, else FAIL `HASH_MISMATCH`; the detail says how many bytes were hashed. `value`
    and `path` are as in `sha256_equals`.

        {"id": "k", "check": "keccak256_equals",
         "value": "0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"}

    passes for the text `abc`.

    ## Why it matters
    Contracts on a chain commit to deliverables by this digest.

    ## How to fix it
    Use the Keccak-256 of Ethereum. SHA3-256 of the standard pads differently and gives another digest of the same
    bytes.
    """
    return _compared(case, case.deliverable.keccak256, keccak256_hex)


@rule("deliverable/byte-length", since="0.1", spec="summary: byte bounds")
def byte_length(case: Case) -> Finding:
    """Compare the number of delivered bytes with bounds.

    ## What it reports
    PASS within `min` and `max`, both inclusive, or at exactly `equals`; else FAIL `BELOW_MIN`, `ABOVE_MAX` or
    `NOT_EXACT`. The detail says the actual number.

        {"id": "size", "check": "byte_length", "min": 1, "max": 10000}

    passes for the text `abc`.

    ## Why it matters
    An empty or a truncated delivery is the commonest one that nobody wants to pay for.

    ## How to fix it
    Count bytes, not characters: text counts in UTF-8, and JSON in its canonical form, which has no blanks. Give
    at least one bound; `equals` goes alone.
    """
    data = subject(case)
    return data if isinstance(data, Finding) else within(len(data), case.parameters)


def _compared(case: Case, of_all: str, digest: Callable[[bytes], str]) -> Finding:
    """Compare the digest of all bytes, which is known, or that of the string at the criterion's path."""
    data = subject(case)
    if isinstance(data, Finding):
        return data
    found = of_all if case.parameters["path"] is None else digest(data)
    if found == case.parameters["value"]:
        return passed(byteLength=len(data))
    return failed("HASH_MISMATCH", byteLength=len(data))
