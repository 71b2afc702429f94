"""Settings: where they come from, what refuses to start, and how that is said."""

import ast
import inspect
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from assay402.cli.main import main
from assay402.service.settings import PAID_NOTICE_SECONDS, Settings
from assay402.service.settings_rules import judge
from assay402.service.settings_source import (
    HIDDEN,
    Known,
    SettingsRefused,
    described,
    known_settings,
    load,
    written,
)

EVM = "0x63aA5960943865e7d57FDdF0D899eE36B6D2046E"
PAID = {
    "ASSAY_PAYMENTS": "required",
    "ASSAY_PUBLIC_URL": "https://checks.example",
    "ASSAY_NETWORKS": "eip155:8453",
    "ASSAY_PAY_TO": f"eip155:*={EVM}",
    "ASSAY_FACILITATOR_URL": "https://facilitator.example/x402",
}


def problems(environment: dict[str, str], file: str | None = None) -> dict[str, str]:
    with pytest.raises(SettingsRefused) as caught:
        load(environment, file)
    assert caught.value.code == "settings"
    return {problem.variable: f"{problem.what} {problem.how}" for problem in caught.value.problems}


def test_nothing_configured_starts_on_loopback_for_free() -> None:
    sourced = load({})
    assert sourced.settings == Settings()
    assert set(sourced.sources.values()) == {"default"}
    assert (sourced.settings.payments, sourced.settings.host) == ("off", "127.0.0.1")


def test_every_setting_has_a_text_of_its_own() -> None:
    """The text stands under the setting; a setting without one would be shown with the next one's."""
    body = ast.parse(inspect.getsource(Settings)).body[0]
    assert isinstance(body, ast.ClassDef)
    fields = [at for at, node in enumerate(body.body) if isinstance(node, ast.AnnAssign)]
    assert all(isinstance(body.body[at + 1], ast.Expr) for at in fields)
    assert [each.name for each in known_settings()] == list(Settings.__struct_fields__)
    assert len({each.meaning for each in known_settings()}) == len(known_settings())


def test_payments_start_with_exactly_what_they_need() -> None:
    settings = load(PAID).settings
    assert settings.pay_to == (("eip155:*", EVM),)
    assert settings.networks == ("eip155:8453",)


@pytest.mark.parametrize("missing", list(PAID)[1:])
def test_payments_refuse_to_start_and_name_what_is_missing(missing: str) -> None:
    found = problems({name: value for name, value in PAID.items() if name != missing})
    assert list(found) == [missing]
    assert "ASSAY_PAYMENTS=required needs it" in found[missing]
    assert "Write" in found[missing]


def test_everything_that_is_missing_is_named_at_once() -> None:
    assert list(problems({"ASSAY_PAYMENTS": "required"})) == list(PAID)[1:]


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ASSAY_PUBLIC_URL", "http://checks.example"),
        ("ASSAY_PUBLIC_URL", "https://checks.example/path"),
        ("ASSAY_PUBLIC_URL", "https://user:canary@checks.example"),
        ("ASSAY_PUBLIC_URL", "https://checks.example?canary"),
        ("ASSAY_PUBLIC_URL", "checks.example"),
        ("ASSAY_PUBLIC_URL", "ftp://checks.example"),
        ("ASSAY_NETWORKS", "base"),
        ("ASSAY_NETWORKS", "eip155:8453,canary"),
        ("ASSAY_PAY_TO", "eip155:*=0xcanary"),
        ("ASSAY_PAY_TO", "solana:*=canary0"),
        ("ASSAY_PAY_TO", "canary=x"),
        ("ASSAY_PAY_TO", "canary"),
        ("ASSAY_PAY_TO", f"eip155:1={EVM}"),
        ("ASSAY_FACILITATOR_URL", "canary"),
        ("ASSAY_RPC_URLS", "eip155:1=https://canary.example"),
        ("ASSAY_RPC_URLS", "eip155:8453=canary"),
        ("ASSAY_ASSETS", "eip155:1=0x1"),
        ("ASSAY_CHECKS", "canary"),
        ("ASSAY_CHECKS", ","),
        ("ASSAY_PRICES", "canary/check=1"),
        ("ASSAY_PRICES", "listing/check=-1"),
        ("ASSAY_PRICES", "listing/check=0.1"),
        ("ASSAY_DATABASE", "mysql://canary"),
        ("ASSAY_SIGNING_KEY", "canary"),
        ("ASSAY_SIGNING_KEY", "env:"),
        ("ASSAY_PORT", "canary"),
        ("ASSAY_PORT", "65536"),
        ("ASSAY_WORKERS", "0"),
        ("ASSAY_QUEUE", "0"),
        ("ASSAY_MAX_TIMEOUT_SECONDS", "1"),
        ("ASSAY_OWN_ADDRESSES", "canary"),
        ("ASSAY_TRUSTED_PROXIES", "10.0.0.0/99"),
        ("ASSAY_PAYMENTS", "canary"),
        ("ASSAY_FREE_FOR_ALL", "canary"),
        ("ASSAY_CANARY", "x"),
    ],
)
def test_a_setting_that_cannot_be_started_with_is_named_and_never_quoted(variable: str, value: str) -> None:
    found = problems({**PAID, variable: value})
    assert list(found) == [variable]
    assert "canary" not in str(found.values())


