# Sourced by the other scripts: makes .venv hold what they need, and does nothing when it already does.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
VENV="$ROOT/.venv"

find_python() {
    local name
    for name in python3.11 python3.12 python3.13 python3.14 python3; do
        if command -v "$name" >/dev/null 2>&1 &&
            "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            echo "$name"
            return
        fi
    done
    echo "skilldeck: Python 3.11 or newer with its venv module is needed, and none was found on PATH" >&2
    return 1
}

# ensure_installed NAME EXTRAS: installs the project with EXTRAS unless the stamp NAME says that it is there
# for exactly these project files.
ensure_installed() {
    local stamp="$VENV/.installed-$1" extras=$2 want lock="$ROOT/.venv.lock" waited=0 python
    want="$extras $ROOT $(cat "$ROOT/pyproject.toml" "$ROOT/constraints.txt" | cksum)"
    if [ -x "$VENV/bin/python" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then
        return
    fi
    until mkdir "$lock" 2>/dev/null; do
        if [ "$waited" -ge 600 ]; then
            echo "skilldeck: another install seems to be running; if not, remove $lock" >&2
            return 1
        fi
        sleep 1
        waited=$((waited + 1))
    done
    # shellcheck disable=SC2064
    trap "rmdir '$lock' 2>/dev/null" EXIT
    if ! "$VENV/bin/python" -c '' >/dev/null 2>&1; then
        python=$(find_python) || return 1
        rm -rf "$VENV"
        "$python" -m venv "$VENV" >&2 || return 1
    fi
    echo "skilldeck: installing into .venv (only when the project's requirements change)" >&2
    "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check \
        --constraint "$ROOT/constraints.txt" --editable "$ROOT$extras" >&2 || return 1
    printf '%s' "$want" >"$stamp"
    rmdir "$lock" 2>/dev/null
    trap - EXIT
}
