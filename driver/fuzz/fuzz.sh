#!/bin/sh
# Lets libFuzzer look for bytes on which the driver breaks a promise.
#   driver/fuzz/fuzz.sh [SECONDS [TARGET…]]     so long for each target; default 60 s, all targets
#   KEEP=1 driver/fuzz/fuzz.sh …                adds to the corpus what reaches code that it did not reach
# What libFuzzer keeps for itself lies in .build/fuzz/TARGET, bytes that broke a promise in .build/fuzz/TARGET-crash-….
set -eu
cd "$(dirname "$0")"
if ! command -v "${CXX:-c++}" >/dev/null; then
    echo "libFuzzer is written in C++, and there is no compiler ${CXX:-c++}; on Debian: apt-get install g++" >&2
    exit 2
fi
seconds=${1:-60}
[ $# -eq 0 ] || shift
corpus=../tests/fuzz/corpus
[ $# -gt 0 ] || set -- $(ls $corpus)
cargo build --quiet --release --locked
program=$(echo target/*/release/middlemark-driver-fuzz)
work=../../.build/fuzz

broken=0
for target; do
    mkdir -p "$work/$target"
    export FUZZ_TARGET="$target"
    if ! "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
        -artifact_prefix="$work/$target-" "$work/$target" "$corpus/$target" >"$work/$target.log" 2>&1; then
        broken=1
        echo "$target: BROKEN"
        grep -E 'panicked at|^ERROR|ERROR: |Test unit written' -A 2 "$work/$target.log" || tail -n 1 "$work/$target.log"
        continue
    fi
    # -use_counters=0: an input stays for code that no other reaches, not for reaching it more often.
    [ -z "${KEEP:-}" ] || "$program" -merge=1 -use_counters=0 "$corpus/$target" "$work/$target" >/dev/null 2>&1
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$target.log")
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$work/$target.log" | tail -1)
    echo "$target: $runs executions, $edges edges reached, corpus of $(ls "$corpus/$target" | wc -l) files"
done
exit $broken
