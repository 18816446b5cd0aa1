# For run-test and picture, which read this file: an editor with the extension of this checkout, served from a copy
# of a folder of programs. They set `root`, and call `stop` when they end.

here=$root/editors/workbench
cache=$root/.cache
serving=""

# prepare [SERVER]: installs what is missing and packs the extension, with the `lift` program SERVER in it or with the
# development build of this checkout.
prepare() {
    local server=${1:-}
    if [ -z "$server" ]; then
        (cd "$root" && cargo build --quiet -p lift-lang)
        server=$(cd "$root" && cargo metadata --no-deps --format-version 1 |
            sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')/debug/lift
    fi
    server=$(realpath "$server")
    echo "installing the editor, packing the extension"
    "$root/tests/install" workbench
    mkdir -p "$cache/workbench-test"
    "$root/editors/vscode/package.sh" "$server" -o "$cache/workbench-test/lift.vsix" \
        >"$cache/workbench-test/package.log" 2>&1 || {
        cat "$cache/workbench-test/package.log" >&2
        return 1
    }
}

# start PROGRAMS STATE: serves a copy of the folder PROGRAMS, which like all else lies in the folder STATE; sets
# `address`, and `opened`, the copy.
start() {
    opened=$2/$(basename "$1")
    mkdir -p "$2"
    cp -r "$1" "$opened"
    "$here/serve" "$cache/code-server" "$cache/workbench-test/lift.vsix" "$opened" "$2/editor" >"$2/address" &
    serving=$!
    for _ in $(seq 600); do
        [ ! -s "$2/address" ] || break
        kill -0 "$serving" 2>/dev/null || return 1
        sleep 0.1
    done
    address=$(cat "$2/address")
}

stop() {
    if [ -n "$serving" ]; then
        kill "$serving" 2>/dev/null || true
        wait "$serving" 2>/dev/null || true
        serving=""
    fi
}
