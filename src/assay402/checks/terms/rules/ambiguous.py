"""Names of a challenge that readers take in more than one way, whatever terms the reading taken here finds."""

from typing import Any, Final

from assay402.checks.terms.kit.repeated import repeated_on_the_way
from assay402.checks.terms.kit.values import own
from assay402.checks.terms.model import X402
from assay402.checks.terms.protocols import manifests
from assay402.core.strictjson import JSON, members

_TOP: Final = ("accepts", "extensions")
_OF_AN_OPTION: Final = ("extra",)


def has_ambiguous_names(document: JSON) -> bool:
    """Tell whether a name on the way to terms, in any option of an x402 challenge, stands twice or in another case.

    Some readers take the first of two members and others the last, and some take a name in whatever case.
    """
    manifest = manifests()[X402]
    if repeated_on_the_way(manifest, document) is not None or _has_variant(document, _TOP):
        return True
    accepts = own(document, "accepts")
    return any(
        _has_variant(option, _OF_AN_OPTION)
        or repeated_on_the_way(manifest, {"accepts": [option]}) is not None
        for option in (accepts if isinstance(accepts, list) else ())
    )


def hides_options(value: JSON) -> bool:
    """Tell whether some reader finds options in an object whose `accepts`, as read here, is no list with any.

    Null, words or an empty list are none to anybody, where nothing else goes by that name.
    """
    return isinstance(value, dict) and (
        isinstance(value.get("accepts"), dict)
        or _has_variant(value, ("accepts",))
        or [name for name, _ in members(value)].count("accepts") > 1
    )


def _has_variant(value: Any, names: tuple[str, ...]) -> bool:  # noqa: ANN401  (any JSON value)
    """Tell whether an object has one of the names in another case.

    Full case folding also takes the long s and the Kelvin sign for the letters they stand for, as such readers do.
    """
    return isinstance(value, dict) and any(
        isinstance(key, str) and key not in names and key.casefold() in names for key in value
    )
