# Sourced by the scripts of the repository root: finds a Python of at least 3.11 and makes the environment ready.
# Gives $root, and $python, the interpreter of the environment.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Settings of other Python projects must not reach this one.
unset "${!PYTHON@}" VIRTUAL_ENV

system_python() {
    local name
    if [ -n "${ASSAY_PYTHON:-}" ] && ! command -v "$ASSAY_PYTHON" >/dev/null; then
        echo "assay: ASSAY_PYTHON names no program: $ASSAY_PYTHON" >&2
        return 1
    fi
    for name in "${ASSAY_PYTHON:-}" python3.11 python3.12 python3.13 python3.14 python3 python; do
        if [ -n "$name" ] && "$name" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            printf '%s\n' "$name"
            return 0
        fi
    done
    echo "assay: Python 3.11 or newer with its venv module is needed, and none was found." >&2
    echo "  Install it, or name one: ASSAY_PYTHON=/path/to/python3.11 $0" >&2
    return 1
}

# Says without starting Python that a set is ready: its stamp, or a larger set's, is younger than what it stands for.
is_fresh() {
    local name
    [ -x "$root/.venv/bin/python" ] || return 1
    [ "$(cat "$root/.venv/assay-root" 2>/dev/null)" = "$root" ] || return 1
    for name in "$@"; do
        local stamp="$root/.venv/assay-$name.stamp"
        if [ "$stamp" -nt "$root/requirements/$name.txt" ] && [ "$stamp" -nt "$root/pyproject.toml" ]; then
            return 0
        fi
    done
    return 1
}

make_ready() {
    local system
    python="$root/.venv/bin/python"
    case "$1" in
        runtime) is_fresh runtime mcp service sandbox dev bench interop && return ;;
        mcp) is_fresh mcp service sandbox dev bench interop && return ;;
        service) is_fresh service sandbox dev bench interop && return ;;
        sandbox) is_fresh sandbox interop && return ;;
        dev) is_fresh dev bench interop && return ;;
        bench) is_fresh bench interop && return ;;
        *) is_fresh "$1" && return ;;
    esac
    system=$(system_python) || exit 3
    "$system" "$root/tools/environment.py" "$1" || exit 3
}

# An environment of its own for the program that tries our API: see tools/lock.sh.
make_fuzz_ready() {
    local stamp="$root/.venv-fuzz/assay-fuzz.stamp"
    if [ "$stamp" -nt "$root/requirements/fuzz.txt" ]; then return; fi
    echo "assay: making .venv-fuzz with schemathesis (once; hashes are checked)" >&2
    "$python" -m venv --clear "$root/.venv-fuzz" || exit 3
    "$root/.venv-fuzz/bin/python" -m pip --disable-pip-version-check --quiet install --require-hashes \
        --requirement "$root/requirements/fuzz.txt" >&2 || exit 3
    touch "$stamp"
}
