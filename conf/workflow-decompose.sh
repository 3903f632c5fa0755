#!/usr/bin/env bash
# A sample workflow: check a day's tensor, decompose it, and make it the current result.
#
#   conf/workflow-decompose.sh DAY        (DAY as in 2026-11-21; INPUT and RESULTS are URIs or paths)
#
# Exit status 2 means that the day's data are bad: do not retry. Status 1 is worth a retry. Running
# it again for a day that is done does nothing.
set -euo pipefail

day=${1:?usage: $0 DAY}
weft=${WEFT:-$(cd "$(dirname "$0")/.." && pwd)/jobs/bin/weft}
input=${INPUT:-data}/events-$day.tns.gz
results=${RESULTS:-results}/$day

# The output folder appears whole or not at all, so one that weft can read is a finished run. Weft is
# asked, because the results may be at any URI.
is_done() {
  "$weft" top "$results" --count 1 >/dev/null 2>&1
}

if is_done; then
  echo "$day was done already"
  exit 0
fi

status=0
"$weft" stats "$input" || status=$?
if [ $status -ne 0 ]; then
  echo "no usable tensor for $day" >&2
  exit $status
fi

"$weft" cpd "$input" --rank 16 --seed 1 --output "$results" || status=$?
if [ $status -eq 2 ] && is_done; then
  echo "$day was done meanwhile"
  exit 0
fi
exit $status
