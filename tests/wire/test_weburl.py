"""URLs as web clients read them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402.wire.weburl import parse_web_url


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("https://A.Example:443/v1/../b/./?q=1#f", "https://a.example/b/?q=1"),
        ("http://a.example:8080", "http://a.example:8080/"),
        (" \n https://a.exa\tmple/ ", "https://a.example/"),
        ("https:/a.example\\b", "https://a.example/b"),
        ("https://例え.example/é x?ü", "https://xn--r8jz45g.example/%C3%A9%20x?%C3%BC"),
        ("https://%61.example/", "https://a.example/"),
        ("https://[2001:DB8::1]:8443/x", "https://[2001:db8::1]:8443/x"),
        ("https://[::1]", "https://[::1]/"),
        ("https://u:p@a.example/", "https://u:p@a.example/"),
        ("https://a.example/%2e%2E/x", "https://a.example/x"),
        ("https://a.example/x/..", "https://a.example/"),
        ("https://a.example/\ud800", "https://a.example/?"[:-1] + "%3F"),
        ("https://a.example/?", "https://a.example/"),
        ("https://a.example/?a?{b} c#d", "https://a.example/?a?{b}%20c"),
        ("https://a.example:", "https://a.example/"),
        ("https://a.example:00443/", "https://a.example/"),
        ("mcp://tool/a", "mcp://tool/a"),
        ("mcp://tool", "mcp://tool"),
    ],
)
def test_an_address_has_one_spelling(text: str, href: str) -> None:
    url = parse_web_url(text)
    assert url is not None
    assert url.href == href
    again = parse_web_url(url.href)
    assert again is not None
    assert again.href == href


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not-a-url",
        "//a.example/",
        "https://",
        "https://a b/",
        "https://a.example:x/",
        "https://a.example:65536/",
        "https://a.example:999999999999/",
        "https://[::1/",
        "https://[zz]/",
        "https://a%00b/",
        "https://\ufffe/",
        "https://%ff/",
        "1https://a.example/",
    ],
)
def test_what_no_client_takes_is_none(text: str) -> None:
    assert parse_web_url(text) is None


def test_an_opaque_address_has_no_host() -> None:
    url = parse_web_url("mailto:a@b?c")
    assert url is not None
    assert (url.host, url.path, url.query, url.is_web) == ("", "a@b", "?c", False)


@settings(deadline=None, max_examples=300)
@given(text=st.text(max_size=40).map("https://a.dev/".__add__) | st.text(max_size=40))
def test_any_text_is_read_or_refused_and_a_spelling_stays(text: str) -> None:
    url = parse_web_url(text)
    if url is not None and url.host:
        assert parse_web_url(url.href) == url
