"""The resources: what the checks judge by, as pages and documents. Made from the registry, like the documentation."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from msgspec import Struct

from assay402.checks import CHECKS
from assay402.checks.deliverable.model import ASSAY
from assay402.checks.deliverable.published import contract_document
from assay402.checks.deliverable.registry import registry
from assay402.checks.dialect.criteria import criteria
from assay402.checks.listing.contract import output_schema
from assay402.core.check import Check, Rule
from assay402.core.strictjson import write
from assay402.formats.rule_page import rule_page
from assay402.mcp_server.notices import notice_of
from assay402.mcp_server.tools import Tool

JSON_TYPE: Final = "application/json"
PAGE_TYPE: Final = "text/markdown"


class Page(Struct, frozen=True, kw_only=True):
    """One resource; its text is made when it is read."""

    uri: str
    name: str
    description: str
    mime_type: str
    text: Callable[[], str]


def pages(tools: tuple[Tool, ...]) -> Mapping[str, Page]:
    """Give the resources that belong to the tools, by their address."""
    offered = tuple(check for check in CHECKS if check.name in {tool.check.name for tool in tools})
    made = (
        *_documents(offered),
        *(page for tool in tools for page in _schemas(tool)),
        *(page for check in offered for page in _rules(check)),
    )
    return {page.uri: page for page in made}


def _documents(offered: tuple[Check, ...]) -> Iterator[Page]:
    documents: dict[str, tuple[tuple[str, str, Callable[[], Any]], ...]] = {
        "dialect": (("criteria", "The published criteria of the dialect check.", criteria),),
        "deliverable": (
            ("contract", "The published contract of the deliverable check.", contract_document),
            ("menu", "Every check a criterion may name, with its parameters.", partial(registry, ASSAY)),
        ),
        "listing": (("report-schema", "JSON Schema of the listing report, in full.", output_schema),),
    }
    for check in offered:
        for name, description, make in documents.get(check.name, ()):
            yield Page(
                uri=f"assay://{check.name}/{name}",
                name=f"{check.name}/{name}",
                description=description,
                mime_type=JSON_TYPE,
                text=partial(_json, make),
            )
        codes = f"Every code the {check.name} check refuses with, and what to do."
        yield _page(f"{check.name}/codes", codes, partial(_codes, check))


def _schemas(tool: Tool) -> Iterator[Page]:
    for side, schema in (("input", tool.input_schema), ("output", tool.output_schema)):
        yield Page(
            uri=f"assay://schemas/{tool.name}/{side}",
            name=f"{tool.name} {side}",
            description=f"JSON Schema of the {side} of {tool.name}.",
            mime_type=JSON_TYPE,
            text=partial(_json, partial(dict, schema)),
        )


def _rules(check: Check) -> Iterator[Page]:
    for rule in check.rules:
        yield _page(f"rules/{rule.id}", rule.summary, partial(_rule, check, rule))


def _rule(check: Check, rule: Rule[Any, Any]) -> str:
    return rule_page(check, rule)


def _page(name: str, description: str, text: Callable[[], str]) -> Page:
    return Page(uri=f"assay://{name}", name=name, description=description, mime_type=PAGE_TYPE, text=text)


def _json(make: Callable[[], Any]) -> str:
    return write(make()).decode()


def _codes(check: Check) -> str:
    explained = ((code, notice_of(code, check)) for code in check.notices)
    rows = (f"- `{code}`: {notice.text} {notice.hint}" for code, notice in explained if notice is not None)
    return f"# Codes of `{check.name}`\n\n" + "\n".join(rows) + "\n"
