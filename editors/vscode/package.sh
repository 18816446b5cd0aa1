#!/usr/bin/env bash
# Makes the extension's .vsix.
#
#   editors/vscode/package.sh [SERVER] [-o FILE]
#
# SERVER is the `lift` program to put into the package (a release build for this system); without it
# the package holds no server, fits every system, and finds `lift` in the setting or on PATH.
# FILE is lift.vsix in this folder unless given.
set -euo pipefail

usage() {
    echo "usage: package.sh [SERVER] [-o FILE]" >&2
    exit 2
}
server="" out=""
while [ $# -gt 0 ]; do
    case $1 in
    -o)
        [ $# -ge 2 ] || usage
        out=$(realpath "$2")
        shift 2
        ;;
    -*) usage ;;
    *)
        [ -z "$server" ] || usage
        server=$(realpath "$1")
        shift
        ;;
    esac
done
cd "$(dirname "${BASH_SOURCE[0]}")"
out=${out:-$PWD/lift.vsix}

# The installed packages are kept while the lock file stays the same.
lock=$(sha256sum package-lock.json)
if [ ! -f node_modules/.installed ] || [ "$(cat node_modules/.installed)" != "$lock" ]; then
    npm ci --ignore-scripts --loglevel=error
    printf '%s\n' "$lock" >node_modules/.installed
fi
npm run --silent check
npm run --silent build

rm -rf server
target=()
if [ -n "$server" ]; then
    "$server" --version >/dev/null || {
        echo "package.sh: $server does not run" >&2
        exit 1
    }
    mkdir server
    install -m 0755 "$server" server/lift
    # A package with a program in it is for this system alone.
    target=(--target "$(node -p 'process.platform + "-" + process.arch')")
fi
npx --no-install vsce package --no-dependencies --allow-missing-repository "${target[@]}" -o "$out"
