#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# test_command.sh OCLDNN: the command's manners, and its cache actions on a folder of their own.
set -eu
ocldnn=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_CACHE_HOME="$folder/home"
failed=0

# expect STATUS PATTERN ARGUMENT...: runs the command and looks at its exit status and its words.
expect() {
    wanted=$1 pattern=$2
    shift 2
    status=0
    words=$("$ocldnn" "$@" 2>&1) || status=$?
    if [ "$status" != "$wanted" ] || ! printf '%s\n' "$words" | grep -q -e "$pattern"; then
        printf 'ocldnn %s: status %s (wanted %s), wanted "%s" in:\n%s\n' "$*" "$status" "$wanted" "$pattern" "$words"
        failed=1
    fi
}

expect 64 'Usage' # nothing asked for
expect 0 'Commands:' --help
expect 0 '^ocldnn [0-9]*\.[0-9]*\.[0-9]*$' --version
expect 64 "no command 'nonsense'" nonsense
for command in info check bench cache; do
    expect 0 'Usage: ocldnn' $command --help
    expect 0 'Usage: ocldnn' help $command
    expect 64 'unrecognized option' $command --nonsense
done

expect 1 'no OpenCL device' info --device 'no device is called this'
expect 1 'no OpenCL device' check --device 'no device is called this'
"$ocldnn" info >/dev/null || exit 77 # nothing here to make programs with

if [ -w /dev/full ] && "$ocldnn" info >/dev/full 2>/dev/null; then
    echo "ocldnn info, whose output goes nowhere, is no success"
    failed=1
fi

expect 0 '^0 programs' cache list
expect 64 'Usage' cache export
expect 64 'Usage' cache list too many
expect 64 "no action 'nonsense'" cache nonsense
"$ocldnn" bench --quick --filter 'mean_pool/F32/*' --json "$folder/rows.json" >/dev/null
for word in '"device"' '"limits"' '"rows"' '"percent_of_limit"' '"host_microseconds"'; do
    grep -q "$word" "$folder/rows.json" || { echo "no $word in the JSON file"; failed=1; }
done
expect 0 '^1 programs' cache list
expect 0 'sequence/mean_pool.cl' cache list
expect 0 '^1 programs' cache export "$folder/all"
expect 0 '^1 programs removed' cache clear
expect 0 '^0 programs' cache list
expect 0 '^1 programs imported' cache import "$folder/all"
expect 0 '^1 programs' cache list
printf 'x' | dd of="$folder/all" bs=1 seek=700 conv=notrunc 2>/dev/null
expect 1 'damaged' cache import "$folder/all"
expect 1 'No such file' cache import "$folder/not there"
expect 0 '^0 programs' cache list --folder "$folder/elsewhere"
chmod 777 "$XDG_CACHE_HOME/ocldnn"
expect 1 'others may write' cache list
exit $failed
