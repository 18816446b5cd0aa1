# For run-test and picture, which read this file: an editor with the extension of this checkout, served from a copy
# of a folder of programs. They set `root`, and call `stop` when they end.

here=$root/editors/workbench
cache=$root/.cache
packed=$cache/workbench-test
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
    rm -rf "$packed"
    mkdir -p "$packed"
    # Line numbers are two thirds of a program for development, and would be packed, and unpacked for each editor.
    strip -o "$packed/lift" "$server" 2>/dev/null || cp "$server" "$packed/lift"
    "$root/editors/vscode/package.sh" "$packed/lift" -o "$packed/lift.vsix" \
        >"$packed/package.log" 2>&1 || {
        cat "$packed/package.log" >&2
        return 1
    }
}

# start PROGRAMS STATE: serves a copy of the folder PROGRAMS, which like all else lies in the folder STATE; sets
# `address`, and `opened`, the copy.
start() {
    opened=$2/$(basename "$1")
    mkdir -p "$2"
    cp -r "$1" "$opened"
    # The extension is installed by the first editor; the others get a copy.
    [ ! -d "$packed/editor" ] || cp -r "$packed/editor" "$2/editor"
    "$here/serve" "$cache/code-server" "$packed/lift.vsix" "$opened" "$2/editor" >"$2/address" &
    serving=$!
    for _ in $(seq 600); do
        [ ! -s "$2/address" ] || break
        kill -0 "$serving" 2>/dev/null || return 1
        sleep 0.1
    done
    address=$(cat "$2/address")
    if [ ! -d "$packed/editor" ]; then
        mkdir "$packed/editor"
        cp -r "$2/editor/extensions" "$2/editor/installed" "$packed/editor"
    fi
}

stop() {
    if [ -n "$serving" ]; then
        kill "$serving" 2>/dev/null || true
        wait "$serving" 2>/dev/null || true
        serving=""
    fi
}
