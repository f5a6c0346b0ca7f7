# shellcheck shell=bash
# Completion of kesco-clang++, kesco-nvcc, vgpu-clang++, kesco-schedule, kesco-report and plan_chart for bash: of options, of the values that an option
# lists, and of files. What there is comes from the programs' own help.

# _kesco_options COMMAND: its options, one a line, each with its values: "--reorder=on|off".
_kesco_options() {
    case ${1##*/} in
    kesco-clang++ | kesco-nvcc)
        kesco-clang++ -fplugin-arg-kesco-help 2>/dev/null | sed -n 's/^  \([a-z].*\)/-fplugin-arg-kesco-\1/p'
        ;;
    esac
    "$1" --help 2>/dev/null | sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*\(=[^ ]*\)\{0,1\}\).*/\2/p'
}

# _kesco_values COMMAND OPTION: the values that the option lists, one a line.
_kesco_values() {
    _kesco_options "$1" | sed -n "s/^$2=\(.*|.*\)/\1/p" | tr '|' '\n'
}

# _kesco_clang_options WORD: Clang's own options that begin with the word.
_kesco_clang_options() {
    "${KESCO_CLANG:-clang++-@LLVM_VERSION_MAJOR@}" "--autocomplete=$1" 2>/dev/null | cut -f 1
}

_kesco() {
    local command=$1 word option values before=''
    word=${COMP_LINE:0:COMP_POINT}
    word=${word##*[[:space:]]}
    option=${word%%=*}
    COMPREPLY=()
    case $word in
    -*=*)
        values=$(_kesco_values "$command" "$option")
        if [ -n "$values" ]; then
            mapfile -t COMPREPLY < <(compgen -W "$values" -- "${word#*=}")
        else
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "${word#*=}")
        fi
        # Where = parts words, the option is none of this one.
        [[ $COMP_WORDBREAKS == *=* ]] || before=$option=
        COMPREPLY=("${COMPREPLY[@]/#/$before}")
        ;;
    -*)
        values=$(_kesco_options "$command" | sed 's/=.*/=/')
        [[ ${command##*/} != *clang++ ]] || values+=" "$(_kesco_clang_options "$word")
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
        [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
        ;;
    *)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        ;;
    esac
}

complete -F _kesco kesco-clang++ kesco-nvcc vgpu-clang++ kesco-schedule kesco-report plan_chart
