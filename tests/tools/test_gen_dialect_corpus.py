import hashlib
import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gen_dialect_corpus import (
    DESCRIPTION,
    build_corpus,
    differences,
    main,
    pin,
    random_artefact,
    report,
    written,
)

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "src" / "assay402" / "checks" / "dialect" / "corpus.json"
HANDED = ROOT / "vectors" / "dialect" / "handed.json"

AXES: dict[str, set[str]] = {
    "challenge_carrier": {"v1-body", "v2-header", "both", "none", "UNDETERMINED"},
    "client_header_names": {
        "UNDETERMINED",
        "PAYMENT-SIGNATURE",
        "X-PAYMENT",
        "X-Payment-Tx",
        "PAYMENT-SIGNATURE X-PAYMENT",
        "PAYMENT-SIGNATURE X-Payment-Tx",
        "X-PAYMENT X-Payment-Tx",
        "PAYMENT-SIGNATURE X-PAYMENT X-Payment-Tx",
    },
    "payload_shape": {"top-level", "inside-accepted", "both", "UNDETERMINED"},
    "amount_field_name": {"maxAmountRequired", "amount", "both", "UNDETERMINED"},
    "network_id_form": {"CAIP-2", "slug", "both", "UNDETERMINED"},
    "receipt_headers": {"X-PAYMENT-RESPONSE", "PAYMENT-RESPONSE", "both", "none", "UNDETERMINED"},
}
SUMMARIES = {"v1", "v2", "dual-stack", "mixed", "undetermined", "not-a-402"}
MISMATCHES = {
    "mixed-signal-leg:body",
    "mixed-signal-leg:header",
    "x402version-contradiction:body",
    "x402version-contradiction:header",
    "client-header-opposite-carrier:PAYMENT-SIGNATURE",
    "client-header-opposite-carrier:X-PAYMENT",
}
# The readings that speak of what an admitted artefact says; the others are about admission (A36, A54, A60, A62),
# the probe (A35, A44, A46, A47, A48, A51, A52, A63) or the documents (A42, A43, A64).
TESTABLE = set(range(1, 68)) - {35, 36, 42, 43, 44, 46, 47, 48, 51, 52, 54, 60, 62, 63, 64}

MEMBERS: dict[str, type | tuple[type, ...]] = {
    "status": int,
    "body_obj": object,
    "body_raw": str,
    "header_obj": dict,
    "payment_required_header": str,
    "payload_obj": dict,
    "payload_headers": dict,
    "response_headers": dict,
}


@pytest.fixture(scope="module")
def corpus() -> dict[str, Any]:
    return build_corpus()


def seeded(seed: int) -> random.Random:
    return random.Random(seed)


def shown(axes: dict[str, Any]) -> dict[str, str]:
    return {axis: " ".join(value) if isinstance(value, list) else value for axis, value in axes.items()}


def is_admissible(artefact: dict[str, Any]) -> bool:
    return (
        all(name in MEMBERS and isinstance(value, MEMBERS[name]) for name, value in artefact.items())
        and 100 <= artefact.get("status", 402) <= 999
        and not {"body_obj", "body_raw"} <= set(artefact)
        and not {"header_obj", "payment_required_header"} <= set(artefact)
        and not set(artefact) <= {"status", "payload_headers", "response_headers"}
    )


def test_the_oracle_agrees_with_every_handed_case() -> None:
    handed = json.loads(HANDED.read_text("utf-8"))
    assert len(handed) == 77
    for case in handed:
        expected = case["expected"]
        said: Any = report(case["artefact"])
        names, expected_names = said["axes"].pop("client_header_names"), expected.pop("client_header_names")
        assert set(expected.pop("mismatches")) == set(said["mismatches"]), case["id"]
        assert (isinstance(names, list), set(names)) == (
            isinstance(expected_names, list),
            set(expected_names),
        ), case["id"]
        assert {**said["axes"], "summary": said["summary"]} == expected, case["id"]


def test_regenerating_gives_exactly_the_checked_in_file(corpus: dict[str, Any]) -> None:
    assert CORPUS.read_text("ascii") == written(corpus)
    assert CORPUS.stat().st_size < 400_000


def test_writing_gives_the_checked_in_bytes(tmp_path: Path) -> None:
    target = tmp_path / "new" / "corpus.json"
    assert main(["--write", str(target)]) == 0
    assert target.read_bytes() == CORPUS.read_bytes()


def test_checking_answers_0_for_the_checked_in_file_and_1_with_words_for_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--check", str(CORPUS)]) == 0
    assert capsys.readouterr().err == ""
    assert main(["--check", str(tmp_path / "none.json")]) == 1
    assert capsys.readouterr().err == "the file cannot be read: FileNotFoundError\n"


