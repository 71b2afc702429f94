"""References of a schema are resolved as RFC 3986 has it."""

import pytest

from assay402.checks.deliverable.schema.uri import escape_fragment, normal, resolve

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


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("HTTP://User%40@E.Example:80/%7eA/./b/../%c3%a9?q=%7E%2f#f", "http://User%40@e.example/~A/%C3%A9?q=~%2F"),
        ("https://e.example:443", "https://e.example/"), ("https://e.example:80/", "https://e.example:80/"),
        ("http://e.example:/", "http://e.example/"), ("ftp://e.example", "ftp://e.example"),
        ("http://[2001:DB8::1]:80/", "http://[2001:db8::1]/"), ("http://[::1]", "http://[::1]/"),
        ("http://%45.example/é?é", "http://e.example/%C3%A9?%C3%A9"), ("URN:x:A", "urn:x:A"),
        ("http://e.example/%zz%2", "http://e.example/%zz%2"), ("json-schema:///a", "json-schema:///a"),
        ("http://e.example/a%2E/%2e%2E/b", "http://e.example/b"), ("a/b", "a/b"),
    ],
)  # fmt: skip
def test_all_spellings_of_a_uri_have_one_form(uri: str, expected: str) -> None:
    assert normal(uri) == expected
    assert normal(expected) == expected


def test_what_may_not_stand_in_a_fragment_is_escaped() -> None:
    assert escape_fragment("/$defs/a b%é#?~1") == "/$defs/a%20b%25%C3%A9%23%3F~1"
