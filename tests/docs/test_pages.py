"""The pages lead to each other, and say what there is."""

import re
from pathlib import Path
from pkgutil import iter_modules

import pytest

import assay402

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "contracts").rglob("*.md")])
LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#+ +(.+?) *#*$", re.MULTILINE)


def prose(page: Path) -> str:
    """Give a page without what it shows as code."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """Give the names of a page's headings, as the usual renderers make them."""
    found: set[str] = set()
    for heading in HEADING.findall(prose(page)):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        number, again = 0, name
        while again in found:
            number += 1
            again = f"{name}-{number}"
        found.add(again)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    """Links to other sites are not followed."""
    broken = []
    for link in LINK.findall(CODE.sub("", prose(page))):
        place, _, anchor = link.partition("#")
        if ":" in place:
            continue
        target = page if not place else (page.parent / place).resolve()
        is_there = target.exists() and target.is_relative_to(ROOT)
        if not is_there or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_the_architecture_has_a_line_for_every_package() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert sorted(named) == sorted(module.name for module in iter_modules(assay402.__path__))


def test_the_first_sentences_of_the_readme_name_every_way_to_run_a_check() -> None:
    first = (ROOT / "README.md").read_text(encoding="utf-8").partition("|")[0]
    for way in ("command line", "Python library", "HTTP service", "MCP"):
        assert way in first
