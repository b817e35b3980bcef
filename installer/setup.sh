#!/usr/bin/env bash
# Brings a Debian machine to the point where HybridBench builds: packages and Qwt for Qt 6.
# Sourced by installer/run and installer/test; idempotent, a second call costs a fraction of a second.
#   HYB_QWT_ARCHIVE   path of a local Qwt source archive, for machines without a package mirror
#   HYB_CACHE         folder of the built Qwt (default: ${XDG_CACHE_HOME:-~/.cache}/hybridbench)
set -euo pipefail

hyb_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
hyb_cache=${HYB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hybridbench}
qwt_version=6.3.0
qwt_sha256=dcb085896c28aaec5518cbc08c0ee2b4e60ada7ac929d82639f6189851a6129a

hyb_say() { printf '\033[1m%s\033[0m\n' "$*" >&2; }

hyb_as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
    hyb_say "Installing packages needs root: run this as root, or install sudo."; return 3; fi
}

hyb_missing_packages() {
  local package
  while read -r package; do
    case "$package" in '' | '#'*) continue ;; esac
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done <"$hyb_root/installer/packages.txt"
}

hyb_install_packages() {
  local missing
  missing=$(hyb_missing_packages)
  [ -n "$missing" ] || return 0
  hyb_say "Installing $(echo "$missing" | wc -w) Debian packages"
  hyb_as_root apt-get update -qq
  # shellcheck disable=SC2086
  hyb_apt_install $missing
}

# hyb_apt_install PACKAGE...: shows how far it is, and apt's words where it fails.
hyb_apt_install() {
  local log
  log=$(mktemp)
  hyb_as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    -o APT::Status-Fd=1 "$@" </dev/null 2>&1 | hyb_apt_progress "$log" || { tail -n 30 "$log" >&2; return 3; }
  rm -f "$log"
}

# Prints the addresses from which a Qwt source archive may come, best first, read from this machine's own apt.
hyb_qwt_sources() {
  apt-get indextargets --format '$(REPO_URI)' | sort -u | while read -r uri; do
    echo "${uri%/}/pool/main/q/qwt/qwt_${qwt_version}.orig.tar.bz2"
  done
}

