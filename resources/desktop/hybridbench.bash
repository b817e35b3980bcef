# Completion for bash. Subcommands and options are read from the program's own help.
_hybridbench() {
  local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words
  COMPREPLY=()
  if [ "$command" = study ] && [ "$COMP_CWORD" -eq 3 ] && [ "${COMP_WORDS[2]}" = journal ]; then
    words="export merge print"
  elif [ "$COMP_CWORD" -eq 1 ]; then
    words="$(hybridbench --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p')
      $(hybridbench --help | grep -oE -- '--[a-z][a-z-]*') $(hybridbench templates 2>/dev/null | sed -n 's/^ *\([a-z0-9-]*\) .*/\1/p')"
  elif [[ $current == -* ]]; then
    words=$(hybridbench "$command" --help | grep -oE -- '--[a-z][a-z-]*')
  elif [ "$COMP_CWORD" -eq 2 ]; then
    words=$(hybridbench templates 2>/dev/null | sed -n 's/^ *\([a-z0-9-]*\) .*/\1/p')
    [ "$command" = study ] && words="$words journal"
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
}
complete -o filenames -F _hybridbench hybridbench
