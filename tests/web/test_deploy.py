"""The files under deploy/: parsed, held to what the program has, and their commands run as plain processes."""

import configparser
import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # it comes without types
from click.testing import CliRunner

from assay402.cli.main import main
from assay402.service.settings import PAID_NOTICE_SECONDS
from assay402.service.settings_rules import PREFIX
from assay402.service.settings_source import known_settings, load
from assay402.web.server import DRAIN_SECONDS
from web.test_serve import EXAMPLE, serving

DEPLOY = Path(__file__).parent.parent.parent / "deploy"
VARIABLES = {each.variable for each in known_settings()}


def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]  # names keep their case
    parser.read(DEPLOY / "assay.service")
    return parser


def compose() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return document


def example() -> dict[str, str]:
    lines = (DEPLOY / "assay.env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def test_every_variable_in_these_files_is_a_setting() -> None:
    for place in DEPLOY.iterdir():
        named = set(re.findall(rf"\b{PREFIX}[A-Z_]+", place.read_text())) - {"ASSAY_SITE"}
        assert named <= VARIABLES, place.name


def test_the_example_of_the_environment_starts_a_paid_service() -> None:
    assert load(example()).settings.payments == "required"


def test_the_unit_has_its_parts_and_gives_work_its_time() -> None:
    parsed = unit()
    assert parsed.sections() == ["Unit", "Service", "Install"]
    service = parsed["Service"]
    assert shlex.split(service["ExecStart"])[1:] == ["serve"]
    assert int(service["TimeoutStopSec"]) > DRAIN_SECONDS
    assert service["KillSignal"] == "SIGTERM"
    assert {"NoNewPrivileges", "ProtectSystem", "ProtectHome", "PrivateTmp"} <= set(service)


def test_the_compose_file_has_two_replicas_over_one_database_behind_a_proxy() -> None:
    services = compose()["services"]
    assert set(services) == {"database", "migrate", "one", "two", "proxy"}
    for name in ("one", "two"):
        assert services[name]["environment"]["ASSAY_DATABASE"].startswith("postgresql://")
        assert services[name]["env_file"] == ["assay.env"]
        assert int(services[name]["stop_grace_period"].removesuffix("s")) > DRAIN_SECONDS
        assert "ports" not in services[name], "the proxy alone is open"
    settings = load(
        {**example(), **{k: v for k, v in services["one"]["environment"].items() if "$" not in v}}
    )
    assert settings.settings.host == "0.0.0.0"


def test_what_the_compose_file_names_is_there() -> None:
    document = compose()
    volumes, networks = set(document["volumes"]), set(document["networks"])
    for service in document["services"].values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert (DEPLOY / source).exists() if source.startswith(".") else source in volumes
        assert set(service["networks"]) <= networks
        wanted = service.get("depends_on", {})
        assert set(wanted) <= set(document["services"])
        build = service.get("build")
        assert build is None or (DEPLOY / build["context"] / build["dockerfile"]).exists()
    assert "{$ASSAY_SITE}" in (DEPLOY / "Caddyfile").read_text()


def test_no_secret_stands_in_these_files() -> None:
    for place in DEPLOY.iterdir():
        assert not re.search(r"(?i)(password|secret|token)\s*[:=]\s*[^\s$?]", place.read_text()), place.name


def instructions() -> list[tuple[str, str]]:
    text = (DEPLOY / "Containerfile").read_text().replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split(None, 1)[0], line.split(None, 1)[1]) for line in lines]


def test_the_container_file_copies_what_is_there_and_runs_as_nobody_special() -> None:
    found = instructions()
    assert [name for name, _ in found if name == "FROM"] == ["FROM", "FROM"]
    for name, rest in found:
        if name == "COPY" and not rest.startswith("--from"):
            *sources, _ = rest.split()
            assert all((DEPLOY.parent / source).exists() for source in sources)
    assert ("USER", "assay") in found
    assert ("STOPSIGNAL", "SIGTERM") in found


def test_the_container_downloads_nothing_without_its_hash() -> None:
    installs = [each for _, rest in instructions() for each in rest.split("&&") if "pip install" in each]
    assert len(installs) == 2
    for each in installs:
        assert "--require-hashes" in each or "--no-index" in each
    locked = (DEPLOY.parent / "requirements" / "service.txt").read_text()
    assert "\nhatchling==" in locked


def test_the_commands_of_these_files_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`assay db upgrade` makes the tables, `assay serve` serves them with two workers, the health check holds."""
    assert json.loads(dict(instructions())["CMD"]) == ["assay", "serve"]
    assert compose()["services"]["migrate"]["command"] == ["assay", "db", "upgrade"]
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path))
    run = CliRunner().invoke(main, ["db", "upgrade"])
    assert run.exit_code == 0, run.output
    health = json.loads(
        next(rest for name, rest in instructions() if name == "HEALTHCHECK").split("CMD", 1)[1]
    )
    with serving(tmp_path, "--workers", "2") as process:
        assert process.call("POST", "/dialect-check/check", EXAMPLE)[0] == 200
        monkeypatch.setenv("ASSAY_PORT", str(process.port))
        exec(compile(health[2], "health", "exec"), {"os": os})  # noqa: S102  (the very text of the container file)
        assert process.stop()[0] == 0


def test_the_proxy_looks_more_than_once_while_a_replica_says_that_it_stops() -> None:
    caddyfile = (DEPLOY / "Caddyfile").read_text()
    seconds = re.search(r"health_interval ([0-9]+)s", caddyfile)
    assert seconds is not None
    assert "health_uri /readyz" in caddyfile
    assert 2 * int(seconds[1]) <= PAID_NOTICE_SECONDS
