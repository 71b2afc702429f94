"""Speed and precision of the claims check.

Run with `benchmarks/run claims [FOLDER]`. Without a folder it times requests of 8, 64 and 512 KiB in prose, log and
JSON form and an everyday case, beside a plain `difflib` alignment of the same texts, and prints the growth exponent.
`benchmarks/run claims families [PART OF A NAME]` times each operation on families of requests that are hard on one rule, of
64 and 512 KiB, and prints the growth exponents; it exits 1 where one exceeds 1.15.
With a folder of `*.jsonl` rows `{id, evidence, claim, label}` it prints for each set balanced accuracy (SUPPORTED against
the rest), macro-F1, precision and coverage of SUPPORTED and CONTRADICTED, beside a lexical baseline (all words of the claim
in the evidence count as support at one threshold for every set) and the same score with the threshold that suits the set
best; neither decides a verdict. Sets that are absent are named.
"""

import difflib
import gc
import json
import math
import os
import re
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay402 import claims

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from claims_families import FAMILIES, family

SHORT = "BENCHMARKS_SHORT" in os.environ
"""Whether nothing is to be measured well, but everything to be done once: `benchmarks/run NAME --short`."""
SIZES = (4 << 10, 8 << 10) if SHORT else (8 << 10, 64 << 10, 500 << 10)
"""The last is 512 KiB with the members around the texts."""
SETS = (
    "tau_airline",
    "begin_wow",
    "conjnli",
    "wice",
    "contractnli",
    "summedits",
    "bump",
    "scitab",
    "tabfact",
    "med",
)
LABELS = ("SUPPORTED", "CONTRADICTED", "UNVERIFIED")
TEXT_CAP = 190_000
LEXICAL = 0.8
"""Share of a claim's words from which the lexical baseline calls it supported, in every set."""


def item(number: int, text: str, kind: str) -> dict[str, Any]:
    """Make an evidence item."""
    return {"id": f"e{number}", "kind": kind, "source_label": f"source {number}", "text": text}


def request(candidate: str, evidence: list[tuple[str, str]]) -> dict[str, Any]:
    """Make a request."""
    items = [item(number, text, kind) for number, (text, kind) in enumerate(evidence, 1)]
    return {"schema": "FAHCE_MACHINE_REQUEST_V1", "candidate_output": candidate, "evidence": items}


def prose(index: int) -> str:
    """Make a sentence that no other index makes."""
    return f"The review of contract C-{index} found {index % 97} open points, and the total of invoice {index} was ${index * 3}.50 on {index % 28 + 1} May 2026. "


def log(index: int) -> str:
    """Make a log line."""
    return f"2026-05-{index % 28 + 1:02d}T10:{index % 60:02d}:00Z INFO refund rf_{index} order={index} amount={index * 3}.50 USD status=succeeded latency={index % 900}ms\n"


def record(index: int) -> str:
    """Make a JSON line."""
    return (
        json.dumps(
            {
                "object": "refund",
                "id": f"rf_{index}",
                "order": str(index),
                "amount": f"{index * 3}.50",
                "currency": "USD",
                "status": "succeeded",
                "lines": [{"sku": f"S-{index}", "qty": index % 7}],
            }
        )
        + "\n"
    )


def said(index: int) -> str:
    """Make the sentence of a report about a record."""
    return f"The refund rf_{index} of ${index * 3}.50 for order {index} was issued.\n"


def sized(
    size: int, evidence: Callable[[int], str], kind: str, report: Callable[[int], str]
) -> dict[str, Any]:
    """Make a request of about this many bytes, one eighth of it the candidate."""
    made, index, texts = 0, 0, [""]
    while made < size * 7 // 8:
        piece = evidence(index)
        if len(texts[-1]) + len(piece) > TEXT_CAP:
            texts.append("")
        texts[-1] += piece
        made += len(json.dumps(piece)) - 2
        index += 1
    candidate, step = "", 0
    while len(candidate) < size // 8:
        candidate += report(step % max(index, 1))
        step += 1
    return request(candidate, [(text, kind) for text in texts])


