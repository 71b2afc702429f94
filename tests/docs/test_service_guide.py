"""The operator's guide says what the program does: limits, settings, routes."""

import re
from pathlib import Path

from assay402.service.resources import PATHS, PRICES
from assay402.service.settings_source import NO_SETTINGS, known_settings, load
from assay402.web.limits import Limits
from assay402.web.server import DRAIN_SECONDS, HEAD_SECONDS, MAX_CONNECTIONS

GUIDE = (Path(__file__).parent.parent.parent / "docs" / "guides" / "service.md").read_text()


def test_every_setting_the_guide_names_is_one() -> None:
    named = set(re.findall(r"ASSAY_[A-Z_]+", GUIDE))
    assert named <= {each.variable for each in known_settings()} | NO_SETTINGS


def test_the_settings_of_the_first_paid_call_start_a_service() -> None:
    exports = dict(re.findall(r"^export (ASSAY_[A-Z_]+)='?([^'\s]+)'?", GUIDE, re.MULTILINE))
    assert load(exports).settings.payments == "required"


def test_the_limits_are_those_of_the_program() -> None:
    limits = Limits()
    told = (
        f"a body has {limits.body_seconds:.0f} seconds, a head {HEAD_SECONDS:.0f}",
        f"Heads: {limits.header_bytes:,} bytes and {limits.headers} fields",
        f"holds {limits.buffered_bytes >> 20} MiB of bodies and {MAX_CONNECTIONS} connections",
        f"bodies up to {limits.small_bytes >> 10} KiB",
        f"for up to {DRAIN_SECONDS} seconds",
    )
    assert [each for each in told if each not in GUIDE] == []


def test_every_route_and_price_of_an_operation_is_in_the_table() -> None:
    assert [path for path in PATHS.values() if f"/{path.rsplit('/', 1)[1]}" not in GUIDE] == []
    assert {f"${price / 1_000_000:.2f}" for price in PRICES.values()} == set(
        re.findall(r"\$0\.[0-9]{2}", GUIDE)
    )
