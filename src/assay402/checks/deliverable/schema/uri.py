"""Resolving a reference against a base, as RFC 3986 section 5.2 has it; nothing is ever fetched."""

import re
from collections.abc import Mapping
from typing import Final

_PARTS: Final = re.compile(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
_ESCAPED: Final = re.compile(rb"%([0-9a-fA-F]{2})")
_ESCAPE: Final = re.compile("%([0-9a-fA-F]{2})")
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]+")
_NOT_IN_FRAGMENT: Final = re.compile(r"[^A-Za-z0-9._~!$&'()*+,;=:@/-]+")
_UNRESERVED: Final = re.compile(r"[A-Za-z0-9._~-]")
_PORTS: Final[Mapping[str, str]] = {"http": "80", "https": "443", "ws": "80", "wss": "443"}
"""The port of a scheme where none is written."""


def resolve(base: str, reference: str) -> tuple[str, str]:
    """Give the absolute URI without fragment that a reference names, and the fragment with its escapes undone."""
    scheme, authority, path, query, fragment = _split(reference)
    named = unescape(fragment or "")
    base_scheme, base_authority, base_path, base_query, _ = _split(base)
    if scheme is None:
        scheme = base_scheme
        if authority is None:
            authority = base_authority
            if path == "":
                return _join(scheme, authority, base_path, base_query if query is None else query), named
            if not path.startswith("/"):
                path = _merge(base_path, path, has_authority=base_authority is not None)
    return _join(scheme, authority, _without_dots(path), query), named


def unescape(text: str) -> str:
    """Undo percent escapes; bytes that are no UTF-8 stay as replacement characters, which no name holds."""
    return _ESCAPED.sub(lambda match: bytes.fromhex(match[1].decode()), text.encode()).decode(
        errors="replace"
    )


def _split(uri: str) -> tuple[str | None, str | None, str, str | None, str | None]:
    match = _PARTS.fullmatch(uri)
    assert match is not None  # noqa: S101  (every part is optional, so any text is taken apart)
    return match[1], match[2], match[3], match[4], match[5]


def _merge(base_path: str, path: str, *, has_authority: bool) -> str:
    if has_authority and base_path == "":
        return "/" + path
    return base_path[: base_path.rfind("/") + 1] + path


def _without_dots(path: str) -> str:
    """Remove `.` and `..` steps."""
    if "." not in path:
        return path
    kept: list[str] = []
    steps = path.split("/")
    for place, step in enumerate(steps):
        if step in (".", ".."):
            if step == ".." and len(kept) > 1:
                kept.pop()
            if place == len(steps) - 1:
                kept.append("")
        else:
            kept.append(step)
    return "/".join(kept)


def _join(scheme: str | None, authority: str | None, path: str, query: str | None) -> str:
    start = "" if scheme is None else f"{scheme}:"
    middle = "" if authority is None else f"//{authority}"
    return f"{start}{middle}{path}{'' if query is None else f'?{query}'}"


def normal(uri: str) -> str:
    """Put an absolute URI in the form in which all its spellings are equal: RFC 3986, sections 6.2.2 and 6.2.3."""
    scheme, authority, path, query, _ = _split(uri)
    name = (scheme or "").lower()
    path = _without_dots(_escapes_normal(path))
    if authority is not None:
        authority = _authority_normal(authority, name)
        path = "/" if path == "" and name in _PORTS else path
    return _join(
        None if scheme is None else name, authority, path, None if query is None else _escapes_normal(query)
    )


def _authority_normal(authority: str, scheme: str) -> str:
    user, at, place = authority.rpartition("@")
    host, colon, port = place.rpartition(":")
    if not colon or "]" in port:
        host, colon, port = place, "", ""
    is_default = port in ("", _PORTS.get(scheme))
    host = _escapes_normal(_escapes_normal(host).lower())
    return f"{_escapes_normal(user)}{at}{host}{'' if is_default else colon + port}"


def _escapes_normal(text: str) -> str:
    """Escape what is not ASCII, undo what needs no escape, and put the others in capitals."""
    return _ESCAPE.sub(_escape_normal, _NOT_ASCII.sub(_escape, text))


def escape_fragment(text: str) -> str:
    """Escape what may not stand in a fragment, so that it is read as it is."""
    return _NOT_IN_FRAGMENT.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def _escape_normal(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if _UNRESERVED.fullmatch(character) else match[0].upper()
