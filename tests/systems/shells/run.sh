#!/usr/bin/env bash
# run.sh HKPD: checks that the files of the built command suit their readers: manual pages for man, groff and mandoc,
# completion for bash, zsh and fish. Needs groff, man-db, mandoc, lowdown, zsh, fish, shellcheck, git, CMake and Debian's bash.
# shellcheck disable=SC2016,SC2317 # other shells expand their own text; functions are called by their names
set -euo pipefail
hkpd=$(realpath -- "$1")
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
failed=0

# expect WHAT GOT WANTED...: each wanted word is alone on a line of GOT; one after `!` is not.
expect() {
    local what=$1 got=$2 word
    shift 2
    for word in "$@"; do
        if [[ $word == '!'* ]]; then
            if ! grep -qxF -e "${word#!}" <<<"$got"; then continue; fi
        elif grep -qxF -e "$word" <<<"$got"; then
            continue
        fi
        printf '%s: expected %s, got:\n%s\n' "$what" "$word" "$got" >&2
        failed=1
    done
}

# silent NAME COMMAND...: succeeds and prints no message.
silent() {
    local name=$1 message
    shift
    if ! message=$("$@" 2>&1 >/dev/null) || [[ -n $message ]]; then
        printf '%s: %s\n' "$name" "$message" >&2
        failed=1
    fi
}

