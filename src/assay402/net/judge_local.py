"""Answers `Judge` by an NLI cross-encoder on this machine: an ONNX file with its tokenizer and its configuration.

The packages `onnxruntime` and `tokenizers` (extra `[judge]`) are imported when a model is opened. The order of the
labels is read from the configuration and tried on two pairs whose answers are beyond doubt. Long texts are read in windows,
those first that share the rarest words with the claim; the strongest opinion of any window counts. `thresholds.json` beside
the model may give the two thresholds and must then name the set they were chosen on.
"""

import hashlib
import json
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from assay402.core.asks import Answer, Ask
from assay402.core.errors import OurError, TheirError
from assay402.core.opinions import Judge, Judged, Opinion

Scorer = Callable[[str, str], tuple[float, float, float]]
"""Premise and claim in; the weights of entailment, contradiction and neither out."""

_PROBES: Final = (
    ("The door is open.", "The door is open.", 0),
    ("The door is open.", "The door is not open.", 1),
)
_LONGEST: Final = 512
_WORD: Final = re.compile(r"\w+")
_WINDOW: Final = 240
"""Words of one window: about 350 tokens."""
_MOST_WINDOWS: Final = 8
"""Windows scored for one claim; a pair takes some 40 ms."""
_LIKELY: Final = 0.9
"""Threshold of both kinds where a model comes without its own: no development set was used for it."""


class LocalJudge:
    """Scores each statement against its texts and keeps the strongest opinion."""

    def __init__(
        self,
        name: str,
        score: Scorer,
        *,
        support_threshold: float = _LIKELY,
        contradict_threshold: float = _LIKELY,
    ) -> None:
        self._name: Final = name
        self._score: Final = score
        self._support: Final = support_threshold
        self._contradict: Final = contradict_threshold

    def __call__(self, ask: Ask) -> Answer:
        """Answer a `Judge`."""
        if not isinstance(ask, Judge):
            raise OurError("internal")
        return Judged(
            provider="onnx_nli",
            model=self._name,
            opinions=tuple(self._opinion(claim, texts) for claim, texts in ask.statements),
            support_threshold=self._support,
            contradict_threshold=self._contradict,
        )

    def _opinion(self, claim: str, texts: Sequence[str]) -> Opinion | None:
        scores = [self._score(text, claim) for text in windows(claim, texts)]
        if not scores:
            return None
        entail, contradict, neutral = max(scores, key=lambda each: max(each[0], each[1]))
        return Opinion(entail=entail, contradict=contradict, neutral=neutral)


def windows(claim: str, texts: Sequence[str]) -> list[str]:
    """Give the stretches of the texts in which a claim is looked for, those that share its rarest words first."""
    found = []
    for text in texts:
        places = [match.span() for match in _WORD.finditer(text)]
        for first in range(0, max(1, len(places) - _WINDOW // 2), _WINDOW // 2):
            piece = places[first : first + _WINDOW]
            found.append(text[piece[0][0] : piece[-1][1]] if piece and len(places) > _WINDOW else text)
    held = [set(_WORD.findall(each.lower())) for each in found]
    rarity = {
        word: math.log((1 + len(found)) / (1 + sum(word in each for each in held)))
        for word in sorted(set(_WORD.findall(claim.lower())))
    }
    ranked = sorted(
        range(len(found)),
        key=lambda index: (
            -round(sum(rarity[each] for each in sorted(rarity) if each in held[index]), 9),
            index,
        ),
    )
    return [found[index] for index in ranked[:_MOST_WINDOWS]]


def open_model(folder: Path) -> LocalJudge:
    """Open a folder with `model.onnx`, `tokenizer.json` and `config.json` (its `id2label` names the classes).

    A file `thresholds.json` with `support`, `contradict` and `chosen_on`, the set they were chosen on, is read if it is there.

    Raises:
        TheirError: `judge_unusable` where a file is missing or unreadable, or the two probes come out wrong.

    """
    try:
        weights = (folder / "model.onnx").read_bytes()
        order = _label_order(json.loads((folder / "config.json").read_bytes()))
        support, contradict = _thresholds(folder / "thresholds.json")
        score = _scorer(weights, folder / "tokenizer.json", order)
        right = all(
            max(range(3), key=score(premise, claim).__getitem__) == wanted
            for premise, claim, wanted in _PROBES
        )
    except TheirError:
        raise
    except Exception:  # noqa: BLE001  (the next line says why)
        # Whatever the two packages raise on a broken file says nothing a person could use.
        raise TheirError("judge_unusable") from None
    if not right:
        raise TheirError("judge_unusable")
    name = f"onnx:{hashlib.sha256(weights).hexdigest()[:16]}"
    return LocalJudge(name, score, support_threshold=support, contradict_threshold=contradict)


def _thresholds(file: Path) -> tuple[float, float]:
    """Read the two thresholds; without the name of the set they were chosen on they are not taken."""
    if not file.exists():
        return _LIKELY, _LIKELY
    given = json.loads(file.read_bytes())
    support, contradict = float(given["support"]), float(given["contradict"])
    if not str(given["chosen_on"]).strip() or not 0 < support <= 1 or not 0 < contradict <= 1:
        raise TheirError("judge_unusable")
    return support, contradict


def _label_order(config: Any) -> tuple[int, int, int]:  # noqa: ANN401  (JSON of whoever exported the model)
    named = {str(label).lower(): int(index) for index, label in config["id2label"].items()}
    found = [
        next(index for label, index in named.items() if label.startswith(start))
        for start in ("entail", "contradict", "neutral")
    ]
    return (found[0], found[1], found[2])


def _scorer(weights: bytes, tokenizer_file: Path, order: tuple[int, int, int]) -> Scorer:
    import numpy  # noqa: PLC0415, ICN001  (heavy; loaded only where a model is opened)
    import onnxruntime  # noqa: PLC0415  (the same)
    from tokenizers import Tokenizer  # noqa: PLC0415  (the same)

    session = onnxruntime.InferenceSession(weights, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    tokenizer.enable_truncation(max_length=_LONGEST)
    wanted = {each.name for each in session.get_inputs()}

    def score(premise: str, claim: str) -> tuple[float, float, float]:
        encoded = tokenizer.encode(premise, claim)
        inputs = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
        }
        fed = {name: numpy.array([ids], dtype=numpy.int64) for name, ids in inputs.items() if name in wanted}
        logits = [float(each) for each in session.run(None, fed)[0][0]]
        shares = [math.exp(each - max(logits)) for each in logits]
        return (
            shares[order[0]] / sum(shares),
            shares[order[1]] / sum(shares),
            shares[order[2]] / sum(shares),
        )

    return score
