# pragma version 0.4.3
"""
A token for tests: EIP-3009 transfers under the domain that USDC has on the chain it stands on, and free minting.

It fails with the words of Circle's token, because facilitators tell failures apart by them. `token.json` holds the
runtime code, so that nothing needs a compiler; `docs/guides/sandbox.md` says how it was made.
"""

event Transfer:
    sender: indexed(address)
    receiver: indexed(address)
    amount: uint256

event AuthorizationUsed:
    authorizer: indexed(address)
    nonce: indexed(bytes32)

event AuthorizationCanceled:
    authorizer: indexed(address)
    nonce: indexed(bytes32)

VERSION: constant(String[1]) = "2"
BASE: constant(uint256) = 8453
DOMAIN: constant(bytes32) = keccak256(
    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
)
TRANSFER: constant(bytes32) = keccak256(
    "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
)
CANCEL: constant(bytes32) = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)")

balanceOf: public(HashMap[address, uint256])
totalSupply: public(uint256)
authorizationState: public(HashMap[address, HashMap[bytes32, bool]])


@internal
@view
def _name() -> String[8]:
    # USDC is named differently on the main network and on the test network.
    if chain.id == BASE:
        return "USD Coin"
    return "USDC"


@external
@view
def name() -> String[8]:
    return self._name()


@external
@view
def symbol() -> String[4]:
    return "USDC"


@external
@view
def version() -> String[1]:
    return VERSION


@external
@view
def decimals() -> uint8:
    return 6


@internal
@view
def _domain() -> bytes32:
    return keccak256(
        abi_encode(DOMAIN, keccak256(self._name()), keccak256(VERSION), chain.id, self)
    )


@external
@view
def DOMAIN_SEPARATOR() -> bytes32:
    return self._domain()


@external
def mint(receiver: address, amount: uint256):
    self.totalSupply += amount
    self.balanceOf[receiver] += amount
    log Transfer(sender=empty(address), receiver=receiver, amount=amount)


@internal
def _move(sender: address, receiver: address, amount: uint256):
    assert receiver != empty(address), "ERC20: transfer to the zero address"
    assert self.balanceOf[sender] >= amount, "ERC20: transfer amount exceeds balance"
    self.balanceOf[sender] -= amount
    self.balanceOf[receiver] += amount
    log Transfer(sender=sender, receiver=receiver, amount=amount)


@internal
@view
def _require_signature(
    signer: address, message: bytes32, v: uint8, r: bytes32, s: bytes32
):
    digest: bytes32 = keccak256(concat(0x1901, self._domain(), message))
    found: address = ecrecover(digest, v, r, s)
    assert found == signer and found != empty(address), "FiatTokenV2: invalid signature"


@external
def transfer(receiver: address, amount: uint256) -> bool:
    self._move(msg.sender, receiver, amount)
    return True


@external
def transferWithAuthorization(
    sender: address,
    receiver: address,
    amount: uint256,
    valid_after: uint256,
    valid_before: uint256,
    nonce: bytes32,
    v: uint8,
    r: bytes32,
    s: bytes32,
):
    assert block.timestamp > valid_after, "FiatTokenV2: authorization is not yet valid"
    assert block.timestamp < valid_before, "FiatTokenV2: authorization is expired"
    assert not self.authorizationState[sender][nonce], "FiatTokenV2: authorization is used or canceled"
    self._require_signature(
        sender,
        keccak256(abi_encode(TRANSFER, sender, receiver, amount, valid_after, valid_before, nonce)),
        v,
        r,
        s,
    )
    self.authorizationState[sender][nonce] = True
    log AuthorizationUsed(authorizer=sender, nonce=nonce)
    self._move(sender, receiver, amount)


@external
def cancelAuthorization(authorizer: address, nonce: bytes32, v: uint8, r: bytes32, s: bytes32):
    assert not self.authorizationState[authorizer][nonce], "FiatTokenV2: authorization is used or canceled"
    self._require_signature(authorizer, keccak256(abi_encode(CANCEL, authorizer, nonce)), v, r, s)
    self.authorizationState[authorizer][nonce] = True
    log AuthorizationCanceled(authorizer=authorizer, nonce=nonce)
