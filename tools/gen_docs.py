"""Writes the pages that are made from the registry: rules, codes, commands. `--check` says which are not current."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from assay402.attest.codes import NOTICES as ATTEST_NOTICES
from assay402.checks import CHECKS
from assay402.cli.main import main as command
from assay402.core.errors import NOTICES, Notice
from assay402.core.fetch_states import NOTICES as FETCH_NOTICES
from assay402.core.target import NOTICES as TARGET_NOTICES
from assay402.formats.rule_page import GENERATED, rule_page
from assay402.formats.transcript import NOTICES as TRANSCRIPT_NOTICES
from assay402.mcp_server.codes import NOTICES as MCP_NOTICES
from assay402.service.gate import table_text
from assay402.service.notices import NOTICES as SERVICE_NOTICES
from assay402.service.settings_source import Known, known_settings, written
from assay402.store.notices import NOTICES as STORE_NOTICES
from assay402.web.codes import NOTICES as WEB_NOTICES

FROM_TABLES = "<!-- Generated from the program by tools/gen_docs.py: edit it there. -->"
GATE = Path("docs/guides/gate.md")
TABLE_BEGINS = "<!-- The table is generated from the program by tools/gen_docs.py. -->"
TABLE_ENDS = "<!-- The end of the table. -->"
ROOT = Path(__file__).resolve().parent.parent


def pages() -> Iterator[tuple[Path, str]]:
    """Give every generated page with its place."""
    for check in CHECKS:
        for rule in check.rules:
            yield Path("docs/rules", f"{rule.id}.md"), f"{GENERATED}\n{rule_page(check, rule)}"
        lines = [f"- [{rule.id}]({rule.id.split('/')[1]}.md): {rule.summary}" for rule in check.rules]
        yield (
            Path("docs/rules", check.name, "README.md"),
            f"{GENERATED}\n# {check.question}\n\n" + "\n".join(lines) + "\n",
        )
    yield GATE, _gate()
    yield Path("docs/settings.md"), f"{FROM_TABLES}\n{_settings()}"
    yield Path("docs/codes.md"), f"{FROM_TABLES}\n{_codes()}"
    yield (
        Path("docs/cli.md"),
        f"{FROM_TABLES}\n# The command line\n\n" + "\n\n".join(_help(command, "assay")) + "\n",
    )


def _gate() -> str:
    """Write the guide to the gate with the table of states as the program has it."""
    before, _, rest = (ROOT / GATE).read_text().partition(TABLE_BEGINS)
    _, _, after = rest.partition(TABLE_ENDS)
    return f"{before}{TABLE_BEGINS}\n\n{table_text()}\n\n{TABLE_ENDS}{after}"


def _codes() -> str:
    parts = ["# Codes", "Each is stable; the sentences are not. `assay explain CODE` prints them."]
    tables = [
        (
            f"Refusals of `{check.name}`",
            {code: notice for code, notice in check.notices.items() if code not in TARGET_NOTICES},
        )
        for check in CHECKS
    ]
    tables += [
        ("Refused addresses", dict(TARGET_NOTICES)),
        ("States of a fetch", dict(FETCH_NOTICES)),
        ("Transcripts", dict(TRANSCRIPT_NOTICES)),
        ("MCP", dict(MCP_NOTICES)),
        ("Keys and signatures", dict(ATTEST_NOTICES)),
        ("The service", dict(SERVICE_NOTICES)),
        ("HTTP", dict(WEB_NOTICES)),
        ("Database and ledger", dict(STORE_NOTICES)),
        ("Errors", dict(NOTICES)),
    ]
    parts += [f"## {title}\n\n{_table(table)}" for title, table in tables]
    return "\n\n".join(parts) + "\n"


def _settings() -> str:
    """Write the page of settings from the table that reads them."""
    rows = [
        f"| `{each.variable}` | {_cell(each.meaning)} | {_cell(each.how)} | {_shown(each)} |"
        for each in known_settings()
    ]
    return "\n".join(
        [
            "# Settings of the service",
            "",
            "Each is a variable of the environment, or a name in a TOML file: `ASSAY_PUBLIC_URL` is `public_url` there. The",
            "environment stands over the file (`--settings FILE` or `ASSAY_SETTINGS`), the command line over both. An empty",
            "variable is one that is not set, and one nobody knows keeps the service from starting. `assay settings` prints",
            "the values in force and where each comes from; secret ones are not shown.",
            "",
            "| variable | meaning | written | default |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _shown(setting: Known) -> str:
    default = written(setting.default)
    return "not set" if default is None else f"`{default}`"


def _table(notices: dict[str, Notice]) -> str:
    rows = [f"| `{code}` | {notice.text} | {notice.hint} |" for code, notice in notices.items()]
    return "\n".join(["| code | what it means | what to do |", "|---|---|---|", *rows])


def _help(found: click.Command, path: str, parent: click.Context | None = None) -> Iterator[str]:
    name = path.rsplit(" ", 1)[-1]
    context = found.make_context(name, [], parent=parent, resilient_parsing=True, terminal_width=100)
    yield f"## `{path}`\n\n```text\n{found.get_help(context)}\n```"
    if isinstance(found, click.Group):
        for name in found.list_commands(context):
            inner = found.get_command(context, name)
            if inner is not None:
                yield from _help(inner, f"{path} {name}", context)


def stale() -> list[Path]:
    """Name the generated pages that differ from the checked-in ones, and checked-in ones that nothing generates."""
    made = dict(pages())
    differing = [
        path for path, text in made.items() if not (ROOT / path).exists() or (ROOT / path).read_text() != text
    ]
    kept = {path.relative_to(ROOT) for path in (ROOT / "docs" / "rules").rglob("*.md")}
    return differing + sorted(kept - made.keys())


def main() -> int:
    """Write the pages, or check them."""
    if "--check" in sys.argv:
        for path in stale():
            print(f"not current: {path} (run tools/gen_docs.py)")
        return 1 if stale() else 0
    for path, text in pages():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
