"""The rules of the house that a tool can hold us to."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest
from msgspec import Struct

import assay402
import gen_docs
import gen_program
from assay402.checks import CHECKS
from assay402.cli.output import notice_of
from assay402.core.check import Rule

ROOT = Path(__file__).parent.parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))
MODULES = [name for _, name, _ in walk_packages(assay402.__path__, "assay402.")]
RULES = [rule for check in CHECKS for rule in check.rules]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_and_its_functions_stay_small(path: Path) -> None:
    """Architecture section 3: a module has at most 400 lines, a function 40; no module is named for nothing."""
    text = path.read_text()
    assert len(text.splitlines()) <= 400
    assert path.stem not in {"utils", "helpers", "common", "base", "manager"}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert len(code_lines(node)) <= 40, f"{node.name} is too long"


def code_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> range:
    """Give the lines of a function without its docstring, which for a rule is a whole page."""
    has_docstring = ast.get_docstring(node) is not None
    first = node.body[1] if has_docstring and len(node.body) > 1 else node.body[0]
    return range(first.lineno, (node.end_lineno or first.lineno) + 1)


def structs() -> Iterator[type[Struct]]:
    for module in MODULES:
        import_module(module)
    waiting = list(Struct.__subclasses__())
    while waiting:
        found = waiting.pop()
        waiting += found.__subclasses__()
        if found.__module__.startswith("assay402."):
            yield found


def test_every_value_is_frozen() -> None:
    """Style guide, rule 4."""
    found = list(structs())
    assert len(found) > 20
    assert [each.__name__ for each in found if not each.__struct_config__.frozen] == []


def test_only_the_package_lists_its_public_names() -> None:
    """Style guide, rule 32."""
    assert [path.name for path in SOURCES if "__all__" in path.read_text()] == ["__init__.py"]
    assert all(getattr(assay402, name) for name in assay402.__all__)


FRESH = "import sys; {}; print(*sorted(sys.modules))"
HEAVY = {
    "asyncio",
    "socket",
    "ssl",
    "h11",
    "dns",
    "asyncpg",
    "sqlite3",
    "alembic",
    "sqlalchemy",
    "starlette",
    "mcp",
    "pydantic",
    "rich",
    "cryptography",
}


@pytest.mark.parametrize(
    "statement",
    [
        "from assay402.cli.main import main; main(['--help'], standalone_mode=False)",
        "from assay402.cli.main import main; main(['dialect', 'check', '--help'], standalone_mode=False)",
        "from assay402.cli.main import main; main(['dialect', 'criteria'], standalone_mode=False)",
        "from assay402.cli.main import main; main(['deliverable', 'check', '--help'], standalone_mode=False)",
        "from assay402.cli.main import main; main(['deliverable', 'registry'], standalone_mode=False)",
        "from assay402.cli.main import main; main(['listing', 'check', '--help'], standalone_mode=False)",
        "from assay402.cli.main import main; main(['verify', '--help'], standalone_mode=False)",
        "from assay402.cli.main import main; main(['keys', 'rotate', '--help'], standalone_mode=False)",
        "from assay402.cli.main import main; main(['ledger', 'export', '--help'], standalone_mode=False)",
        "from assay402.cli.main import main; main(['db', 'upgrade', '--help'], standalone_mode=False)",
        "from assay402 import listing; listing.check({'url': 'not-a-url'})",
        "from assay402 import dialect; dialect.check({'mode': 'submitted', 'artefact': {'body_obj': {}}})",
    ],
)
def test_help_and_submitted_checks_load_nothing_heavy(statement: str) -> None:
    """Architecture section 8, start-up budget: time is noisy, modules are not."""
    command = [sys.executable, "-c", FRESH.format(statement)]
    # The last line: what is printed before may have words that are names of modules too.
    *_, loaded = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert not HEAVY & set(loaded.split())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_has_its_page(rule: Rule[Any, Any]) -> None:
    """Style guide, rules 13 and 21."""
    assert re.fullmatch(r"[a-z]+/[a-z0-9]+(?:-[a-z0-9]+)*", rule.id)
    titles = list(rule.sections)
    assert titles[:3] == ["What it reports", "Why it matters", "How to fix it"]
    assert titles[3:] in ([], ["Known limits"])
    assert rule.spec
    assert rule.since


def test_a_rule_id_is_never_removed_or_used_twice() -> None:
    """`manifest/rule-ids.txt` only grows; a retired rule keeps its line with a note."""
    ids = [rule.id for rule in RULES]
    assert len(set(ids)) == len(ids)
    lines = (ROOT / "manifest" / "rule-ids.txt").read_text().splitlines()
    listed = [line for line in lines if line and not line.startswith("#")]
    assert [line for line in listed if " retired: " not in line] == sorted(ids)
    assert all(check.name == rule.id.split("/")[0] for check in CHECKS for rule in check.rules)


def test_generated_pages_are_current() -> None:
    """Style guide, rule 34."""
    assert gen_docs.stale() == [], "run .venv/bin/python tools/gen_docs.py"


def test_the_program_of_the_deliverable_check_is_the_one_that_ships() -> None:
    """Decision 3 of its page: the program root is made of these digests."""
    assert gen_program.is_current()


CODE_ARGUMENT = re.compile(r"""(?:code=|Unreadable\(|Error\()"([a-z][a-z0-9_]+)\"""")


def test_every_code_is_explained() -> None:
    """Style guide, rules 16 and 23."""
    used = {code for path in SOURCES for code in CODE_ARGUMENT.findall(path.read_text())}
    assert len(used) > 30
    assert [code for code in sorted(used) if notice_of(code) is None] == []


def test_every_dependency_has_its_line() -> None:
    """Style guide, rule 36."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [
        *project["dependencies"],
        *(each for extra in project["optional-dependencies"].values() for each in extra),
    ]
    listed = (ROOT / "DEPENDENCIES.md").read_text()
    names = {re.split(r"[>=<\[]", each)[0] for each in wanted} - {project["name"]}
    assert sorted(name for name in names if f"`{name}`" not in listed) == []
