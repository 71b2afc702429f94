"""Which addresses a fetch may go to: the pure part of the guard.

`parse` judges the spelling of a URL before anything is looked up, `judge_address` one resolved address before
anything is dialled. `net.guard` applies both at connect time; admission uses `parse` alone, which is free.
The tables are explicit: the standard library's `is_private` and its like change between patch releases.
"""

import re
from collections.abc import Mapping
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

from msgspec import Struct

from assay402.core.check import Refusal
from assay402.core.errors import Notice

MAX_URL: Final = 2_048
"""Characters of a URL; longer ones meet limits of servers and proxies at unpredictable places."""
MAX_HOST: Final = 253
"""Characters of a host name (RFC 1035, without the root dot)."""

SPECIAL_USE: Final = frozenset(
    {
        "localhost",
        "local",
        "localdomain",
        "internal",
        "intranet",
        "lan",
        "corp",
        "home",
        "home.arpa",
        "test",
        "invalid",
        "example",
        "onion",
        "arpa",
        "alt",
    }
)
"""Suffixes that never name a public host."""

_FETCH_STANDARD_BAD_PORTS: Final = (
    "1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119"
    " 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989"
    " 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080"
)
_DATA_STORE_PORTS: Final = (
    "2375 2376 2379 2380 3306 4194 5432 5984 6379 6443 8500 9200 9300 10250 10255 11211 27017"
)
REFUSED_PORTS: Final = frozenset(
    int(port) for port in f"{_FETCH_STANDARD_BAD_PORTS} {_DATA_STORE_PORTS}".split()
)
"""The Fetch standard's bad ports and those of data stores and cluster controllers."""

_MAX_PORT: Final = 65_535
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_CONTROL_OR_SPACE: Final = re.compile(r"[\x00-\x20\x7f]")
_SHAPE: Final = re.compile(r"//([^/?#]+)([^#]*)(?:#.*)?")
_AUTHORITY: Final = re.compile(r"(\[[^\[\]]*\]|.*?)(?::([^:]*))?", re.DOTALL)
_LABEL: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_NUMERIC_LABEL: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_DOTTED_QUAD: Final = re.compile(r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}")
_PORT: Final = re.compile(r"[0-9]{1,5}")

