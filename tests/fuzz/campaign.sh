#!/bin/sh
# Runs fuzzers of a build: campaign.sh BUILD_FOLDER [INPUTS_EACH [NAME...]]. Stops at the first one that finds something;
# what it found lies in BUILD_FOLDER/fuzzing/NAME. `fuzzers.txt` of the build says how long the inputs may be.
set -eu
build=$1
runs=${2:-1000000}
if [ $# -gt 2 ]; then shift 2; names="$*"; else names=$(cut -d' ' -f1 "$build/fuzzers.txt"); fi
seeds=$(dirname "$0")/corpus
for name in $names; do
  longest=$(sed -n "s/^$name //p" "$build/fuzzers.txt")
  folder=$build/fuzzing/$name
  mkdir -p "$folder/corpus"
  if [ -d "$seeds/$name" ]; then cp -n "$seeds/$name"/* "$folder/corpus/"; fi
  begin=$(date +%s)
  "$build/fuzz_$name" -runs="$runs" -max_len="$longest" -timeout=20 -rss_limit_mb=3000 -seed=1 -print_final_stats=1 \
    -artifact_prefix="$folder/" "$folder/corpus" >"$folder/log" 2>&1 || {
    echo "$name: found something, see $folder/log"
    exit 1
  }
  count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/log")
  echo "$name: $count inputs of up to $longest bytes in $(($(date +%s) - begin)) s"
done
