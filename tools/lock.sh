#!/usr/bin/env bash
# Writes requirements/*.txt: every package pinned with its hashes, for all supported Pythons and platforms. Needs uv.
set -euo pipefail
cd "$(dirname "$0")/.."
lock() {
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
        pyproject.toml requirements/build.in --output-file "requirements/$1.txt" "${@:2}"
}
lock runtime
lock mcp --extra mcp
lock service --extra service
lock sandbox --extra sandbox
lock dev --extra dev
lock bench --extra dev --extra bench
lock interop --extra dev --extra bench --extra interop
# An environment of its own, as its jsonschema-rs is another than the exact one our answers are pinned to.
uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
    requirements/fuzz.in --output-file requirements/fuzz.txt
lock judge --extra dev --extra judge
# The second environment of the interop tests: the official SDK beside an MCP SDK of its time.
uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
    tests/interop/mcp1/requirements.in --output-file tests/interop/mcp1/requirements.txt
