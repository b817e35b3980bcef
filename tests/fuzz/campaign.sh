#!/bin/sh
# Runs fuzzers of a build: campaign.sh BUILD_FOLDER [INPUTS_EACH [NAME...]]. So many inputs of up to 4 KiB, then the
# longest that the parser takes; from 50,000 inputs on also what comes of that, for a second or more. Stops at the first
# fuzzer that finds something; what it found lies in BUILD_FOLDER/fuzzing/NAME. 77: one was skipped, for what it says.
set -eu
build=$1
runs=${2:-1000000}
if [ $# -gt 2 ]; then shift 2; names="$*"; else names=$(cat "$build/fuzzers.txt"); fi
seeds=$(dirname "$0")/corpus

# fuzz PHASE MAX_LEN OPTION...: of the fuzzer $name; says how many inputs it took.
fuzz() {
  phase=$1 longest=$2
  shift 2
  "$build/fuzz_$name" -max_len="$longest" -len_control=0 -timeout=60 -rss_limit_mb=4000 -seed=1 -print_final_stats=1 \
    -error_exitcode=1 -artifact_prefix="$folder/" "$@" >"$folder/$phase.log" 2>&1 || {
    [ $? -ne 77 ] || exit 77  # this machine lacks what the fuzzer needs
    echo "$name: found something, see $folder/$phase.log" >&2
    exit 1
  }
  sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$phase.log"
}

for name in $names; do
  folder=$build/fuzzing/$name
  mkdir -p "$folder/corpus"
  if [ -d "$seeds/$name" ]; then cp -n "$seeds/$name"/* "$folder/corpus/"; fi
  "$build/fuzz_long_input" "$name" "$folder/long"
  longest=$(wc -c <"$folder/long")
  begin=$(date +%s)
  short=$(fuzz short 4096 -runs="$runs" "$folder/corpus") || {
    [ $? -eq 77 ] || exit 1
    echo "$name: skipped. $(grep SKIP "$folder/short.log")"
    skipped=77
    continue
  }
  if [ "$runs" -lt 50000 ]; then
    long=$(fuzz long $((longest + 1)) -detect_leaks=0 "$folder/long")  # not once more for what it might have lost
  else
    long=$(fuzz long $((longest + 1)) -runs="$((runs / 50))" -max_total_time=$((runs / 50000)) -seed_inputs="$folder/long")
  fi
  rm "$folder/long"
  echo "$name: $short inputs of up to 4096 bytes, $long from one of $longest, in $(($(date +%s) - begin)) s"
done
exit "${skipped:-0}"
