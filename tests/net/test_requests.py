"""What a server gets to see of us: exact bytes, the right names, and nothing of the environment."""

import asyncio
import ssl
from pathlib import Path

import pytest
import trustme

from assay402 import __version__
from assay402.core.asks import Failed, Fetch, Fetched
from assay402.net.connection import system_trust
from assay402.net.http import Fetcher
from net.hostile import PUBLIC, Answers, Dialled, HostileServer, hostile_server

SENT = (
    "GET {target} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: assay402/{version} (x402 conformance checks)\r\n"
    "Accept: */*\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n"
)


def sent(target: str, host: str) -> bytes:
    return SENT.format(target=target, host=host, version=__version__).encode()


def _visit(*urls: str) -> tuple[HostileServer, Dialled, list[Fetched | Failed]]:
    async def run() -> tuple[HostileServer, Dialled, list[Fetched | Failed]]:
        async with hostile_server() as server:
            dial = Dialled(server.port)
            fetcher = Fetcher(resolver=Answers([PUBLIC]), dial=dial)
            return server, dial, [await fetcher(Fetch(url=url)) for url in urls]

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("url", "target", "host", "dialled"),
    [
        ("http://Pay.Shop.dev/v1/plain?b=%20&a#part", "/v1/plain?b=%20&a", "pay.shop.dev", (PUBLIC, 80)),
        ("http://pay.shop.dev.:8402/plain", "/plain", "pay.shop.dev:8402", (PUBLIC, 8402)),
        (f"http://{PUBLIC}:8402/plain", "/plain", f"{PUBLIC}:8402", (PUBLIC, 8402)),
        ("http://[2606:4700::1]/plain", "/plain", "[2606:4700::1]", ("2606:4700::1", 80)),
    ],
)
def test_a_request_is_exactly_these_bytes(url: str, target: str, host: str, dialled: tuple[str, int]) -> None:
    server, dial, _ = _visit(url)
    assert [seen.raw for seen in server.seen] == [sent(target, host)]
    assert dial.addresses == [dialled]


def test_nothing_of_the_environment_reaches_the_server(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text("default login someone password secret\n", encoding="ascii")
    netrc.chmod(0o600)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
        monkeypatch.setenv(name.lower(), "http://127.0.0.1:9")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(netrc))
    server, _, answers = _visit("http://pay.shop.dev/www_authenticate")
    assert [seen.raw for seen in server.seen] == [sent("/www_authenticate", "pay.shop.dev")]
    assert [answer.status for answer in answers if isinstance(answer, Fetched)] == [401]


def test_no_cookie_and_no_connection_is_kept_from_one_fetch_to_the_next() -> None:
    server, _, _ = _visit("http://pay.shop.dev/set_cookie", "http://pay.shop.dev/set_cookie")
    assert [seen.raw for seen in server.seen] == [sent("/set_cookie", "pay.shop.dev")] * 2
    assert server.connections == 2


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("redirect_301_private", 301),
        ("redirect_302_same_host", 302),
        ("redirect_307", 307),
        ("redirect_402_with_location", 402),
        ("refresh_header", 402),
        ("alt_svc", 402),
    ],
)
def test_no_header_leads_to_a_second_request(name: str, status: int) -> None:
    server, dial, (answer,) = _visit(f"http://pay.shop.dev/{name}")
    assert isinstance(answer, Fetched)
    assert answer.status == status
    assert (len(server.seen), len(dial.addresses)) == (1, 1)


def test_the_names_in_tls_and_host_are_the_submitted_one_on_the_judged_address() -> None:
    async def run() -> tuple[Fetched | Failed, HostileServer, Dialled]:
        authority = trustme.CA()
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("pay.shop.dev").configure_cert(tls)
        trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        authority.configure_trust(trust)
        async with hostile_server(tls=tls) as server:
            dial = Dialled(server.port)
            fetcher = Fetcher(resolver=Answers([PUBLIC]), dial=dial, trust=trust)
            return await fetcher(Fetch(url="https://pay.shop.dev:8402/plain")), server, dial

    answer, server, dial = asyncio.run(run())
    assert isinstance(answer, Fetched)
    assert [(seen.server_name, seen.raw) for seen in server.seen] == [
        ("pay.shop.dev", sent("/plain", "pay.shop.dev:8402"))
    ]
    assert dial.addresses == [(PUBLIC, 8402)]


def test_the_system_trust_does_not_listen_to_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    smuggled = tmp_path / "smuggled.pem"
    trustme.CA().cert_pem.write_to_path(smuggled)
    monkeypatch.setenv("SSL_CERT_FILE", str(smuggled))
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    trust = system_trust()
    assert not trust.keylog_filename
    assert not [authority for authority in trust.get_ca_certs() if "trustme" in str(authority["subject"])]
    assert (trust.verify_mode, trust.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert trust.minimum_version == ssl.TLSVersion.TLSv1_2


def test_a_system_without_a_compiled_in_store_falls_back_on_the_defaults(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Windows, and builds of Python that were moved: without a store every seller would look broken."""
    nowhere = ssl.get_default_verify_paths()._replace(
        openssl_cafile=str(tmp_path / "none.pem"), openssl_capath=str(tmp_path / "none")
    )
    store = tmp_path / "store.pem"
    trustme.CA().cert_pem.write_to_path(store)
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: nowhere)
    monkeypatch.setenv("SSL_CERT_FILE", str(store))
    assert [
        name
        for authority in system_trust().get_ca_certs()
        if "trustme" in (name := str(authority["subject"]))
    ]
