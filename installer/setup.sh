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
  hyb_as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing </dev/null
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
    hyb_as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libqwt-qt6-dev </dev/null
    return 0
  fi
  local prefix work archive uri
  prefix=$hyb_cache/qwt-$qwt_version-qt$(qmake6 -query QT_VERSION)-$(uname -m)
  export CMAKE_PREFIX_PATH=$prefix${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
  [ -e "$prefix/complete" ] && return 0
  hyb_say "Building Qwt $qwt_version once (about two minutes) into $prefix"
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
    # Library and OpenGL-free plots only: no designer plug-in, examples, playground or tests.
    sed -i -E 's/^( *QWT_CONFIG *\+= *Qwt(Designer|Examples|Playground|Tests|OpenGL|SelfInclude|Framework))/#\1/' qwtconfig.pri
    sed -i -E "s#^( *QWT_INSTALL_PREFIX *=).*#\1 $prefix#" qwtconfig.pri
    qmake6 qwt.pro CONFIG+=release >/dev/null
    make -j"$(nproc)" >make.log 2>&1 || { tail -n 30 make.log >&2; exit 1; }
    make install >/dev/null
  )
  touch "$prefix/complete"
  rm -rf "$work"
}

hyb_setup() { hyb_install_packages; hyb_provide_qwt; }

# hyb_build PRESET [TARGET...]: configures where needed and builds; quiet unless something is to be done or fails.
hyb_build() {
  local preset=$1 log targets=()
  shift
  [ $# -eq 0 ] || targets=(--target "$@")
  log=$(mktemp)
  (
    cd "$hyb_root"
    [ -e "build/$preset/CMakeCache.txt" ] || hyb_say "Building HybridBench ($preset): some minutes the first time"
    cmake --preset "$preset" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
    if [ -t 1 ]; then exec cmake --build --preset "$preset" "${targets[@]}"; fi  # with its progress
    cmake --build --preset "$preset" "${targets[@]}" >"$log" 2>&1 || { grep -E 'error|FAILED|warning' -A 3 "$log" >&2 || cat "$log" >&2; exit 1; }
  )
  rm -f "$log"
}