# Sets CMAKE_PREFIX_PATH so that CMake finds Qwt; builds it once into the cache where the system has none.
hyb_provide_qwt() {
  if [ "$(dpkg-query -W -f='${db:Status-Status}' libqwt-qt6-dev 2>/dev/null)" = installed ]; then return 0; fi
  if [ -n "$(apt-cache --names-only search '^libqwt-qt6-dev$' 2>/dev/null)" ]; then
    hyb_apt_install libqwt-qt6-dev
    return 0
  fi
  local prefix work archive uri
  prefix=$hyb_cache/qwt-$qwt_version-static-qt$(qmake6 -query QT_VERSION)-$(uname -m)
  export CMAKE_PREFIX_PATH=$prefix${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
  [ -e "$prefix/complete" ] && return 0
  hyb_say "Building Qwt $qwt_version once into $prefix"
  mkdir -p "$hyb_cache"
  work=$(mktemp -d "$hyb_cache/build.XXXXXX")
  archive=${HYB_QWT_ARCHIVE:-}
  if [ -n "$archive" ]; then
    [ -r "$archive" ] || { hyb_say "HYB_QWT_ARCHIVE: cannot read $archive"; return 3; }
    cp "$archive" "$work/qwt.tar.bz2"
  else
    for uri in $(hyb_qwt_sources); do
      if /usr/lib/apt/apt-helper -o APT::Sandbox::User=root download-file "$uri" "$work/qwt.tar.bz2" "SHA256:$qwt_sha256" >&2; then break; fi
    done
    [ -s "$work/qwt.tar.bz2" ] || {
      hyb_say "Qwt's source is not on this machine's package mirror." \
        "Fetch qwt_$qwt_version.orig.tar.bz2 elsewhere and set HYB_QWT_ARCHIVE to its path."
      return 3
    }
  fi
  mkdir "$work/src"
  tar -xjf "$work/qwt.tar.bz2" -C "$work/src" --strip-components=1
  (
    cd "$work/src"
    # Plots on widgets only: no polar plots, dials, designer plug-in, examples, playground or tests. A static library: the
    # package of the program needs no other of its own.
    sed -i -E 's/^( *QWT_CONFIG *\+= *Qwt(Dll|Polar|Widgets|Designer|Examples|Playground|Tests|OpenGL|SelfInclude|Framework))/#\1/' qwtconfig.pri
    sed -i -E "s#^( *QWT_INSTALL_PREFIX *=).*#\1 $prefix#" qwtconfig.pri
    # Compiled in four units: Qt's headers, read for each source, are two thirds of the time.
    cat >>src/src.pro <<'END'
turn = 0
for (source, SOURCES) {
    batch_$$turn += "$${LITERAL_HASH}include \"$$source\""
    turn = $$num_add($$turn, 1)
    equals(turn, 4): turn = 0
}
SOURCES =
for (turn, $$list(0 1 2 3)) {
    write_file($$OUT_PWD/batch_$${turn}.cpp, batch_$${turn})
    SOURCES += batch_$${turn}.cpp
}
END
    qmake6 -spec linux-clang qwt.pro CONFIG+=release >/dev/null
    total=$(make -n | grep -c -- ' -c ')
    make -j"$(nproc)" 2>&1 | hyb_progress make.log "$total" 'compiling ' || { tail -n 30 make.log >&2; exit 1; }
    make install >/dev/null
  )
  touch "$prefix/complete"
  rm -rf "$work"
}

hyb_setup() { hyb_install_packages; hyb_provide_qwt; }

# hyb_tell COUNT TOTAL DONE: COUNT of TOTAL are done, in words, and how long the rest may take, $SECONDS after the beginning:
# one line that changes on a terminal; elsewhere a line every tenth, the last of which the caller's $told keeps.
hyb_tell() {
  local count=$1 total=$2 done=$3 left=$((SECONDS * ($2 - $1) / $1))
  if [ -t 2 ]; then
    printf '\r  %s, about %d:%02d to go\033[K' "$done" $((left / 60)) $((left % 60)) >&2
    [ "$count" -lt "$total" ] || printf '\r\033[K' >&2
  elif [ "$total" -gt 20 ] && [ $((10 * count / total)) -gt "$told" ]; then
    told=$((10 * count / total))
    printf '  %s, about %d:%02d to go\n' "$done" $((left / 60)) $((left % 60)) >&2
  fi
}

# hyb_progress LOG TOTAL WORDS: counts the lines with these words, which tell of a call of the compiler, and tells how many of
# TOTAL there were. All it reads goes to LOG.
hyb_progress() {
  local log=$1 total=$2 words=$3 line count=0 told=0
  SECONDS=0
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    [[ $line == *"$words"* ]] || continue
    count=$((count + 1))
    hyb_tell "$count" "$total" "$count of $total compiled"
  done
}

# hyb_apt_progress LOG: tells how far apt-get is by its status lines ("dlstatus:7:41.5:Retrieving file 7 of 12", then
# "pmstatus:zlib1g:50.0:Unpacking zlib1g"). All other lines go to LOG.
hyb_apt_progress() {
  local log=$1 kind last= percent rest told=0
  SECONDS=0
  while IFS=: read -r kind rest; do
    case $kind in
      dlstatus | pmstatus) ;;
      *) printf '%s\n' "$kind${rest:+:$rest}" >>"$log"; continue ;;
    esac
    [[ $rest =~ :([1-9][0-9]*)(\.[0-9]+)?: ]] || continue
    percent=${BASH_REMATCH[1]}
    [ "$kind" = "$last" ] || last=$kind told=0 SECONDS=0
    hyb_tell "$percent" 100 "$percent % of the packages $([ "$kind" = dlstatus ] && echo fetched || echo installed)"
  done
}

# hyb_build PRESET [TARGET...]: configures where needed and builds; shows how far it is, and the compiler's words where it
# fails.
hyb_build() {
  local preset=$1 log total targets=()
  shift
  [ $# -eq 0 ] || targets=(--target "$@")
  log=$(mktemp)
  (
    cd "$hyb_root"
    hyb_say "Building HybridBench ($preset)"
    cmake --preset "$preset" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
    # Without the rule by which CMake looks after its own files: a dry run ends with that.
    sed '/^build build\.ninja/s/build\.ninja/&.again/' "build/$preset/build.ninja" >"build/$preset/counted.ninja"
    total=$(ninja -C "build/$preset" -f counted.ninja -n "$@" | grep -c 'Building C') || true
    cmake --build --preset "$preset" "${targets[@]}" 2>&1 | hyb_progress "$log" "$total" 'Building C' ||
      { grep -E 'error|FAILED|warning' -A 3 "$log" >&2 || cat "$log" >&2; exit 1; }
  )
  rm -f "$log"
}
