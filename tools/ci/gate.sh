#!/usr/bin/env bash
# Runs `hearth gate` in CI. Inputs are variables, so that no input becomes part of a script:
#   HEARTH_GATE_BASE, HEARTH_GATE_NEW   files of the runs, separated by spaces; globs are expanded
#   HEARTH_GATE_MAX_INCREASE, HEARTH_GATE_MIN_SHARE, HEARTH_GATE_FUNCTION
#   HEARTH_GATE_ABSOLUTE                true compares values per run
#   HEARTH_COMMAND                      the command that runs Hearth
#   HEARTH_GATE_JUNIT                   a file for the report of GitLab
# In GitHub Actions it writes annotations, a summary of the job and the output `passed`.
set -uo pipefail

read -r -a hearth <<< "${HEARTH_COMMAND:-npx --yes @hearth/cli}"
# The globs of the inputs are expanded here.
# shellcheck disable=SC2206
base=($HEARTH_GATE_BASE) new=($HEARTH_GATE_NEW)
options=(--max-increase "${HEARTH_GATE_MAX_INCREASE:-5}" --min-share "${HEARTH_GATE_MIN_SHARE:-0.5}")
[ "${HEARTH_GATE_ABSOLUTE:-}" != true ] || options+=(--absolute)
[ -z "${HEARTH_GATE_FUNCTION:-}" ] || options+=(--function "$HEARTH_GATE_FUNCTION")
gate() { "${hearth[@]}" gate --base "${base[@]}" --new "${new[@]}" "${options[@]}" --format "$1"; }

if [ -n "${GITHUB_ACTIONS:-}" ]; then
  gate github
  status=$?
  [ $status -gt 1 ] || gate markdown >> "${GITHUB_STEP_SUMMARY:-/dev/null}" || true
  echo "passed=$([ $status -eq 0 ] && echo true || echo false)" >> "${GITHUB_OUTPUT:-/dev/null}"
else
  gate table
  status=$?
  [ -z "${HEARTH_GATE_JUNIT:-}" ] || gate junit > "$HEARTH_GATE_JUNIT" || true
fi
exit $status
