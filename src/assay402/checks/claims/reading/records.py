"""Evidence as records: a line, a sentence, a table row or a JSON object, with its named values and its place.

A record reads its values only when a claim comes near it, because most of a long log concerns nobody.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from msgspec.structs import replace

from assay402.checks.claims.keeping import cached_property
from assay402.checks.claims.model import EvidenceItem, Fact, Field
from assay402.checks.claims.reading.facts import LONGEST, facts, value_facts
from assay402.checks.claims.reading.moments import epoch
from assay402.checks.claims.reading.naming import is_id_name, kinds_told
from assay402.checks.claims.reading.order import tokens
from assay402.checks.claims.reading.text import plain, stems, the_same

_PAIR: Final = re.compile(
    r"(?<![\w.])([A-Za-z_][\w.\-]{0,60})\s?=\s?(\"[^\"\n]{0,400}\"|'[^'\n]{0,400}'|[^\s,;()\"']+(?:\s(?:(?:USD|EUR|GBP|CHF|JPY|ms|s|min|h|MB|GB|KB|TB|kg|g|km|m|cm|mm|V|W|bytes?)\b|%|°[CF]\b))?)"
)
_LABEL: Final = re.compile(r"\s*[-*•]?\s*([A-Za-z][\w ./'()\-]{0,60}?)\s*:\s+(?=\S)(.{1,400})")
_STAMP: Final = re.compile(
    r"\s*\[?([0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?|[0-9]{2}:[0-9]{2}:[0-9]{2})"
)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?")
_TIME_NAMES: Final = (
    "timestamp", "time", "ts", "updated_at", "completed_at", "finished_at", "created_at", "date", "at",
)  # fmt: skip
_MONEY_NAMES: Final = frozenset(
    ("amount", "cost", "total", "balance", "paid", "due", "charge", "refund", "fare", "subtotal", "tax", "payment", "discount", "fee", "pay")
)  # fmt: skip
_CURRENCY: Final = re.compile(r"(?:^|\.)(?:currency|currency_code|ccy|curr)$", re.IGNORECASE)
_CODE_LENGTH: Final = 3
UNIT_NAME: Final = re.compile(r"(?:^|_)(?:currency|currency_code|ccy|curr|units?)$", re.IGNORECASE)
"""How a field is named that tells the currency or the unit of the fields beside it."""
_PAYMENTS: Final = re.compile(r"payment|transaction|ledger|charges", re.IGNORECASE)
_NAMED_ID: Final = re.compile(r"[A-Za-z][A-Za-z_-]{0,20}[0-9][\w-]{0,20}")
_LEVEL: Final = re.compile(r"\b(?:ERROR|FATAL|CRITICAL|SEVERE|EMERG)\b|\[error\]", re.IGNORECASE)

_NONE: Final = frozenset[str]()
_MOST_CHILDREN: Final = 200
"""Records looked at of those that stand in one thing."""


class _Placed:
    """What a record is from the beginning, kept apart: with all that it fills in, each would have a dictionary of its own."""

    __slots__ = (
        "_fields", "children", "form", "item", "label", "line", "order", "parent", "pointer", "span", "text",
    )  # fmt: skip


class Record(_Placed):
    """One statement of the evidence with its place. Not a value: it fills in as it is looked at."""

    def __init__(
        self,
        item: EvidenceItem,
        order: int,
        line: int,
        span: tuple[int, int],
        form: str,
        text: str,
        fields: tuple[Field, ...] = (),
        parent: "Record | None" = None,
        pointer: str = "",
        label: str = "",
    ) -> None:
        self.item: Final = item
        self.order: Final = order
        self.line: Final = line
        self.span: Final = span
        self.form: Final = form
        self.text: Final = text
        self.parent: Final = parent
        self.pointer: Final = pointer
        self.label: Final = label
        self.children: list[Record] | tuple[()] = ()
        self._fields: Final = fields
        if parent is not None:
            parent.children = parent.children or []
            parent.children.append(self)

    @cached_property
    def ref(self) -> str:
        """The reference that names this record."""
        if self.line:
            return f"{self.item.id}#L{self.line}" + (f":{self.pointer}" if self.pointer else "")
        return f"{self.item.id}#{self.pointer or '/'}"

    def field_ref(self, field: Field) -> str:
        """Give the reference that names one value of this record."""
        if self.line:
            name = f"{self.pointer}/{field.name}" if self.pointer else field.name
            return f"{self.item.id}#L{self.line}:{name}"
        return f"{self.item.id}#{self.pointer}/{field.pointer or field.name}"

    def is_called(self, ref: str) -> bool:
        """Tell whether a reference names this record or one of its values."""
        own = f"{self.item.id}#L{self.line}:" if self.line else f"{self.item.id}#{self.pointer}/"
        return ref == self.ref or (
            ref.startswith(own) and any(ref == self.field_ref(field) for field in self.fields)
        )

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The named values."""
        if self.form != "line" or self._fields:
            return self._fields
        pairs = tuple(Field(match[1], match[2].strip("\"'")) for match in _PAIR.finditer(self.text[:LONGEST]))
        label = None if pairs else _LABEL.match(self.text[:LONGEST])
        return (Field(label[1].strip(), label[2].strip()),) if label is not None else pairs

    @cached_property
    def memo(self) -> dict[str, Any]:
        """What a rule found out about the record and another asks again."""
        return {}

    @cached_property
    def plain(self) -> str:
        """The text as it is compared for sameness."""
        return plain(self.text)

    @cached_property
    def spoken(self) -> frozenset[str]:
        """The words as written but for their case; the month is no modal verb."""
        return frozenset(each.lower() for each in self.text.split() if each != "May")

    @cached_property
    def own_stems(self) -> frozenset[str]:
        """The stems of the words of the record itself; of an object also those of what its identifier's prefix stands for."""
        found = frozenset(stems(self.searched))
        return found | self.id_kinds if self.form == "json" else found

    @property
    def id_kinds(self) -> frozenset[str]:
        """The stems of the nouns that the prefixes of an object's identifiers stand for; x402's answer to a payment has none."""
        return kinds_told(self._fields)

    @cached_property
    def searched(self) -> str:
        """The text whose words lead to this record."""
        if self.form in ("json", "row"):
            named = " ".join(f"{field.name} {field.value}" for field in self._fields)
            return f"{self.label} {named}".replace("_", " ")
        return f"{self.label} {self.text}".replace("_", " ")

    @cached_property
    def all_stems(self) -> frozenset[str]:
        """The stems of the record and of what it stands in."""
        if self.parent is None:
            return self.own_stems
        found = set(self.own_stems)
        for above in self.above:
            found |= above.own_stems
        return frozenset(found)

    @cached_property
    def whole_stems(self) -> frozenset[str]:
        """The stems of the record, of what it stands in and, for an object, of what stands in it."""
        is_alone = self.form != "json" or not self.children
        return self.all_stems if is_alone else self.all_stems | self._inner_stems

    @cached_property
    def _inner_stems(self) -> frozenset[str]:
        if not self.children:
            return _NONE
        found: set[str] = set()
        for child in self.children[:_MOST_CHILDREN]:
            found |= child.own_stems
            found |= child._inner_stems  # noqa: SLF001  (of the same class)
        return frozenset(found)

    @property
    def chain(self) -> tuple["Record", ...]:
        """The record, what it stands in, and what stands in it. Not kept: a record that holds itself stays until cycles are searched for."""
        return (self,) if self.parent is None and not self.children else (self, *self.above, *self.below)

    @cached_property
    def held_ids(self) -> frozenset[str]:
        """The identifiers of the record and of what it stands in."""
        if self.parent is None:
            return self.ids
        found = set(self.ids)
        for above in self.above:
            found |= above.ids
        return frozenset(found)

    @cached_property
    def chain_ids(self) -> frozenset[str]:
        """The identifiers of the record, of what it stands in, and of what stands in it."""
        chain = self.chain
        return self.ids if len(chain) == 1 else frozenset([each for record in chain for each in record.ids])

    @cached_property
    def above(self) -> tuple["Record", ...]:
        """What the record stands in, nearest first."""
        return () if self.parent is None else (self.parent, *self.parent.above)

    @cached_property
    def below(self) -> tuple["Record", ...]:
        """What stands in the record."""
        found: list[Record] = []
        for child in self.children[:_MOST_CHILDREN]:
            found += (child, *child.below)
        return tuple(found)

    @cached_property
    def weight(self) -> int:
        """About how many values stand in the record and its surroundings, without reading them."""
        return sum(
            len(each.fields) if each.form in ("json", "row") else 1 + len(each.text[:LONGEST]) // 8
            for each in self.chain
        )

    @cached_property
    def is_prose(self) -> bool:
        """A sentence, and no line that a program wrote."""
        if self.form == "prose":
            return True
        if self.parent is not None:
            return False
        bare = self.text.rstrip("\"')” ")
        return self.form == "line" and not self.fields and bare.endswith((".", "!")) and bare.count(" ") >= 3

    @cached_property
    def ordered(self) -> list[str | Fact]:
        """The content in its order."""
        return tokens(self.text[:LONGEST], tuple(fact for fact in self.facts if fact.start >= 0))

    @property
    def beside(self) -> Iterator["Record"]:
        """What stands in the same thing as the record."""
        if self.parent is not None:
            yield from (each for each in self.parent.children[:_MOST_CHILDREN] if each is not self)

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """The typed values."""
        if self.form in ("json", "row"):
            return self._named_facts()
        text = self.text[:LONGEST]
        if self.form == "line" and "=" in text:
            rest = _PAIR.sub(lambda match: " " * len(match[0]), text)
            return (*self._named_facts(), *facts(rest))
        found = facts(text)
        label = _LABEL.match(text)
        if label is None or self.form == "prose":
            return found
        # What stands before the colon names every value behind it.
        named = frozenset(each for each in stems(label[1]) if each)
        return tuple(
            replace(fact, attribute=the_same(fact.attribute | named))
            if fact.start >= label.start(2)
            else fact
            for fact in found
        )

    def _named_facts(self) -> tuple[Fact, ...]:
        currencies = {
            each.name.rpartition(".")[0]: each.value
            for each in reversed(self.fields)
            if _CURRENCY.search(each.name) and len(each.value) == _CODE_LENGTH
        }
        found: list[Fact] = []
        for index, field in enumerate(self.fields):
            attribute = _named_by(field.name)
            if (
                _WHOLE.fullmatch(field.value) is not None
                and is_id_name(field.name)
                and not self._is_end(field)
            ):
                found.append(Fact("id", field.value, None, None, "", field.value, -1 - index, 0, attribute))
                continue
            day = epoch(field.name, field.value)
            if day:
                found.append(Fact("date", day, None, None, "", field.value, -1 - index, 0, attribute))
                continue
            if (measured := _measured(field)) is not None:
                found.append(replace(measured, attribute=attribute, start=-1 - index))
            if self._is_repaid(field):
                attribute = the_same(attribute | {"refund"})
            for fact in value_facts(
                field.value.lstrip("-") if self._is_repaid(field) else field.value[:LONGEST]
            ):
                found += self._with_currency(
                    replace(fact, attribute=attribute, start=-1 - index),
                    field,
                    currencies.get(field.name.rpartition(".")[0], currencies.get("", "")),
                )
        return tuple(found)

    def _is_end(self, field: Field) -> bool:
        """Tell whether a number is what something went to, beside the number from which it came, and names nobody."""
        above, dot, name = field.name.rpartition(".")
        return (
            name == "to"
            and any(each.name == f"{above}{dot}from" and _WHOLE.fullmatch(each.value) for each in self.fields)
            and not any(_MONEY_NAMES & set(each.name.lower().split("_")) for each in self.fields)
        )

    def _is_repaid(self, field: Field) -> bool:
        """Tell whether a field is a negative sum of a list of payments, which is money given back."""
        return (
            field.value[:1] == "-"
            and _PAYMENTS.search(self.label) is not None
            and bool(_MONEY_NAMES & set(field.name.lower().split("_")))
        )

    @cached_property
    def is_repayment(self) -> bool:
        """An entry of a list of payments that gives money back."""
        return any(self._is_repaid(field) for field in self._fields)

    def _with_currency(self, fact: Fact, field: Field, currency: str) -> list[Fact]:
        if fact.kind != "number" or not (currency or _MONEY_NAMES & fact.attribute):
            return [fact]
        name = field.name.lower()
        if not currency and not ("cents" in name or "minor" in name):
            return [fact]
        if (
            "cents" in name
            or "minor" in name
            or (currency.islower() and "." not in field.value and "amount" in name)
        ):
            hundredth = [None if each is None else each / Decimal(100) for each in (fact.low, fact.high)]
            value = format((Decimal(fact.value) / 100).normalize(), "f")
            return [
                replace(
                    fact,
                    kind="money",
                    unit=currency.upper(),
                    value=value,
                    low=hundredth[0],
                    high=hundredth[1],
                )
            ]
        if not _MONEY_NAMES & fact.attribute and "price" not in name:
            return [fact]
        return [replace(fact, kind="money", unit=currency.upper())]

    @cached_property
    def ids(self) -> frozenset[str]:
        """The identifiers the record holds itself."""
        kinds = ("id", "hash", "email", "url", "path", "version")
        named = {field.name.lower() for field in self.fields if _NAMED_ID.fullmatch(field.name)}
        named.update(fact.value for fact in self.facts if fact.kind in kinds)
        return frozenset(named) if named else _NONE

    @cached_property
    def moment(self) -> str:
        """When the record was made, as far as it says; empty where it does not."""
        dated = [field for field in self.fields if field.name.lower() in _TIME_NAMES]
        for name in _TIME_NAMES if dated else ():
            for field in dated:
                if field.name.lower() == name and (found := _DAY.search(field.value)):
                    return found[0].replace("T", " ")
        stamp = _STAMP.match(self.text[:40]) if self.form in ("line", "tests") else None
        if stamp is not None:
            return stamp[1].replace("T", " ")
        return self.parent.moment if self.parent is not None else ""

    @cached_property
    def level_is_error(self) -> bool:
        """A log line of a level that tells a failure."""
        return self.form in ("line", "tests") and _LEVEL.search(self.text[:80]) is not None


