#!/usr/bin/env bash
# Makes the extension's .vsix.
#
#   editors/vscode/package.sh [SERVER] [-o FILE] [--target SYSTEM]
#
# SERVER is the `lift` program to put into the package (a release build for this system); without it
# the package holds no server, fits every system, and finds `lift` in the setting or on PATH.
# FILE is lift.vsix in this folder unless given. SYSTEM is a system as VS Code names it (linux-arm64),
# if SERVER is for another one than this.
set -euo pipefail

usage() {
    echo "usage: package.sh [SERVER] [-o FILE] [--target SYSTEM]"
}
misused() {
    usage >&2
    exit 2
}
server="" out="" system=""
while [ $# -gt 0 ]; do
    case $1 in
    -o)
        [ $# -ge 2 ] || misused
        out=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
        shift 2
        ;;
    --target)
        [ $# -ge 2 ] || misused
        system=$2
        shift 2
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    -*) misused ;;
    *)
        [ -z "$server" ] || misused
        server=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
        shift
        ;;
    esac
done
[ -z "$system" ] || [ -n "$server" ] || misused
cd "$(dirname "${BASH_SOURCE[0]}")"
out=${out:-$PWD/lift.vsix}

# The installed packages are kept while the lock file stays the same.
if ! cmp -s package-lock.json node_modules/.installed; then
    npm ci --ignore-scripts --loglevel=error
    cp package-lock.json node_modules/.installed
fi
npm run --silent check
npm run --silent build

rm -rf server
target=()
if [ -n "$server" ]; then
    # A package with a program in it is for one system.
    if [ -z "$system" ]; then
        "$server" --version >/dev/null || {
            echo "package.sh: $server does not run" >&2
            exit 1
        }
        system=$(node -p 'process.platform + "-" + process.arch')
    fi
    mkdir server
    name=lift
    [[ $system != win32-* ]] || name=lift.exe
    cp "$server" "server/$name"
    chmod 0755 "server/$name"
    target=(--target "$system")
fi
npx --no-install vsce package --no-dependencies --allow-missing-repository "${target[@]}" -o "$out"
