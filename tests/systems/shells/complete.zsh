# complete.zsh FOLDER TEXT: prints the words that zsh offers after TEXT, one per line, with the completion _hkpd of the
# folder, which is the current one. They are taken from zsh's own compadd, in a zsh on a terminal.
zmodload zsh/zpty
folder=$1
zpty shell zsh -f -i
zpty -w shell "PS1= PS2= RPS1=; unsetopt beep; cd ${(q)folder}; fpath=(${(q)folder} \$fpath)"
zpty -w shell 'autoload -Uz compinit && compinit -u -D'
zpty -w shell 'compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
    local -a offered
    builtin compadd -A offered "$@"
    print -rl -- "OFFERED:"$^offered
    builtin compadd "$@"
}'
zpty -w shell "complete_it() { _main_complete; print -r ALL-OFFERED; compstate[insert]= ; compstate[list]= }"
zpty -w shell "zle -C complete_it complete-word complete_it; bindkey '^T' complete_it; print -r RE''ADY"
zpty -r -m shell line '*READY*'
zpty -n -w shell "$2"$'\x14'
zpty -r -m shell all '*ALL-OFFERED*'
print -r -- ${all//$'\r'/} | sed -n 's/.*OFFERED:\([^[:cntrl:]]*\).*/\1/p'
zpty -d shell
