#!/bin/sh
# Names every tool that is missing or too old, at once, before anything is built. Exit status 2 when one is.
#   checks/toolchain.sh          what `make setup` and `make demo` need
#   checks/toolchain.sh --test   what `make test` needs on top
# PYTHON chooses the interpreter; each least version stands in the file of the part that needs it.
set -u
cd "$(dirname "$0")/.." || exit 2
python=${PYTHON:-python3}
missing=0

# at_least FOUND MINIMUM: compares up to three numbers, 3.9 < 3.11.
at_least() {
    printf '%s %s\n' "$1" "$2" | awk '{
        split($1, found, "."); split($2, least, ".")
        for (part = 1; part <= 3; part++)
            if (found[part] + 0 != least[part] + 0) exit !(found[part] + 0 > least[part] + 0)
    }'
}

# number: the first version number on stdin.
number() {
    grep -Eo '[0-9]+(\.[0-9]+)+' | head -n 1
}

# report WHAT MINIMUM FOUND DEBIAN MACOS
report() {
    if [ "$missing" -eq 0 ]; then
        echo "Middlemark needs tools that are not here:" >&2
    fi
    missing=$((missing + 1))
    cat >&2 <<TEXT

  $1
    needed   $2
    found    ${3:-nothing}
    Debian   $4
    macOS    $5
TEXT
}

# needed WHAT MINIMUM FOUND DEBIAN MACOS: reports unless FOUND is at least MINIMUM.
needed() {
    if [ -z "$3" ] || ! at_least "$3" "$2"; then
        report "$@"
    fi
}

# value_of KEY FILE: the quoted value of `KEY = "…"`.
value_of() {
    sed -n "s/^$1 *= *\"[^0-9]*\([0-9.]*\)\".*/\1/p" "$2" | head -n 1
}

# text_of KEY FILE: the quoted text of `KEY = "…"`.
text_of() {
    sed -n "s/^$1 *= *\"\(.*\)\".*/\1/p" "$2" | head -n 1
}

check_python() {
    minimum=$(value_of requires-python pyproject.toml)
    found=$("$python" --version 2>/dev/null | number)
    debian="apt install python3 python3-venv python3-pip"
    macos="brew install python@3.12, then make PYTHON=python3.12 setup"
    needed "Python ($python)" "$minimum" "$found" "$debian" "$macos"
    if [ -n "$found" ] && ! "$python" -c 'import venv, ensurepip' >/dev/null 2>&1; then
        report "Python's venv and pip ($python)" "the modules venv and ensurepip" "" "$debian" "$macos"
    fi
}

check_rust() {
    minimum=$(value_of rust-version driver/Cargo.toml)
    rustup="install rustup (https://rustup.rs), then rustup update stable"
    needed "Rust's compiler (rustc)" "$minimum" "$(rustc --version 2>/dev/null | number)" "$rustup" "$rustup"
    needed "Rust's builder (cargo)" "$minimum" "$(cargo --version 2>/dev/null | number)" "$rustup" "$rustup"
    if ! command -v cc >/dev/null 2>&1; then
        report "a C compiler (cc), which links Rust programs" "any" "" "apt install gcc libc6-dev" "xcode-select --install"
    fi
}

check_go() {
    description=platforms/go/platform.toml
    found=$(go version 2>/dev/null | number)
    needed "Go (go)" "$(value_of minimum $description)" "$found" \
        "$(text_of debian $description)" "$(text_of macos $description)"
}

check_rust_components() {
    for component in fmt clippy; do
        if ! cargo "$component" --version >/dev/null 2>&1; then
            report "cargo $component" "any" "" "rustup component add rustfmt clippy" "rustup component add rustfmt clippy"
        fi
    done
}

check_chromium() {
    for program in chromium chromium-browser google-chrome; do
        if command -v "$program" >/dev/null 2>&1; then
            return
        fi
    done
    report "Chromium, which opens the pages under test" "any" "" "apt install chromium" \
        "install Chrome and put its program on PATH as google-chrome"
}

# Debian keeps nginx where only root's PATH looks.
check_nginx() {
    if ! PATH="$PATH:/usr/sbin" command -v nginx >/dev/null 2>&1; then
        report "nginx, the front server under test" "any" "" "apt install nginx-light" "brew install nginx"
    fi
}

check_node() {
    debian="apt install nodejs npm"
    needed "Node.js (node), which plays a foreign SOAP client" 18 "$(node --version 2>/dev/null | number)" \
        "$debian" "brew install node"
    if ! command -v npm >/dev/null 2>&1; then
        report "npm" "any" "" "$debian" "brew install node"
    fi
}

check_java() {
    description=servers/liberty/server.toml
    needed "Java (java), which runs the server under test" "$(value_of minimum $description)" \
        "$(java -version 2>&1 | number)" "$(text_of debian $description)" "$(text_of macos $description)"
    if ! command -v mvn >/dev/null 2>&1; then
        report "Maven (mvn), which fetches that server" "any" "" "apt install maven" "brew install maven"
    fi
}

check_python
check_rust
check_go
case "${1:-}" in
"") ;;
--test)
    check_rust_components
    check_chromium
    check_nginx
    check_node
    check_java
    ;;
*)
    echo "usage: checks/toolchain.sh [--test]" >&2
    exit 2
    ;;
esac

if [ "$missing" -gt 0 ]; then
    printf '\nInstall what is named above and start again; nothing has been built.\n' >&2
    exit 2
fi
