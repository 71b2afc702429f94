"""The link rule: which text is an https link that every reader of a challenge takes for the same address."""

import re
from ipaddress import AddressValueError, IPv6Address
from typing import Final, Literal, TypeAlias

LinkFault: TypeAlias = Literal["link-not-https", "legal-context-malformed"]
"""Another scheme, or anything else that is wrong; the names are the buyer gate's."""

MAX_LINK: Final = 2048
"""UTF-16 units."""
_MAX_NAME: Final = 253
_MAX_PORT: Final = 65_535
_MAX_IPV4_PARTS: Final = 4
_BYTE: Final = 0xFF

_FORBIDDEN: Final = re.compile(
    "[\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\\\\]|[\ud800-\udfff]"
)
"""Blanks of all scripts, control characters, the backslash, and halves of surrogate pairs."""
_LINK: Final = re.compile(r"https://([^/?#]*)(?:[/?#].*)?", re.IGNORECASE | re.DOTALL)
_LABEL: Final = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_AUTHORITY: Final = re.compile(
    rf"(?P<address>\[[0-9A-Fa-f:.]+\])|(?P<name>{_LABEL}(?:\.{_LABEL})*)\.?", re.ASCII
)
_PORT: Final = re.compile(r":([0-9]{0,5})")
_NUMBER: Final = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")

_TRIMMED: Final = "".join(map(chr, range(0x21)))
"""What a URL parser drops at both ends; tabs and line ends it drops everywhere."""
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_SPECIAL: Final = frozenset({"http", "ws", "wss", "ftp"})
"""Schemes that need a host, as the WHATWG standard has it (`https` apart)."""
_HOST_PORT: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:]*)(?::([0-9]*))?")
_NO_HOST: Final = re.compile(r"[\x00-\x20\x7f<>\[\]^|@\\]|%(?![0-9A-Fa-f]{2})")


def link_fault(value: object) -> LinkFault | None:
    """Judge a link; None for one that passes.

    A link is text of at most 2048 UTF-16 units without blanks, control characters and backslashes, of the scheme
    https in any case, with a DNS name or a bracketed address as host, a port up to 65535 and no user name.
    """
    if not isinstance(value, str) or _utf16_length(value) > MAX_LINK:
        return "legal-context-malformed"
    match = _LINK.fullmatch(value)
    if match is not None and _is_authority(match[1]) and not _FORBIDDEN.search(value):
        return None
    return "link-not-https" if _is_of_another_scheme(value) else "legal-context-malformed"


def _utf16_length(text: str) -> int:
    # At least one unit a character, so a long text need not be encoded to be told long.
    return (
        len(text)
        if len(text) > MAX_LINK or text.isascii()
        else len(text.encode("utf-16-le", "surrogatepass")) // 2
    )


def _is_authority(text: str) -> bool:
    host = _AUTHORITY.match(text)
    if host is None:
        return False
    port = _PORT.fullmatch(text, host.end())
    if host.end() < len(text) and (port is None or int(port[1] or 0) > _MAX_PORT):
        return False
    return _is_address(host["address"]) if host["name"] is None else _is_name(host["name"])


def _is_address(bracketed: str) -> bool:
    try:
        IPv6Address(bracketed[1:-1])
    except AddressValueError:
        return False
    return True


def _is_name(name: str) -> bool:
    if len(name) > _MAX_NAME:
        return False
    labels = name.split(".")
    # A name whose last label is a number is read as an IPv4 address, in all the forms of old C libraries.
    if _NUMBER.fullmatch(labels[-1]):
        return _is_ipv4(labels)
    if "xn--" not in name.lower():
        return True
    return all(_is_punycode(label[4:]) for label in labels if label[:4].lower() == "xn--")


def _is_ipv4(parts: list[str]) -> bool:
    if len(parts) > _MAX_IPV4_PARTS or not all(_NUMBER.fullmatch(part) for part in parts):
        return False
    try:
        *high, low = [_ipv4_number(part) for part in parts]
    except ValueError:
        return False
    return all(number <= _BYTE for number in high) and low < 256 ** (_MAX_IPV4_PARTS + 1 - len(parts))


def _ipv4_number(part: str) -> int:
    if part[:2] in ("0x", "0X"):
        return int(part[2:] or "0", 16)
    return int(part, 8) if len(part) > 1 and part[0] == "0" else int(part)


def _is_punycode(digits: str) -> bool:
    try:
        decoded = digits.encode("ascii").decode("punycode")
    except UnicodeError:
        return False
    return decoded.isprintable() and not decoded.isascii()


def _is_of_another_scheme(value: str) -> bool:
    """Tell whether a URL parser reads the text as an absolute URL, and not one of https."""
    match = _SCHEME.fullmatch(re.sub("[\t\n\r]", "", value.strip(_TRIMMED)))
    if match is None or match[1].lower() == "https":
        return False
    if match[1].lower() in _SPECIAL:
        return _is_host(re.split(r"[/\\?#]", match[2].lstrip("/\\"), maxsplit=1)[0], is_needed=True)
    if not match[2].startswith("//") or match[1].lower() == "file":
        return True
    return _is_host(re.split("[/?#]", match[2][2:], maxsplit=1)[0], is_needed=False)


def _is_host(authority: str, *, is_needed: bool) -> bool:
    """Judge the authority of another scheme, roughly: it only decides which of two refusals is given."""
    split = _HOST_PORT.fullmatch(authority.rpartition("@")[2])
    if split is None or int((split[2] or "0")[:6]) > _MAX_PORT:
        return False
    if split[1].startswith("["):
        return _is_address(split[1])
    labels = split[1].removesuffix(".").split(".")
    if is_needed and _NUMBER.fullmatch(labels[-1]) and not _is_ipv4(labels):
        return False
    return not _NO_HOST.search(split[1]) and (bool(split[1]) or (not is_needed and split[2] is None))