def test_http_is_for_a_sandbox_on_this_machine_only() -> None:
    for address in ("http://127.0.0.1:8402", "http://localhost:8402", "http://[::1]:8402"):
        assert load({**PAID, "ASSAY_PUBLIC_URL": address}).settings.public_url == address


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "checks.example"])
def test_a_free_service_answers_this_machine_only_unless_told_otherwise(host: str) -> None:
    assert "ASSAY_FREE_FOR_ALL=true" in problems({"ASSAY_HOST": host})["ASSAY_HOST"]
    assert load({"ASSAY_HOST": host, "ASSAY_FREE_FOR_ALL": "true"}).settings.host == host
    assert load({**PAID, "ASSAY_HOST": host}).settings.host == host


def test_an_unknown_name_is_answered_with_the_nearest_one() -> None:
    assert "ASSAY_PUBLIC_URL" in problems({"ASSAY_PUBLIC_URI": "x"})["ASSAY_PUBLIC_URI"]


def test_variables_of_other_parts_and_a_named_key_are_no_settings() -> None:
    environment = {"ASSAY_TRACEBACK": "1", "ASSAY_MY_KEY": "pem", "ASSAY_SIGNING_KEY": "env:ASSAY_MY_KEY"}
    assert load(environment).settings.signing_key == "env:ASSAY_MY_KEY"


def test_an_empty_variable_is_one_that_is_not_set() -> None:
    assert load({"ASSAY_PUBLIC_URL": ""}).sources["public_url"] == "default"


def test_a_file_is_read_below_the_environment_and_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "assay.toml"
    file.write_text(
        'port = 1\nqueue = 2\nworkers = 3\nhost = "127.0.0.2"\nchecks = ["dialect"]\nfree_for_all = false\n'
        '[prices]\n"dialect/check" = 7\n[facilitator_headers]\nAuthorization = "Bearer a,b=c"\n'
    )
    sourced = load({"ASSAY_QUEUE": "20", "ASSAY_WORKERS": "4"}, str(file), {"workers": 5})
    settings = sourced.settings
    assert (settings.port, settings.queue, settings.workers) == (1, 20, 5)
    assert settings.prices == (("dialect/check", 7),)
    assert settings.facilitator_headers == (("Authorization", "Bearer a,b=c"),)
    assert settings.checks == ("dialect",)
    assert [sourced.sources[name] for name in ("port", "queue", "workers", "data_dir")] == [
        "file",
        "environment",
        "command line",
        "default",
    ]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("publik_url = 1", "publik_url in the file"),
        ("port = true", "port in the file"),
        ("port = 1.5", "port in the file"),
        ("checks = [1]", "checks in the file"),
        ("public_url = 1", "public_url in the file"),
        ("prices = 3", "prices in the file"),
        ("[pay_to]\nx = 1", "pay_to in the file"),
        ("port = ", "ASSAY_SETTINGS"),
        (None, "ASSAY_SETTINGS"),
    ],
)
def test_a_file_that_is_wrong_is_named_by_its_place(tmp_path: Path, text: str | None, place: str) -> None:
    file = tmp_path / "assay.toml"
    if text is not None:
        file.write_text(text)
    assert list(problems({"ASSAY_SETTINGS": str(file)})) == [place]