def test_a_changed_file_is_told_case_by_case(corpus: dict[str, Any], tmp_path: Path) -> None:
    changed = json.loads(CORPUS.read_text("ascii"))
    first, second, third = changed["cases"][:3]
    first["expected"]["dialect"] = "v2"
    second["id"] = "invented"
    changed["cases"].remove(third)
    target = tmp_path / "corpus.json"
    target.write_text(json.dumps(changed), "ascii")
    assert list(differences(corpus, target)) == [
        "constructed-sdk-v2-header is missing",
        f"{third['id']} is missing",
        "invented is not generated",
        f"{first['id']} differs",
        "the pin of the file does not fit its own content",
        "the text is not what --write writes",
    ]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"cases": 1}', '{"cases": [1]}', "\u00e9"])
def test_a_file_that_holds_no_corpus_differs(corpus: dict[str, Any], content: str, tmp_path: Path) -> None:
    target = tmp_path / "corpus.json"
    target.write_text(content, "latin-1")
    assert list(differences(corpus, target))


def test_a_file_that_only_reads_the_same_differs(corpus: dict[str, Any], tmp_path: Path) -> None:
    target = tmp_path / "corpus.json"
    target.write_text(json.dumps(json.loads(CORPUS.read_text("ascii"))), "ascii")
    assert list(differences(corpus, target)) == ["the text is not what --write writes"]


def test_the_pin_is_the_digest_of_the_canonical_corpus_without_it() -> None:
    checked_in = json.loads(CORPUS.read_text("ascii"))
    pinned = checked_in.pop("sha256")
    # Every name in the corpus is in the basic plane, where code point order is UTF-16 order.
    plain = json.dumps(checked_in, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(plain.encode()).hexdigest() == pinned == pin(checked_in)


def test_the_corpus_has_its_own_name_labels_and_unique_ids(corpus: dict[str, Any]) -> None:
    assert list(corpus) == ["id", "description", "cases", "sha256"]
    assert (corpus["id"], corpus["description"]) == ("assay-dialect-corpus/v1", DESCRIPTION)
    assert "Generated by tools/gen_dialect_corpus.py" in DESCRIPTION
    for case in corpus["cases"]:
        assert list(case) == ["id", "provenance", "proves", "artefact", "expected"]
        assert case["id"].startswith(case["provenance"] + "-")
        assert list(case["expected"]) == ["dialect", "axes", "mismatches"]
        assert list(case["expected"]["axes"]) == list(AXES)
    assert len({case["id"] for case in corpus["cases"]}) == len(corpus["cases"])
    provenances = Counter(case["provenance"] for case in corpus["cases"])
    assert set(provenances) == {"constructed", "synthetic"}
    assert provenances["synthetic"] == 180


def test_no_case_of_the_corpus_is_a_handed_case(corpus: dict[str, Any]) -> None:
    handed = [case["artefact"] for case in json.loads(HANDED.read_text("utf-8"))]
    assert not [case["id"] for case in corpus["cases"] if case["artefact"] in handed]


@pytest.mark.parametrize(("provenance", "least"), [("constructed", 1), ("synthetic", 10)])
def test_every_axis_value_mismatch_and_summary_occurs(
    corpus: dict[str, Any], provenance: str, least: int
) -> None:
    counted: Counter[tuple[str, str]] = Counter()
    for case in corpus["cases"]:
        if case["provenance"] == provenance:
            counted.update(shown(case["expected"]["axes"]).items())
            counted["summary", case["expected"]["dialect"]] += 1
            counted.update(("mismatch", code) for code in case["expected"]["mismatches"])
    wanted = {(axis, value) for axis, values in AXES.items() for value in values}
    wanted |= {("summary", value) for value in SUMMARIES} | {("mismatch", code) for code in MISMATCHES}
    assert set(counted) <= wanted
    assert not {key for key in wanted if counted[key] < least}


def test_every_reading_about_an_artefact_has_a_constructed_case(corpus: dict[str, Any]) -> None:
    named = {
        int(number)
        for case in corpus["cases"]
        if case["provenance"] == "constructed"
        for number in re.findall(r"\bA(\d+)\b", case["proves"])
    }
    assert named == TESTABLE


def test_every_artefact_of_the_corpus_passes_admission(corpus: dict[str, Any]) -> None:
    assert not [case["id"] for case in corpus["cases"] if not is_admissible(case["artefact"])]


def test_random_artefacts_pass_admission_and_show_every_value_often() -> None:
    rng = seeded(7)
    counted: Counter[tuple[str, str]] = Counter()
    for _ in range(3000):
        artefact = random_artefact(rng)
        assert is_admissible(artefact)
        said: Any = report(artefact)
        counted.update(shown(said["axes"]).items())
        counted["summary", said["summary"]] += 1
        counted.update(("mismatch", code) for code in said["mismatches"])
    assert min(counted.values()) >= 20
    assert len(counted) == sum(map(len, AXES.values())) + len(SUMMARIES) + len(MISMATCHES)


def test_the_same_seed_draws_the_same_artefacts() -> None:
    one, other = seeded(11), seeded(11)
    assert [random_artefact(one) for _ in range(50)] == [random_artefact(other) for _ in range(50)]
