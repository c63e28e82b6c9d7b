#!/usr/bin/env bash
# Runs a command silently and prints what it did and how long it took: step.sh TEXT COMMAND...
# If the command fails, prints its output.
set -u
text=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
begin=$(date +%s)
"$@" > "$log" 2>&1
code=$?
printf '%-28s %4d s\n' "$text" $(($(date +%s) - begin)) >&2
if [ "$code" != 0 ]; then cat "$log" >&2; fi
exit "$code"
