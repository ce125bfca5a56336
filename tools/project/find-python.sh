#!/bin/sh
# Prints the path of the Python that Mergemaker is set up with: $PYTHON if it is set, otherwise the one that
# .venv was made from, otherwise the first of python3.14 ... python3.11, python3 that runs and is new enough.
# When none will do, it says what it found.
# Plain POSIX sh: this is the one part of the set-up that has to work where there is no Python at all.
set -u

venv_python=$(dirname "$0")/../../.venv/bin/python

# A virtual environment's Python answers with the one it was made from: .venv can then be rebuilt
# while it is activated. The answer is marked, as a wrapper may print lines of its own.
probe='
import sys
if sys.version_info < (3, 11):
    sys.exit("is Python %d.%d.%d, too old" % sys.version_info[:3])
print("use " + (getattr(sys, "_base_executable", None) or sys.executable))
'
found=''

# Prints the candidate's real path; or adds a line to $found and returns 1.
try() {
    place=$(command -v "$1" 2>/dev/null) || return 1
    answer=$("$1" -c "$probe" 2>&1 </dev/null)
    path=$(printf '%s\n' "$answer" | sed -n 's/^use //p')
    if [ -n "$path" ]; then
        printf '%s\n' "$path"
        return 0
    fi
    case $answer in
    'is Python '*) ;;
    *) answer="does not run: $(printf '%s\n' "$answer" | grep -v '^[[:space:]]*$' | head -n 1)" ;;
    esac
    found="$found
  $1 ($place) $answer"
    return 1
}

if [ -n "${PYTHON:-}" ]; then
    try "$PYTHON" && exit 0
    [ -n "$found" ] || found="
  $PYTHON: no such command"
    echo "PYTHON=$PYTHON will not do; Mergemaker needs Python 3.11 or newer:$found" >&2
    exit 1
fi

try "$venv_python" && exit 0
found=''

for name in python3.14 python3.13 python3.12 python3.11 python3; do
    try "$name" && exit 0
done

[ -n "$found" ] || found="
  nothing by the names python3.14 ... python3.11, python3"
echo "Mergemaker needs Python 3.11 or newer. On the PATH is:$found
Install one, or name the one to use: make PYTHON=/path/to/python3.12 ..." >&2
exit 1
