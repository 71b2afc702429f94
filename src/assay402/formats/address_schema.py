"""JSON Schemas of addresses, as far as a pattern can say what is admitted; the guard says the rest."""

from typing import Any, Final

from assay402.core.target import MAX_URL

_LABEL: Final = "[0-9A-Za-z]([0-9A-Za-z-]*[0-9A-Za-z])?"
_LAST: Final = "[A-Za-z]([0-9A-Za-z-]*[0-9A-Za-z])?"
_LITERAL: Final = r"([0-9]{1,3}\.){3}[0-9]{1,3}|\[[0-9A-Fa-f:.]+\]"
_PORT: Final = "(:[0-9]{1,5})?"
_REST: Final = r"([/?#][!-\[\]-~]*)?"
_PUBLIC: Final = rf"(({_LABEL}\.)+{_LAST}\.?|{_LITERAL}){_PORT}"
_ANY: Final = rf"(({_LABEL}\.)*{_LAST}\.?|{_LITERAL}){_PORT}"


def public_url(description: str) -> dict[str, Any]:
    """Give the schema of an address that the network may be asked for: http or https, a full name or a literal."""
    return _address(f"^[Hh][Tt][Tt][Pp][Ss]?://{_PUBLIC}{_REST}$", description)


def any_url(description: str) -> dict[str, Any]:
    """Give the schema of an http or https address whose host is judged only when it is connected to."""
    return _address(f"^[Hh][Tt][Tt][Pp][Ss]?://{_ANY}{_REST}$", description)


def https_origin(path: str, description: str) -> dict[str, Any]:
    """Give the schema of an https origin, with its scheme or without, and with nothing behind it but this path."""
    behind = path.removeprefix("/").replace(".", r"\.")
    return _address(
        rf"^([Hh][Tt][Tt][Pp][Ss]://)?{_ANY}(/({behind})?)?(#[!-\[\]-~]*)?$",
        description,
    )


def _address(pattern: str, description: str) -> dict[str, Any]:
    return {"type": "string", "maxLength": MAX_URL, "pattern": pattern, "description": description}