FORMS: dict[str, Callable[[int], dict[str, Any]]] = {
    "prose": lambda size: sized(size, prose, "document", prose),
    "log": lambda size: sized(size, log, "log", said),
    "json": lambda size: sized(size, record, "log", said),
}


def timed(work: Callable[[], object], rounds: int) -> float:
    """Give the least processor time of several rounds, in seconds."""
    best = math.inf
    for _ in range(rounds):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def aligned(made: dict[str, Any]) -> float:
    """Give the ratio of an alignment of the same texts, word by word, with `difflib`, as a plain comparison would."""
    candidate = made["candidate_output"].split()
    evidence = [word for each in made["evidence"] for word in each["text"].split()]
    return difflib.SequenceMatcher(None, candidate, evidence, autojunk=True).ratio()


def speed() -> None:
    """Print times, memory and growth, in a process as the command line and the service start theirs."""
    gc.freeze()
    print(f"{'form':<7}{'size':>9}{'seconds':>10}{'difflib':>10}{'ratio':>8}{'peak MB':>9}")
    for form, make in FORMS.items():
        times = []
        for size in SIZES:
            made = make(size)
            length = len(json.dumps(made))
            rounds = 5  # the first finds nothing remembered, and machines are shared
            taken = timed(lambda made=made: claims.diagnose(made), rounds)  # type: ignore[misc]
            base = timed(lambda made=made: aligned(made), rounds)  # type: ignore[misc]
            tracemalloc.start()
            claims.diagnose(made)
            peak = tracemalloc.get_traced_memory()[1] / 1e6
            tracemalloc.stop()
            times.append((length, taken))
            print(
                f"{form:<7}{length:>9}{taken:>10.4f}{base:>10.4f}{taken / max(base, 1e-9):>8.1f}{peak:>9.1f}"
            )
        (small, first), (large, last) = times[0], times[-1]
        print(f"{form:<7}growth exponent {math.log(last / first) / math.log(large / small):.3f}")
    everyday = request(
        "".join(said(index) for index in range(8)), [("".join(log(index) for index in range(12)), "log")]
    )
    print(
        f"everyday case, {len(json.dumps(everyday))} bytes: {timed(lambda: claims.diagnose(everyday), 20) * 1000:.2f} ms"
    )


OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "diagnose": claims.diagnose,
    "repair": claims.repair,
    "verify": claims.verify,
    "repair-bundle": claims.repair_bundle,
}
LEAST, MOST = 55_000, 440_000
"""Characters of the texts of requests of about 64 and 512 KiB."""
STEEPEST = 1.15


def families(part: str) -> int:
    """Print seconds at both sizes and the growth exponent of each family and operation; give 1 where one is too steep."""
    steep = 0
    print(f"{'family':<38}" + "".join(f"{name:>24}" for name in OPERATIONS))
    for name in (each for each in FAMILIES if part in each):
        told = ""
        small, large = family(name, LEAST), family(name, MOST)
        ratio = math.log(len(json.dumps(large)) / len(json.dumps(small)))
        for run in OPERATIONS.values():
            first, last = timed(lambda run=run, made=small: run(made), 2), timed(lambda run=run, made=large: run(made), 1)  # type: ignore[misc]  # fmt: skip
            exponent = math.log(last / first) / ratio
            steep += exponent > STEEPEST
            told += f"{first:>9.3f}{last:>8.3f}{exponent:>7.2f}"
        print(f"{name:<38}{told}", flush=True)
    return int(steep > 0)


def verdict_of(row: dict[str, Any], kind: str) -> tuple[str, bool]:
    """Give the verdict on a row, and whether it held any claim."""
    answer = claims.diagnose(request(row["claim"], [(text, kind) for text in row["evidence"]]))
    supports = [each["support"] for each in answer["diagnosis"]["claims"]]
    if "CONTRADICTED" in supports:
        return "CONTRADICTED", True
    return ("SUPPORTED" if supports and set(supports) == {"SUPPORTED"} else "UNVERIFIED"), bool(supports)


