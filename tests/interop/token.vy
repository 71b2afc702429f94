# pragma version 0.4.3
"""
A token for tests: EIP-3009 transfers under the domain of USDC on the test network, and free minting.
Compiled by `vyper -f bytecode_runtime token.vy`; `token.json` holds the result, so that no test needs a compiler.
"""

event Transfer:
    sender: indexed(address)
    receiver: indexed(address)
    amount: uint256

event AuthorizationUsed:
    authorizer: indexed(address)
    nonce: indexed(bytes32)

NAME: constant(String[4]) = "USDC"
VERSION: constant(String[1]) = "2"
DOMAIN: constant(bytes32) = keccak256(
    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
)
TRANSFER: constant(bytes32) = keccak256(
    "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
)

balanceOf: public(HashMap[address, uint256])
authorizationState: public(HashMap[address, HashMap[bytes32, bool]])


@external
@view
def name() -> String[4]:
    return NAME


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
    return keccak256(abi_encode(DOMAIN, keccak256(NAME), keccak256(VERSION), chain.id, self))


@external
@view
def DOMAIN_SEPARATOR() -> bytes32:
    return self._domain()


@external
def mint(receiver: address, amount: uint256):
    self.balanceOf[receiver] += amount
    log Transfer(sender=empty(address), receiver=receiver, amount=amount)


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
    assert block.timestamp > valid_after, "authorization is not yet valid"
    assert block.timestamp < valid_before, "authorization is expired"
    assert not self.authorizationState[sender][nonce], "authorization is used or canceled"
    message: bytes32 = keccak256(
        abi_encode(TRANSFER, sender, receiver, amount, valid_after, valid_before, nonce)
    )
    digest: bytes32 = keccak256(concat(0x1901, self._domain(), message))
    signer: address = ecrecover(digest, v, r, s)
    assert signer == sender and signer != empty(address), "invalid signature"
    assert self.balanceOf[sender] >= amount, "transfer amount exceeds balance"
    self.authorizationState[sender][nonce] = True
    self.balanceOf[sender] -= amount
    self.balanceOf[receiver] += amount
    log AuthorizationUsed(authorizer=sender, nonce=nonce)
    log Transfer(sender=sender, receiver=receiver, amount=amount)
