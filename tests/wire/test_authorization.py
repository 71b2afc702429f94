"""The signer of an authorization is recovered offline; the vectors of `x402_valid` show what comes of it."""

import subprocess
import sys
from pathlib import Path

import pytest

from assay402.wire.authorization import Domain, can_recover, personal_signer, signer

DOMAIN = Domain(
    name="USD Coin", version="2", chain_id=8453, contract="0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
)
AUTHORIZATION = {
    "from": "0x857b06519E91e3A54538791bDbb0E22373e36b66",
    "to": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    "value": "10000",
    "validAfter": "1740672089",
    "validBefore": "1740672154",
    "nonce": "0xf3746613c2d920b5fdabc0856f2aeb2d4f88ee6037b8cc5d04a71a4462f13480",
}
EXAMPLE = (
    "0x2d6a7588d6acca505cbf0d9a4a227e0c52c6c34008c8e8986a1283259764173608a2ce6496642e377d6da8dbbf5836e9"
    "bd15092f9ecab05ded3d6293af148b571c"
)


def test_the_library_is_there_when_tests_run() -> None:
    assert can_recover()


def test_recovering_leaves_the_recursion_limit_as_it_was() -> None:
    """A part of the library lifts it on loading, and encoders then overrun the native stack."""
    program = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent.parent)!r});"
        "from wire.test_authorization import AUTHORIZATION, DOMAIN, EXAMPLE;"
        "from assay402.wire.authorization import signer; before = sys.getrecursionlimit();"
        "assert signer(DOMAIN, AUTHORIZATION, EXAMPLE); print(before == sys.getrecursionlimit())"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=60
    )
    assert run.stdout.strip() == "True"


def test_a_signature_names_its_signer() -> None:
    """The published example of a payment, whose domain is that of its network's token."""
    domain = Domain(
        name="USDC", version="2", chain_id=84532, contract="0x036CbD53842c5426634e7929541eC2318f3dCF7e"
    )
    assert signer(domain, AUTHORIZATION, EXAMPLE) == AUTHORIZATION["from"].lower()
    assert signer(DOMAIN, AUTHORIZATION, EXAMPLE) != AUTHORIZATION["from"].lower()


@pytest.mark.parametrize(
    "signature",
    [
        "0x" + "00" * 65,
        "0x" + "ff" * 65,
        "0x" + "00" * 64 + "1b",
        "0x" + "ff" * 64 + "1c",
        EXAMPLE[:-2] + "63",
    ],
)
def test_a_signature_that_names_nobody_names_nobody(signature: str) -> None:
    assert signer(DOMAIN, AUTHORIZATION, signature) is None


def test_a_signed_text_names_its_signer() -> None:
    """EIP-191, as wallets sign texts; the key is made here."""
    eth_account = pytest.importorskip("eth_account")
    account = eth_account.Account.from_key("0x" + "11" * 32)
    signed = account.sign_message(eth_account.messages.encode_defunct(text="I pay."))
    signature = "0x" + signed.signature.hex().removeprefix("0x")
    assert personal_signer("I pay.", signature) == account.address.lower()
    assert personal_signer("I do not pay.", signature) != account.address.lower()


@pytest.mark.parametrize("signature", ["0x" + "00" * 64 + "05", "0x" + "ff" * 64 + "1b"])
def test_a_signature_of_a_text_that_is_none_names_nobody(signature: str) -> None:
    assert personal_signer("I pay.", signature) is None
