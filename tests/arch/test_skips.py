"""Every place where a test may be left out says in the manifest what it wants and where it does run."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

ROOT = Path(__file__).parent.parent.parent
SKIPPING = {
    "pytest.skip",
    "pytest.mark.skip",
    "pytest.mark.skipif",
    "pytest.mark.xfail",
    "pytest.importorskip",
}


class Skip(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One place where a test may be left out."""

    where: str
    """The file, and behind `::` the function, where it is not the whole file."""
    wants: str
    """What must be there for it to run."""
    runs: str
    """Where it does run."""


class Skips(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file."""

    skip: tuple[Skip, ...]


def test_every_place_has_one_entry_and_every_entry_its_place() -> None:
    given = tomllib.loads((ROOT / "manifest" / "skips.toml").read_text("utf-8"))
    entries = msgspec.convert(given, Skips).skip
    assert [entry.where for entry in entries] == sorted(
        {place for path in (ROOT / "tests").rglob("*.py") for place in places_of(path)}
    )
    assert all(text.strip() and "\n" not in text for entry in entries for text in (entry.wants, entry.runs))


def places_of(path: Path) -> Iterator[str]:
    """Name the functions of a file that may leave a test out; the file itself where that stands in none."""
    file = path.relative_to(ROOT).as_posix()
    for node in ast.parse(path.read_text("utf-8")).body:
        if any(ast.unparse(each) in SKIPPING for each in ast.walk(node) if isinstance(each, ast.Attribute)):
            yield f"{file}::{node.name}" if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else file
