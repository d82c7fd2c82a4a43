#!/bin/sh
# Installs packages of Debian or Ubuntu: `checks/packages.sh PACKAGE…` says in one line what it does, and does it, when
# it is root or may use sudo and NO_INSTALL is not set. Else it says the one line that would do it; exit status 1.
set -u
packages=$(printf '%s\n' "$@" | sort -u | tr '\n' ' ' | sed 's/ $//')
command="apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $packages"

# sudo_may_ask: it needs no password, or there is a terminal to ask for one.
sudo_may_ask() {
    sudo -n true 2>/dev/null || [ -t 0 ]
}

if [ "$(id -u)" -eq 0 ]; then
    as_root=
    line=$command
    allowed=yes
elif command -v sudo >/dev/null 2>&1; then
    as_root=sudo
    line="sudo sh -c '$command'"
    if sudo_may_ask; then allowed=yes; else allowed=no; fi
else
    line="su - -c '$command'"
    allowed=no
fi

if [ "$allowed" = yes ] && [ -z "${NO_INSTALL:-}" ]; then
    echo "Installing what is missing (NO_INSTALL=1 prevents it): $line"
    $as_root sh -c "$command" >/dev/null && exit 0
fi
printf 'Packages are missing. This line installs them:\n\n  %s\n' "$line" >&2
exit 1
