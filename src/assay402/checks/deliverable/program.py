"""Which program gave an answer: its sources by digest, and the engines that can change a result by exact version."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from assay402 import __version__
from assay402.core.canon import canonical, sha256_hex
from assay402.core.errors import EngineDiffers

PROGRAM_ID: Final = "assay402/deliverable"
VERSION: Final = __version__
ENGINES: Final = (("google-re2", "1.1.20251105"), ("jsonschema-rs", "0.61.2"))


@cache
def source_files() -> list[Mapping[str, str]]:
    """Give the modules of `core`, `wire` and this room with their digests, as the generated list has them."""
    from importlib.resources import files  # noqa: PLC0415  (loads file modules, for the first answer only)

    listed: list[Mapping[str, str]] = json.loads(
        (files("assay402.checks.deliverable") / "program.json").read_bytes()
    )["files"]
    return listed


@cache
def program_root(registry_root: str) -> str:
    """Give `hashCanonical` of the program under the registry with this root."""
    document: dict[str, Any] = {
        "id": PROGRAM_ID,
        "version": VERSION,
        "registryRoot": registry_root,
        "files": source_files(),
        "engines": [{"name": name, "version": version} for name, version in ENGINES],
    }
    return sha256_hex(canonical(document))


def identity(registry_root: str) -> dict[str, Any]:
    """Give the published identity of the program."""
    return {
        "id": PROGRAM_ID,
        "version": VERSION,
        "programRoot": program_root(registry_root),
        "registryRoot": registry_root,
    }


@cache
def require_engines() -> None:
    """Make sure that the engines are those the program names.

    Raises:
        EngineDiffers: naming the installed version and the one this release answers with.

    """
    from importlib import metadata  # noqa: PLC0415  (loads the reader of mail, for the first answer only)

    for name, wanted in ENGINES:
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            installed = "none"
        if installed != wanted:
            raise EngineDiffers(name, installed=installed, wanted=wanted)
