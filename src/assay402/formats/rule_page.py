"""The page of a rule, made from its docstring: what `assay explain` prints and the documentation shows."""

from typing import Any, Final

from assay402.core.check import Check, Rule

GENERATED: Final = "<!-- Generated from the rule's docstring by tools/gen_docs.py: edit it there. -->"


def rule_page(check: Check, rule: Rule[Any, Any]) -> str:
    """Give the page as Markdown, ending in a newline."""
    parts = [
        f"# {rule.id}",
        rule.summary,
        f"Check `{check.name}`. Contract {check.service} {check.version}, {rule.spec}. Since {rule.since}.",
        *(f"## {title}\n\n{body}" for title, body in rule.sections.items()),
    ]
    return "\n\n".join(parts) + "\n"