def value_of(setting: Known) -> st.SearchStrategy[Any]:
    word = st.text("abcdefgh:/.*", min_size=1, max_size=8)
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "text": word,
        "number": st.integers(0, 10**6),
        "switch": st.booleans(),
        "list": st.lists(word, min_size=1, max_size=3).map(tuple),
        "pairs": st.lists(st.tuples(word, word), min_size=1, max_size=3).map(tuple),
        "numbers": st.lists(st.tuples(word, st.integers(0, 10**6)), min_size=1, max_size=3).map(tuple),
    }
    return st.sampled_from(setting.choices) if setting.choices else kinds[setting.kind]


@hypothesis_settings(deadline=None, max_examples=60)
@given(st.data())
def test_what_is_written_is_read_again(data: st.DataObject) -> None:
    """A value as `assay settings` shows it can be put into the environment; rules may still refuse it, by its name."""
    setting = data.draw(st.sampled_from(known_settings()))
    value = data.draw(value_of(setting))
    text = written(value)
    assert text is not None
    try:
        sourced = load({setting.variable: text})
    except SettingsRefused as refused:
        assert "it is not written as it must be." not in {problem.what for problem in refused.problems}
    else:
        assert getattr(sourced.settings, setting.name) == value


@hypothesis_settings(deadline=None, max_examples=60)
@given(st.sampled_from([each.variable for each in known_settings()]), st.text(max_size=40))
def test_no_value_ever_crashes_the_reader(variable: str, value: str) -> None:
    try:
        load({variable: value})
    except SettingsRefused as refused:
        assert all(str(problem) for problem in refused.problems)


def test_the_list_hides_secrets_and_tells_sources() -> None:
    secret = {
        "ASSAY_FACILITATOR_HEADERS": "Authorization=canary",
        "ASSAY_DATABASE": "postgresql://u:canary@h/d",
    }
    listed = {each["setting"]: each for each in described(load({**secret, "ASSAY_PORT": "99"}))}
    assert "canary" not in json.dumps(listed)
    assert listed["database"]["value"] == HIDDEN
    assert (listed["port"]["value"], listed["port"]["source"]) == ("99", "environment")
    assert listed["rpc_urls"]["value"] is None


def test_the_command_prints_every_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_PORT", "77")
    run = CliRunner().invoke(main, ["settings", "--json"])
    listed = json.loads(run.output)["settings"]
    assert [each["setting"] for each in listed] == list(Settings.__struct_fields__)
    shown = CliRunner().invoke(main, ["settings"]).output
    assert "ASSAY_PORT = 77   [environment]" in shown


def test_the_command_says_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_PAYMENTS", "required")
    run = CliRunner().invoke(main, ["serve"])
    assert run.exit_code == 2
    assert "ASSAY_PUBLIC_URL: ASSAY_PAYMENTS=required needs it" in run.output


def test_a_paid_service_says_for_a_while_that_it_stops_and_a_free_one_stops_at_once() -> None:
    assert Settings().notice_seconds == 0
    assert Settings(payments="required").notice_seconds == PAID_NOTICE_SECONDS
    assert Settings(payments="required", drain_notice_seconds=0).notice_seconds == 0
    for value, is_good in ((0, True), (60, True), (61, False), (-1, False)):
        problems = [each.variable for each in judge(Settings(drain_notice_seconds=value))]
        assert problems == ([] if is_good else ["ASSAY_DRAIN_NOTICE_SECONDS"])