subcommands=$("$hkpd" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p')
expect overview "$subcommands" info dump replay top relog typeperf capture check compare map titles completion help

# The installed pages are those of all of these, and no others.
for subcommand in '' $subcommands; do echo "hkpd${subcommand:+-}$subcommand.1"; done | sort >"$work/wanted"
find "$(dirname "$hkpd")/share/man/man1" -type f -printf '%f\n' | sort >"$work/built"
if ! diff "$work/wanted" "$work/built" >&2; then
    echo "the manual pages that were built (target hkpd_documents) are not those of the subcommands" >&2
    failed=1
fi

# A build outside a repository may have no date.
lint_page() { mandoc -T lint -W warning "$1" | grep -v 'missing date' >&2 || true; }

for subcommand in '' $subcommands; do
    page=$work/hkpd${subcommand:+-}$subcommand.1
    "$hkpd" help ${subcommand:+"$subcommand"} --man >"$page"
    silent "groff $page" groff -man -ww -z "$page"
    silent "man $page" env MANWIDTH=80 man --warnings -l "$page"
    silent "mandoc $page" lint_page "$page"
done
tutorial=$here/../../../tools/documents
if ! "$tutorial/make_tutorial.sh" | diff "$tutorial/hkpd-tutorial.7" - >&2; then
    echo "hkpd-tutorial(7) is not that of TUTORIAL.md: tools/documents/make_tutorial.sh > tools/documents/hkpd-tutorial.7" >&2
    failed=1
fi
silent "groff hkpd-tutorial" groff -man -ww -z "$tutorial/hkpd-tutorial.7"
silent "mandoc hkpd-tutorial" lint_page "$tutorial/hkpd-tutorial.7"

# All options are in the page, spelt as they are typed.
page=$(MANWIDTH=200 man -E ascii -l "$work/hkpd-replay.1" | col -b)
while read -r option; do
    if ! grep -qF -e "$option" <<<"$page"; then
        echo "hkpd-replay(1) has no $option" >&2
        failed=1
    fi
done < <("$hkpd" replay --help-all | grep -oE '^ +(-[a-z], )?--[a-z0-9-]+' | grep -oE -e '--[a-z0-9-]+')

for shell in bash zsh fish powershell; do "$hkpd" completion "$shell" >"$work/hkpd.$shell"; done
cp "$work/hkpd.zsh" "$work/_hkpd"
silent shellcheck shellcheck -s bash "$work/hkpd.bash"
silent "zsh -n" zsh -n "$work/_hkpd"
silent "fish -n" fish -n "$work/hkpd.fish"

# in_bash WORD...: what bash offers for the last word.
in_bash() {
    bash --norc -c '
        source "$1"
        shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _hkpd
        printf "%s\n" "${COMPREPLY[@]}"' bash "$work/hkpd.bash" "$@" 2>&1
}
expect bash "$(in_bash hkpd '')" dump replay help --version
expect bash "$(in_bash hkpd re)" replay '!dump'
expect bash "$(in_bash hkpd dump --fo)" --format '!--from'
expect bash "$(in_bash hkpd replay --format '')" text pdh-csv openmetrics
expect bash "$(in_bash hkpd replay --format = js)" json jsonl '!csv'
expect bash "$(in_bash hkpd replay --format =)" text
expect bash "$(in_bash hkpd dump --format '')" json '!openmetrics'
expect bash "$(in_bash hkpd titles '')" list find export
expect bash "$(in_bash hkpd help ti)" titles
expect bash "$(in_bash hkpd completion '')" bash zsh fish powershell
expect bash "files: $(in_bash hkpd dump --titles '')" "files: "
expect bash "files: $(in_bash hkpd dump '')" "files: "

# fish without the user's configuration.
in_fish() {
    HOME=$work XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data \
        fish --no-config -c 'source $argv[1]; cd $argv[2]; complete -C $argv[3]' "$work/hkpd.fish" "$work" "$1" |
        cut -f1
}
expect fish "$(in_fish 'hkpd ')" dump replay help
expect fish "$(in_fish 'hkpd du')" dump '!replay'
expect fish "$(in_fish 'hkpd dump --fo')" --format '!--from'
expect fish "$(in_fish 'hkpd replay --format ')" text openmetrics '!hkpd.fish'
expect fish "$(in_fish 'hkpd dump --format ')" json '!openmetrics'
expect fish "$(in_fish 'hkpd titles ')" list find export
expect fish "$(in_fish 'hkpd dump ')" hkpd.fish '!list'
expect fish "$(in_fish 'hkpd dump --titles ')" hkpd.fish
expect fish "$(in_fish 'hkpd titles ')" '!hkpd.fish'
expect fish "$(in_fish 'hkpd titles list ')" hkpd.fish '!export'
expect fish "$(in_fish 'hkpd help ')" titles '!hkpd.fish'
expect fish "$(in_fish 'hkpd completion ')" zsh '!hkpd.fish'
# Only the first word is a subcommand.
expect fish "$(in_fish 'hkpd dump map --he')" --help-text '!--record'
expect fish "$(in_fish 'hkpd dump map --at')" '!--at'
expect fish "$(in_fish 'hkpd map dump --at')" --at
# Names of earlier versions are accepted, and not offered.
expect fish "$(in_fish 'hkpd map --js')" '!--json'

# zsh on a terminal of its own, as its completion works nowhere else.
in_zsh() { zsh -f "$here/complete.zsh" "$work" "$1"; }
expect zsh "$(in_zsh 'hkpd ')" dump replay help
expect zsh "$(in_zsh 'hkpd dump --fo')" --format '!--from'
expect zsh "$(in_zsh 'hkpd replay --format ')" text openmetrics '!hkpd.fish'
expect zsh "$(in_zsh 'hkpd replay --format=')" text
expect zsh "$(in_zsh 'hkpd dump --format ')" json '!openmetrics'
expect zsh "$(in_zsh 'hkpd titles ')" list find export
expect zsh "$(in_zsh 'hkpd dump ')" hkpd.fish '!list'
expect zsh "$(in_zsh 'hkpd dump --titles ')" hkpd.fish
expect zsh "$(in_zsh 'hkpd help ')" titles

# --version distinguishes a changed tree from its commit; otherwise nothing is compiled again.
write_revision() { cmake -D "FOLDER=$work/tree" -D "OUTPUT=$work/revision.hpp" -P "$here/../../../tools/hkpd/revision.cmake"; }
revision() { write_revision && sed -n 's/.* source_revision = "\([^"]*\)".*/\1/p' "$work/revision.hpp"; }
# Without the user's configuration.
in_tree() { HOME=$work git -C "$work/tree" -c user.name=tester -c user.email=tester@localhost "$@"; }
mkdir "$work/tree"
expect "no repository" "revision: $(revision)" "revision: "
in_tree init -q
echo one >"$work/tree/file"
in_tree add file
in_tree commit -q -m one
commit=$(in_tree rev-parse --short=12 HEAD)
expect "clean tree" "$(revision)" "$commit"
touch -d 2000-01-01 "$work/revision.hpp"
write_revision
expect "the same again" "$(date -r "$work/revision.hpp" +%Y)" 2000
touch "$work/tree/file"
expect "touched file" "$(revision)" "$commit"
echo two >"$work/tree/file"
expect "modified tree" "$(revision)" "$commit-dirty"

if ((failed == 0)); then echo "manual pages and completion are what their readers take"; fi
exit "$failed"