_IPV4: Final = tuple(
    (IPv4Network(block), f"addr_{name}")
    for block, name in (
        ("0.0.0.0/8", "this_network"),
        ("10.0.0.0/8", "private"),
        ("172.16.0.0/12", "private"),
        ("192.168.0.0/16", "private"),
        ("100.64.0.0/10", "cgnat"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "metadata"),
        ("169.254.0.0/16", "link_local"),
        ("192.0.0.0/24", "ietf"),
        ("192.0.2.0/24", "documentation"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("192.31.196.0/24", "as112"),
        ("192.175.48.0/24", "as112"),
        ("192.52.193.0/24", "amt"),
        ("192.88.99.0/24", "6to4_relay"),
        ("198.18.0.0/15", "benchmark"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
)
_IPV6_FIRST: Final = tuple(
    (IPv6Network(block), f"addr_{name}")
    for block, name in (("::ffff:0:0/96", "v4_mapped"), ("64:ff9b::/96", "nat64"), ("::1/128", "loopback"))
)
_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
_ISATAP: Final = frozenset({0x0000_5EFE, 0x0200_5EFE})
_IPV6_THEN: Final = tuple(
    (IPv6Network(block), f"addr_{name}")
    for block, name in (
        ("2001::/23", "ietf"),
        ("2001:db8::/32", "documentation"),
        ("3fff::/20", "documentation"),
        ("2002::/16", "6to4"),
        ("2620:4f:8000::/48", "as112"),
    )
)


class Target(Struct, frozen=True, kw_only=True):
    """A URL that may be fetched as far as its spelling tells."""

    scheme: str
    """`http` or `https`."""
    host: str
    """Lower case, without brackets and root dot: a name or the text of an address."""
    port: int
    request_target: str
    """Path and query exactly as submitted; the fragment is dropped."""
    is_address: bool
    """The host is a literal address: nothing to look up."""

    @property
    def host_header(self) -> str:
        """What the Host header says: the port only where it is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"


def parse(url: str, *, allow_private: bool = False) -> Target | Refusal:
    """Judge the spelling of a URL, in the published order: the first rule that is broken names the refusal.

    `allow_private` lifts `addr_*`, `host_single_label`, `host_special_use` and the list of refused ports;
    the rules of scheme, userinfo and spelling stay. It is for a person's own machine, never for a service.
    """
    refused = _judge_characters(url)
    if refused is not None:
        return refused
    scheme, colon, rest = url.partition(":")
    scheme = scheme.lower()
    if not colon:
        return Refusal(code="url_malformed")
    if scheme not in _DEFAULT_PORTS:
        return Refusal(code="scheme")
    if "@" in re.split("[/?#]", rest.removeprefix("//"), maxsplit=1)[0]:
        return Refusal(code="userinfo")
    shape = _SHAPE.fullmatch(rest)
    if shape is None:
        return Refusal(code="url_malformed")
    split = _AUTHORITY.fullmatch(shape[1])
    host_text, port_text = (split[1], split[2]) if split is not None else (shape[1], None)
    host = _judge_host(host_text.lower(), allow_private=allow_private)
    if isinstance(host, Refusal):
        return host
    port = (
        _DEFAULT_PORTS[scheme] if port_text is None else _judge_port(port_text, allow_private=allow_private)
    )
    if port is None:
        return Refusal(code="port")
    return Target(
        scheme=scheme,
        host=host,
        port=port,
        request_target=shape[2] if shape[2].startswith("/") else f"/{shape[2]}",
        is_address=":" in host or _DOTTED_QUAD.fullmatch(host) is not None,
    )


def judge_address(address: str) -> str | None:
    """Give the code of the block that makes an address unfit to contact, or None for public unicast."""
    if "%" in address:
        return "addr_zone_id"
    if ":" not in address:
        v4 = IPv4Address(address)
        return next((code for block, code in _IPV4 if v4 in block), None)
    v6 = IPv6Address(address)
    code = next((code for block, code in _IPV6_FIRST if v6 in block), None)
    if code is not None:
        return code
    if v6 not in _GLOBAL_UNICAST:
        return "addr_not_global_unicast_v6"
    if int(v6) >> 32 & 0xFFFF_FFFF in _ISATAP:
        return "addr_isatap"
    return next((code for block, code in _IPV6_THEN if v6 in block), None)


def _judge_characters(url: str) -> Refusal | None:
    if len(url) > MAX_URL:
        return Refusal(code="url_too_long", length=len(url), cap=MAX_URL)
    if not url.isascii():
        return Refusal(code="url_not_ascii")
    if _CONTROL_OR_SPACE.search(url):
        return Refusal(code="url_control_or_space")
    if "\\" in url:
        return Refusal(code="url_backslash")
    return None


def _judge_host(text: str, *, allow_private: bool) -> str | Refusal:
    if text.startswith("["):
        return _judge_bracketed(text, allow_private=allow_private)
    host = text.removesuffix(".")
    labels = host.split(".")
    if len(host) > MAX_HOST or not all(_LABEL.fullmatch(label) for label in labels):
        return Refusal(code="host_malformed")
    if _NUMERIC_LABEL.fullmatch(labels[-1]):
        if not _DOTTED_QUAD.fullmatch(text):
            return Refusal(code="host_numeric_form")
        return _judge_literal(host, allow_private=allow_private)
    if allow_private:
        return host
    if len(labels) == 1:
        return Refusal(code="host_single_label")
    if labels[-1] in SPECIAL_USE or ".".join(labels[-2:]) in SPECIAL_USE:
        return Refusal(code="host_special_use")
    return host


def _judge_bracketed(text: str, *, allow_private: bool) -> str | Refusal:
    inside = text[1:-1]
    try:
        if not text.endswith("]") or "%" in inside:
            return Refusal(code="host_malformed")
        IPv6Address(inside)
    except AddressValueError:
        return Refusal(code="host_malformed")
    return _judge_literal(inside, allow_private=allow_private)


def _judge_literal(address: str, *, allow_private: bool) -> str | Refusal:
    code = None if allow_private else judge_address(address)
    return address if code is None else Refusal(code=code)


def _judge_port(text: str, *, allow_private: bool) -> int | None:
    if not _PORT.fullmatch(text) or not 0 < int(text) <= _MAX_PORT:
        return None
    return None if int(text) in REFUSED_PORTS and not allow_private else int(text)


_ALLOW_PRIVATE: Final = "If it is your own machine, run the command with `--allow-private`."
_A_BLOCK: Final = "The address lies in a block that is not public unicast: "
NOTICES: Mapping[str, Notice] = {
    "url_too_long": Notice("The URL is too long.", "Shorten it to at most the number `cap`, in characters."),
    "url_not_ascii": Notice(
        "The URL holds characters beyond ASCII.", "Write the host as its `xn--` form, the rest as %XX."
    ),
    "url_control_or_space": Notice(
        "The URL holds a blank or a control character.", "Write it as %XX, or remove it."
    ),
    "url_backslash": Notice("The URL holds a backslash.", "Write `/` between parts, %5C inside one."),
    "url_malformed": Notice(
        "The URL has no scheme, no `//` or no host.",
        "Write it as `https://host/path`, with `https://` in front.",
    ),
    "scheme": Notice(
        "The scheme is not http or https.",
        "Submit the http or https address of the endpoint, with `https://` in front.",
    ),
    "userinfo": Notice(
        "The URL carries a user name or password.", "Remove everything up to the `@` of the host."
    ),
    "host_malformed": Notice(
        "The host is neither a name nor an address.",
        "Use letters, digits and hyphens in each label, or an IPv6 address in brackets without a zone.",
    ),
    "host_numeric_form": Notice(
        "The host ends in a number but is no plain dotted address.",
        "Write four decimal numbers from 0 to 255.",
    ),
    "host_single_label": Notice("The host has a single label, which no public name has.", _ALLOW_PRIVATE),
    "host_special_use": Notice(
        "The name ends in a suffix that is never public.", "Use the endpoint's real name. " + _ALLOW_PRIVATE
    ),
    "port": Notice(
        "The port is out of range, or one that no web server should answer on.",
        "Submit the endpoint on its web port. " + _ALLOW_PRIVATE,
    ),
    "own_address": Notice("The name leads back to this service.", "Submit another endpoint."),
    "addr_this_network": Notice(_A_BLOCK + "this network.", _ALLOW_PRIVATE),
    "addr_private": Notice(_A_BLOCK + "private use.", _ALLOW_PRIVATE),
    "addr_cgnat": Notice(_A_BLOCK + "shared between provider and customer.", _ALLOW_PRIVATE),
    "addr_loopback": Notice(_A_BLOCK + "loopback.", _ALLOW_PRIVATE),
    "addr_metadata": Notice(_A_BLOCK + "a cloud's own services.", _ALLOW_PRIVATE),
    "addr_link_local": Notice(_A_BLOCK + "link local.", _ALLOW_PRIVATE),
    "addr_ietf": Notice(_A_BLOCK + "protocol assignments.", _ALLOW_PRIVATE),
    "addr_documentation": Notice(_A_BLOCK + "documentation.", _ALLOW_PRIVATE),
    "addr_as112": Notice(_A_BLOCK + "AS112.", _ALLOW_PRIVATE),
    "addr_amt": Notice(_A_BLOCK + "multicast tunnels.", _ALLOW_PRIVATE),
    "addr_6to4_relay": Notice(_A_BLOCK + "6to4 relays.", _ALLOW_PRIVATE),
    "addr_6to4": Notice(_A_BLOCK + "6to4.", _ALLOW_PRIVATE),
    "addr_benchmark": Notice(_A_BLOCK + "benchmarking.", _ALLOW_PRIVATE),
    "addr_multicast": Notice(_A_BLOCK + "multicast.", _ALLOW_PRIVATE),
    "addr_reserved": Notice(_A_BLOCK + "reserved.", _ALLOW_PRIVATE),
    "addr_zone_id": Notice("The address carries a zone, which is local to one machine.", _ALLOW_PRIVATE),
    "addr_v4_mapped": Notice(
        _A_BLOCK + "IPv4 written as IPv6.", "Write the IPv4 address plainly. " + _ALLOW_PRIVATE
    ),
    "addr_nat64": Notice(_A_BLOCK + "NAT64.", _ALLOW_PRIVATE),
    "addr_isatap": Notice(_A_BLOCK + "ISATAP.", _ALLOW_PRIVATE),
    "addr_not_global_unicast_v6": Notice(_A_BLOCK + "IPv6 outside global unicast.", _ALLOW_PRIVATE),
}
"""Every code that judging a URL or an address can give, explained."""
