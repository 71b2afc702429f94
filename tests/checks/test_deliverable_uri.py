"""References of a schema are resolved as RFC 3986 has it."""

import pytest

from assay402.checks.deliverable.schema.uri import resolve

BASE = "http://a/b/c/d;p?q"


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"),
        ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./g/.", "http://a/b/c/g/"), ("g;x=1/../y", "http://a/b/c/y"),
    ],
)  # fmt: skip
def test_the_examples_of_the_specification(reference: str, expected: str) -> None:
    """RFC 3986, section 5.4."""
    assert resolve(BASE, reference) == (expected, "")


def test_bases_without_path_or_authority() -> None:
    assert resolve("http://a", "g") == ("http://a/g", "")
    assert resolve("urn:x:y", "#part") == ("urn:x:y", "part")
    assert resolve("json-schema:///", "g.json") == ("json-schema:///g.json", "")


def test_a_fragment_loses_its_escapes() -> None:
    assert resolve(BASE, "#/a%20b~1c%C3%A9") == ("http://a/b/c/d;p?q", "/a b~1cé")
    assert resolve(BASE, "#%ff")[1] == "\ufffd"
