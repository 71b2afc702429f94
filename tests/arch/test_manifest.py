"""Every sentence of a contract has its proof, or a reason why it has none; the manifests say which."""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from assay402.checks import CHECKS
from assay402.checks.dialect.corpus import read_corpus
from assay402.checks.dialect.criteria import criteria
from vectors import cases

ROOT = Path(__file__).parent.parent.parent
MANIFESTS = sorted((ROOT / "manifest").glob("*-*.toml"))
DIALECT = ROOT / "manifest" / "dialect-check.toml"
READINGS = [f"A{number}" for number in range(1, 68)]


class Sentence(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One demand of a contract."""

    id: str
    """The member it stands in, and its number there."""
    place: str
    """Where to find it, in words."""
    demands: str
    proved_by: tuple[str, ...] = ()
    """Tests, as pytest names them; a parametrized one by its function."""
    rule: str | None = None
    """The rule that carries it out, where one does."""
    corpus: tuple[str, ...] = ()
    """Cases of the dialect corpus that show it; the test of the corpus runs them."""
    vectors: tuple[str, ...] = ()
    """Vectors that show it, `file:id`; a test in `proved_by` runs them."""
    deferred: str | None = None
    """Why nothing proves it here."""

    @property
    def reasons(self) -> tuple[str | None, ...]:
        """What may stand in the place of a proof."""
        return (self.deferred,)


class Reading(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One ambiguity of a contract, read as its document under `contracts/` says."""

    id: str
    proved_by: tuple[str, ...] = ()
    rule: str | None = None
    corpus: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()
    moot: str | None = None
    """Why there is nothing to prove."""
    deferred: str | None = None

    @property
    def reasons(self) -> tuple[str | None, ...]:
        """What may stand in the place of a proof."""
        return (self.moot, self.deferred)


class Manifest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file."""

    sentence: tuple[Sentence, ...]
    reading: tuple[Reading, ...] = ()

    @property
    def entries(self) -> tuple[Sentence | Reading, ...]:
        """Sentences, then readings."""
        return (*self.sentence, *self.reading)


@cache
def manifest(path: Path) -> Manifest:
    return msgspec.convert(tomllib.loads(path.read_text("utf-8")), Manifest)


def proofs(entry: Sentence | Reading) -> tuple[str, ...]:
    """Give what shows that an entry holds; that a rule exists shows nothing about it."""
    return (*entry.proved_by, *entry.corpus, *entry.vectors)


@cache
def written_tests(file: str) -> frozenset[str]:
    """Name the tests of a file: functions, and methods behind their class."""
    path = ROOT / file
    return frozenset(named_tests(ast.parse(path.read_text("utf-8")))) if path.is_file() else frozenset()


def named_tests(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        for each in inside:
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and each.name.startswith("test_"):
                yield prefix + each.name


def is_a_test(name: str) -> bool:
    file, _, test = name.partition("::")
    return file.startswith("tests/") and test in written_tests(file)


def is_a_vector(name: str) -> bool:
    file, _, wanted = name.partition(":")
    path = ROOT / "vectors" / file
    return path.is_file() and any(case["id"] == wanted for case in cases(file))


every_manifest = pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)


def test_the_manifests_are_found() -> None:
    assert DIALECT in MANIFESTS


@every_manifest
def test_an_entry_is_well_formed(path: Path) -> None:
    """An id of its own, words on one line, and either a proof or a reason, never both."""
    for entry in manifest(path).entries:
        texts = [entry.place, entry.demands] if isinstance(entry, Sentence) else []
        reasons = [reason for reason in entry.reasons if reason is not None]
        assert re.fullmatch(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*", entry.id)
        assert all(text.strip() and "\n" not in text for text in (*texts, *reasons)), entry.id
        assert len(reasons) == (0 if proofs(entry) else 1), (
            f"{entry.id}: name a test or a case, or why there is none"
        )
        assert len(set(proofs(entry))) == len(proofs(entry)), entry.id
        assert entry.proved_by or not entry.vectors, f"{entry.id}: which test runs the vectors?"


@every_manifest
def test_an_id_is_used_once(path: Path) -> None:
    counted = Counter(entry.id for entry in manifest(path).entries)
    assert [each for each, times in counted.items() if times > 1] == []


@every_manifest
def test_every_named_test_exists(path: Path) -> None:
    named = {name for entry in manifest(path).entries for name in entry.proved_by}
    assert sorted(name for name in named if not is_a_test(name)) == []


@every_manifest
def test_every_named_rule_exists(path: Path) -> None:
    rules = {rule.id for check in CHECKS for rule in check.rules}
    assert {entry.rule for entry in manifest(path).entries if entry.rule is not None} <= rules


@every_manifest
def test_every_named_case_and_vector_exists(path: Path) -> None:
    entries = manifest(path).entries
    corpus = {case["id"] for case in read_corpus()["cases"]}
    assert sorted({name for entry in entries for name in entry.corpus} - corpus) == []
    assert sorted(name for entry in entries for name in entry.vectors if not is_a_vector(name)) == []


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_every_rule_is_named_by_a_sentence(check: Any) -> None:
    named = {entry.rule for path in MANIFESTS for entry in manifest(path).sentence}
    assert [rule.id for rule in check.rules if rule.id not in named] == []


def test_every_text_of_the_published_criteria_has_a_sentence() -> None:
    """Ids begin with the member they belong to; `reading` is ours, and the readings are its entries."""
    begun = {entry.id.rpartition(".")[0] for entry in manifest(DIALECT).sentence}
    document = {name: value for name, value in criteria().items() if name != "reading"}
    missing = [
        path for path in texts_of(document) if not any(f"{path}.".startswith(f"{each}.") for each in begun)
    ]
    assert missing == []


def texts_of(value: Any, path: str = "") -> Iterator[str]:
    if not isinstance(value, dict):
        yield path
        return
    for name, member in value.items():
        yield from texts_of(member, f"{path}.{name}" if path else name)


def test_every_reading_stands_in_the_document_and_in_the_manifest_in_order() -> None:
    document = (ROOT / "contracts" / "dialect.md").read_text("utf-8")
    assert re.findall(r"^\*\*(A[0-9]+)\*\* ", document, re.MULTILINE) == READINGS
    assert [entry.id for entry in manifest(DIALECT).reading] == READINGS


def test_a_corpus_case_says_itself_which_reading_it_shows() -> None:
    """And a reading that some case shows names at least one."""
    shown = {
        case["id"]: set(re.findall(r"\bA[0-9]+\b", case["proves"]))
        for case in read_corpus()["cases"]
        if case["provenance"] == "constructed"
    }
    for entry in manifest(DIALECT).reading:
        assert [name for name in entry.corpus if entry.id not in shown[name]] == [], entry.id
        assert entry.corpus or not any(entry.id in readings for readings in shown.values()), entry.id