@lru_cache(maxsize=1_024)
def _named_by(name: str) -> frozenset[str]:
    """Give the stems of the words of a field's name."""
    return frozenset(stems(name.replace("_", " ").replace(".", " ")))


_WHOLE: Final = re.compile(r"[0-9]{1,20}")
_MEASURE: Final = re.compile(
    r"_(ms|kmh|mph|kg|km|seconds|secs?|minutes|mins?|hours|bytes|[kmgt]b|percent|pct)$", re.IGNORECASE
)


_IN_BRACKETS: Final = re.compile(r"\((ms|s|min|kg|km|[kM]W|kWh|[kMGT]B|%)\)$")
_MEASURED_IN: Final = re.compile(r"(days|hours|minutes|seconds)_", re.IGNORECASE)


def _measured(field: Field) -> Fact | None:
    """Give the number of a field in the unit that its name ends in: `latency_ms=250`."""
    match = _MEASURE.search(field.name) or _MEASURED_IN.match(field.name) or _IN_BRACKETS.search(field.name)
    if match is None or re.fullmatch(r"[0-9]{1,15}(?:\.[0-9]{1,9})?", field.value) is None:
        return None
    unit = {"pct": "%", "percent": "%", "kmh": "km/h"}.get(match[1].lower(), match[1])
    return next((each for each in value_facts(f"{field.value} {unit}") if each.kind != "number"), None)
