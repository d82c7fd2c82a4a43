#!/bin/sh
# Looks for every tool that is needed, before anything is built, and is silent when all are there.
#   checks/toolchain.sh          what `make setup` and `make demo` need
#   checks/toolchain.sh --test   what `make test` needs on top
# What is not here at all and is a package of Debian's or Ubuntu's is installed by packages.sh, where that may do it.
# All else that is missing or too old is named at once, with exit status 2.
# PYTHON chooses the interpreter; each least version stands in the file of the part that needs it.
set -u
cd "$(dirname "$0")/.." || exit 2
python=${PYTHON:-python3}
wanted=${1:-}
packages=
named=
installed=no

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

# report WHAT MINIMUM FOUND DEBIAN MACOS: adds to $packages what apt-get may bring, and all else to $named.
report() {
    if [ -z "$3" ] && [ "$installed" = no ] && command -v apt-get >/dev/null 2>&1; then
        case $4 in
        "apt install "*) packages="$packages ${4#apt install }" && return ;;
        "apt-get install -y "*) packages="$packages ${4#apt-get install -y }" && return ;;
        esac
    fi
    named="$named

  $1
    needed   $2
    found    ${3:-nothing}
    Debian   $4
    macOS    $5"
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
    case $python in
    */*) debian="PYTHON is a path: let it lead to an interpreter with venv" ;;
    *) debian="apt install $python $python-venv" ;;
    esac
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
    # A compiler without the headers and start files of C links nothing.
    if ! echo '#include <stdlib.h>' | cc -E -x c - >/dev/null 2>&1; then
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
    package=chromium
    # There it is a snap, which this package fetches.
    if grep -qx ID=ubuntu /etc/os-release 2>/dev/null; then package=chromium-browser; fi
    report "Chromium, which opens the pages under test" "any" "" "apt install $package" \
        "install Chrome and put its program on PATH as google-chrome"
}

# Debian keeps nginx where only root's PATH looks.
check_nginx() {
    if ! PATH="$PATH:/usr/sbin" command -v nginx >/dev/null 2>&1; then
        report "nginx, the reverse proxy under test" "any" "" "apt install nginx-light" "brew install nginx"
    fi
}

check_haproxy() {
    description=servers/haproxy/server.toml
    if ! PATH="$PATH:/usr/sbin" command -v haproxy >/dev/null 2>&1; then
        report "HAProxy, the balancing reverse proxy under test" "any" "" "$(text_of debian $description)" "$(text_of macos $description)"
    fi
}

# The driver runs on Linux, and so does what counts its system calls.
check_strace() {
    if [ "$(uname -s 2>/dev/null)" != Darwin ] && ! command -v strace >/dev/null 2>&1; then
        report "strace, which counts the driver's system calls" "any" "" "apt install strace" "nothing"
    fi
}

# Its package is the program alone, without a service. Homebrew's has other names, so that its tests are skipped there.
check_apache() {
    description=servers/apache/server.toml
    if [ "$(uname -s 2>/dev/null)" != Darwin ] && ! PATH="$PATH:/usr/sbin" command -v apache2 >/dev/null 2>&1; then
        report "Apache httpd (apache2), the web server under test" "any" "" "$(text_of debian $description)" "$(text_of macos $description)"
    fi
}

# The one that the lab fetches knows no TLS.
check_postgresql() {
    for program in /usr/lib/postgresql/*/bin/postgres "$(command -v postgres 2>/dev/null)"; do
        if [ -x "$program" ]; then
            return
        fi
    done
    report "PostgreSQL, which is reached over TLS" "any" "" "apt install postgresql" "brew install postgresql"
}

check_node() {
    debian="apt install nodejs npm"
    needed "Node.js (node), which plays a foreign SOAP client" 18 "$(node --version 2>/dev/null | number)" \
        "$debian" "brew install node"
    if ! command -v npm >/dev/null 2>&1; then
        report "npm" "any" "" "$debian" "brew install node"
    fi
}

# A newer Java than the least one will do; one that cannot compile will not.
check_java() {
    description=servers/liberty/server.toml
    debian=$(text_of debian $description)
    macos=$(text_of macos $description)
    needed "Java (java), which runs the server under test" "$(value_of minimum $description)" \
        "$(java -version 2>&1 | sed -n 's/.* version "\([0-9.]*\).*/\1/p')" "$debian" "$macos"
    if ! command -v javac >/dev/null 2>&1; then
        report "Java's compiler (javac)" "any" "" "$debian" "$macos"
    fi
    if ! command -v mvn >/dev/null 2>&1; then
        report "Maven (mvn), which builds and fetches what Java runs" "any" "" "apt install maven" "brew install maven"
    fi
}

check_git() {
    if ! command -v git >/dev/null 2>&1; then
        report "git, which tests ask about their checkouts" "any" "" "apt install git" "xcode-select --install"
    fi
}

check_openssl() {
    needed "OpenSSL (openssl), which makes certificates" 1.1.1 "$(openssl version 2>/dev/null | number)" \
        "apt install openssl" "brew install openssl"
}

look() {
    packages=
    named=
    check_python
    check_rust
    check_go
    if [ "$wanted" = --test ]; then
        check_rust_components
        check_git
        check_chromium
        check_nginx
        check_strace
        check_apache
        check_haproxy
        check_openssl
        check_postgresql
        check_node
        check_java
    fi
}

case $wanted in
"" | --test) ;;
*)
    echo "usage: checks/toolchain.sh [--test]" >&2
    exit 2
    ;;
esac

look
# shellcheck disable=SC2086 # the packages are words
if [ -n "$packages" ] && checks/packages.sh $packages; then
    # What came may be too old, or not be what PATH finds first.
    installed=yes
    look
fi
if [ -n "$named" ]; then
    echo "Middlemark needs tools that are not here:$named" >&2
fi
if [ -n "$named$packages" ]; then
    printf '\nInstall what is named above and start again; nothing has been built.\n' >&2
    exit 2
fi