def overlap(row: dict[str, Any]) -> float:
    """Give the share of the claim's words that the evidence holds."""
    held = set(re.findall(r"\w+", " ".join(row["evidence"]).lower()))
    words = re.findall(r"\w+", row["claim"].lower())
    return sum(word in held for word in words) / max(len(words), 1)


def balanced(pairs: list[tuple[bool, bool]]) -> float:
    """Give the balanced accuracy of (is, said) pairs."""
    positive = [said for is_so, said in pairs if is_so]
    negative = [not said for is_so, said in pairs if not is_so]
    return (sum(positive) / max(len(positive), 1) + sum(negative) / max(len(negative), 1)) / 2


def figures(name: str, path: Path) -> None:
    """Print the figures of one set."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    kind = "log" if name == "tau_airline" else "document"
    called: Counter[tuple[str, str]] = Counter()
    empty = swaps = caught = 0
    for row in rows:
        said, has_claims = verdict_of(row, kind)
        called[row["label"], said] += 1
        empty += not has_claims
        if row["id"].endswith("-x"):
            swaps, caught = swaps + 1, caught + (said == "CONTRADICTED")
    pairs = [
        (is_so == "SUPPORTED", said == "SUPPORTED")
        for (is_so, said), times in called.items()
        for _ in range(times)
    ]
    scores = [(row["label"] == "SUPPORTED", overlap(row)) for row in rows]
    threshold = max(
        sorted({score for _, score in scores}),
        key=lambda cut: balanced([(is_so, score >= cut) for is_so, score in scores]),
    )
    base = balanced([(is_so, score >= threshold) for is_so, score in scores])
    plain = balanced([(is_so, score >= LEXICAL) for is_so, score in scores])
    lexical = Counter(
        (row["label"], "SUPPORTED" if score >= LEXICAL else "UNVERIFIED")
        for row, (_, score) in zip(rows, scores, strict=True)
    )
    print(
        f"{name:<12} balanced accuracy {balanced(pairs):.3f} (lexical {plain:.3f}, overlap at its best {threshold:.2f}: {base:.3f})"
        f"  macro-F1 {macro_f1(called):.3f} (lexical {macro_f1(lexical):.3f})  "
        + "  ".join(precision(called, label) for label in LABELS[:2])
        + f"  no claim {empty}"
        + (f"  swaps caught {caught} of {swaps}" if swaps else "")
    )


def macro_f1(called: Counter[tuple[str, str]]) -> float:
    """Give the mean F1 of the labels the set has."""
    found = []
    for label in LABELS:
        actual = sum(times for (is_so, _), times in called.items() if is_so == label)
        said = sum(times for (_, each), times in called.items() if each == label)
        if actual:
            found.append(2 * called[label, label] / (actual + said))
    return sum(found) / max(len(found), 1)


def precision(called: Counter[tuple[str, str]], label: str) -> str:
    """Give precision and coverage of a verdict in words."""
    said = sum(times for (_, each), times in called.items() if each == label)
    right = f"{called[label, label] / said:.2f}" if said else "-"
    return f"{label} {right} of {said} ({said / max(sum(called.values()), 1):.2f})"


def main() -> int:
    """Run what the arguments ask for."""
    if len(sys.argv) < 2:
        speed()
        return 0
    if sys.argv[1] == "families":
        return families(" ".join(sys.argv[2:]))
    folder = Path(sys.argv[1])
    for name in SETS:
        found = sorted(folder.glob(f"{name}*.jsonl"))
        for path in found:
            figures(name, path)
        if not found:
            print(f"absent: {folder / name}*.jsonl")
    return 0


if __name__ == "__main__":
    sys.exit(main())
