# SPDX-License-Identifier: Apache-2.0
#
# What the scripts in tools/ share; sourced by bash. It sets `root` (the checkout) and `build` (its build folder), and
# leaves the current folder at the root.
#
#   step WORDS...        says in a line what is done now
#   quiet NAME CMD...    runs a command with its output in build/logs/NAME.log; shows the end of it only on failure
#   need PACKAGE...      installs what is missing of these Debian packages (root, or through sudo)
#   optional PACKAGE...  the same, but what cannot be had is no failure
#   python_tool DIR PACKAGE...   PyPI packages in a virtual environment of their own, kept for the next time

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$root/build
cd "$root"

# Downloads that are worth keeping outlive the checkout. Exported: tests set XDG_CACHE_HOME to folders of their own, and
# scripts below them must still find what is kept.
export OCLDNN_TOOLS_KEPT=${OCLDNN_TOOLS_KEPT:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/ocldnn-tools}
kept=$OCLDNN_TOOLS_KEPT

step() { printf '==> %s\n' "$*"; }
note() { printf '    %s\n' "$*"; }
die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

quiet() {
    local name=$1 log=$build/logs/$1.log
    shift
    mkdir -p "$build/logs"
    if ! "$@" >"$log" 2>&1; then
        printf '    failed: %s\n' "$*" >&2
        tail -n "${QUIET_LINES:-40}" "$log" | sed 's/^/    | /' >&2
        printf '    (all of it: %s)\n' "${log#"$root"/}" >&2
        return 1
    fi
}

# The words of the list that are not installed Debian packages.
missing_packages() {
    local package
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || printf '%s ' "$package"
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

apt_install() {
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || {
        printf 'not root and no sudo: please install %s\n' "$*"
        return 1
    }
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" && return 0
    # Package lists that are absent or old are the usual cause.
    as_root apt-get update && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

need() {
    # Elsewhere than on Debian and its children Meson says what is missing.
    command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || return 0
    local missing
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    step "installing ${missing% }"
    # shellcheck disable=SC2086
    quiet install apt_install $missing || die "could not install ${missing% }"
}

optional() {
    command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || return 0
    local missing
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    step "installing ${missing% }"
    # shellcheck disable=SC2086
    QUIET_LINES=3 quiet install-optional apt_install $missing
}

python_tool() {
    local folder=$kept/$1
    shift
    # The stamp says what the environment holds, so that another list makes it anew.
    [ "$(cat "$folder/holds" 2>/dev/null)" = "$*" ] && return 0
    optional python3-venv || return 1
    step "fetching $* from PyPI, kept for the next time"
    rm -rf "$folder"
    mkdir -p "$folder"
    QUIET_LINES=3 quiet "pip-$(basename "$folder")" python3 -m venv "$folder" || return 1
    QUIET_LINES=3 quiet "pip-$(basename "$folder")" "$folder/bin/pip" install --disable-pip-version-check "$@" || return 1
    printf '%s' "$*" >"$folder/holds"
}

# Hashes over every file of the checkout (but not the builds), and over the versions of Debian packages.
source_state() {
    find . \( -path ./.git -o -path './build*' -o -name __pycache__ \) -prune -o -type f -print0 | sort -z |
        xargs -0 sha256sum | sha256sum | cut -d' ' -f1
}

package_state() {
    { dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\n' "$@" 2>/dev/null || true; } |
        sha256sum | cut -d' ' -f1
}
