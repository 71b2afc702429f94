"""URLs as web clients read them: the parts of an address, in the one spelling that two spellings are compared in.

This follows the URL standard of browsers where it matters for comparing hosts and paths: blanks around and inside are
dropped, scheme and host are lower case, international hosts take their ASCII form, default ports vanish, dot segments
are resolved, and what a path may not hold is percent-encoded. Whether an address may be contacted is for
`core.target` to say.
"""

import re
from typing import Final

from msgspec import Struct

_DEFAULT_PORTS: Final = {"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}
_MAX_PORT: Final = 65_535
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_EDGE: Final = "".join(map(chr, range(0x21)))
_INSIDE: Final = re.compile(r"[\t\r\n]")
_FORBIDDEN_IN_HOST: Final = re.compile(r"[\x00-\x20\x7f#/:<>?@\[\\\]^|%]")
_BRACKETED: Final = re.compile(r"\[[0-9A-Fa-f:.]+\]")
_TO_ENCODE: Final = re.compile(r"[\x00-\x20\"#<>?`{}\x7f-\U0010ffff]")
_ENCODED_DOT: Final = re.compile("%2e", re.IGNORECASE)
_OCTET: Final = re.compile(rb"%([0-9A-Fa-f]{2})")


class WebURL(Struct, frozen=True, kw_only=True):
    """A parsed URL."""

    scheme: str
    userinfo: str
    host: str
    """Lower case and ASCII, with the brackets of an IPv6 address; empty where the scheme needs none."""
    port: str
    """Empty for the scheme's own port."""
    path: str
    query: str
    """With its question mark, or empty."""

    @property
    def is_web(self) -> bool:
        """Whether this is an http or https address."""
        return self.scheme in ("http", "https")

    @property
    def host_and_port(self) -> str:
        """The host, with the port where it is not the scheme's own."""
        return f"{self.host}:{self.port}" if self.port else self.host

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"{self.scheme}://{self.host_and_port}"

    @property
    def href(self) -> str:
        """The whole address without a fragment."""
        userinfo = f"{self.userinfo}@" if self.userinfo else ""
        return f"{self.scheme}://{userinfo}{self.host_and_port}{self.path}{self.query}"


def parse_web_url(text: str) -> WebURL | None:
    """Read an absolute URL, or give None for what a web client would not take."""
    match = _SCHEME.fullmatch(_INSIDE.sub("", text.strip(_EDGE)))
    if match is None:
        return None
    scheme, rest = match[1].lower(), match[2].partition("#")[0]
    if scheme in _DEFAULT_PORTS:
        before, mark, query = rest.partition("?")
        rest = "//" + before.replace("\\", "/").lstrip("/") + mark + query
    if not rest.startswith("//"):
        path, mark, query = rest.partition("?")
        return WebURL(scheme=scheme, userinfo="", host="", port="", path=path, query=mark + query)
    return _with_authority(scheme, rest[2:])


def _with_authority(scheme: str, rest: str) -> WebURL | None:
    before, mark, query = rest.partition("?")
    authority, slash, path = before.partition("/")
    userinfo, _, place = authority.rpartition("@")
    host_text, port_text = _split_port(place)
    host, port = _host(host_text), _port(port_text, scheme)
    if host is None or port is None or (not host and scheme in _DEFAULT_PORTS):
        return None
    return WebURL(
        scheme=scheme,
        userinfo=userinfo,
        host=host,
        port=port,
        path=_path(slash + path) or ("/" if scheme in _DEFAULT_PORTS else ""),
        query="?" + _encode(query, keep="?`{}") if mark and query else "",
    )


def _split_port(place: str) -> tuple[str, str]:
    if place.endswith("]"):
        return place, ""
    host, colon, port = place.rpartition(":")
    return (host, port) if colon else (place, "")


def _host(text: str) -> str | None:
    if text.startswith("["):
        return text.lower() if _BRACKETED.fullmatch(text) else None
    try:
        name = _OCTET.sub(lambda match: bytes([int(match[1], 16)]), text.encode()).decode()
        host = name.lower() if name.isascii() else name.encode("idna").decode().lower()
    except UnicodeError:
        return None
    return None if _FORBIDDEN_IN_HOST.search(host) else host


def _port(text: str, scheme: str) -> str | None:
    if not text:
        return ""
    if not (text.isascii() and text.isdigit()) or int(text[-6:]) > _MAX_PORT or text[:-6].strip("0"):
        return None
    port = str(int(text))
    return "" if port == _DEFAULT_PORTS.get(scheme) else port


def _path(text: str) -> str:
    kept: list[str] = []
    segments = text.split("/")[1:]
    for position, segment in enumerate(segments):
        plain, is_last = _ENCODED_DOT.sub(".", segment), position == len(segments) - 1
        if plain == "..":
            kept = kept[:-1]
        elif plain != ".":
            kept.append(_encode(segment))
        if plain in (".", "..") and is_last:
            kept.append("")
    return "".join(f"/{segment}" for segment in kept)


def _encode(text: str, keep: str = "") -> str:
    def encoded(match: re.Match[str]) -> str:
        if match[0] in keep:
            return match[0]
        return "".join(f"%{octet:02X}" for octet in match[0].encode(errors="replace"))

    return _TO_ENCODE.sub(encoded, text)
