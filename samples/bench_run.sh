#!/bin/sh
# Runs the benchmarks that samples/bench.sh has put beside this script, as run.sh: first compares the results of
# all variants, then times them, and prints tables. Needs nothing but a POSIX shell, and for the GPU its driver.
#
# Beside it lie:
#   kind                       "gpu" or "virtual"
#   list                       the workloads; samples/bench.list says what a line means
#   code.txt                   lines and tokens of each variant's source (samples/bench_results.h)
#   device                     a program that prints the device's name
#   bench_table                samples/bench_table.c
#   together                   samples/together.c
#   memory                     "device" or "managed": where the data lives (samples/memory.h)
#   programs/VARIANT/WORKLOAD  VARIANT: serial, by_hand, graph, kesco, perhaps taskflow and cudastf; with managed
#                              memory also VARIANT_fetched
# It writes results.txt (samples/bench_results.h), results.json and chart.dat (samples/bench_report.h), and
# leaves what the programs wrote in the folder work.
#
# On a GPU the variants run in turn, so that what else the machine does meets all of them, and medians count; of
# each process the first repetition is for warming up. The virtual GPU's clock says the same in every run, so
# one will do; sizes that it cannot compute in reasonable time are extrapolated from what two small runs do.
set -eu

usage() {
    cat <<'END'
usage: run.sh [--scale S] [--rounds N] [--repeat N] [--settle N] [--model M] [--only NAME,...] [--out FOLDER]
  --scale S        sizes are S times the paper's, above 0; default 1
  --rounds N       start each variant N times, in turn; default: GPU 3, virtual GPU 1
  --repeat N       time N repetitions in each start; default: GPU 20, virtual GPU 1; with managed memory 9, or 1 where it is extrapolated
  --settle N       the last of N repetitions are those that KeSCo's modes are timed in, after it has had time to
                   see what pays; 0: modes are not; default: GPU 200, virtual GPU 40
  --model M        of the virtual GPU: h200 or a100; default h200
  --only NAME,...  only these workloads
  --out FOLDER     where results go; default: beside this script
Exit status: 0 all results are the serial programs', 1 one is not or a step failed, 2 wrong arguments.
END
}

refuse() {
    printf '%s\n' "bench: $*" >&2
    usage >&2
    exit 2
}

fail() {
    printf '%s\n' "bench: $*" >&2
    exit 1
}

say() {
    printf '%s\n' "-- $*"
}

# matches TEXT PATTERN: is all of TEXT as the extended regular expression says?
matches() {
    printf '%s\n' "$1" | grep -Eqx -- "$2"
}

# Sets SCALE, ROUNDS, REPEAT, SETTLE, MODEL, ONLY and OUT; empty: the default, known later.
take_options() {
    SCALE=1 ROUNDS='' REPEAT='' SETTLE='' MODEL='' ONLY='' OUT='' PARSE_ONLY=''
    while [ $# -gt 0 ]; do
        case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --parse-only) # for samples/bench.sh, which wants to know before it builds
            PARSE_ONLY=yes
            shift
            continue
            ;;
        --scale | --rounds | --repeat | --settle | --model | --only | --out) ;;
        *) refuse "unknown option '$1'" ;;
        esac
        [ $# -gt 1 ] || refuse "$1 needs a value"
        take_option "$1" "$2"
        shift 2
    done
}

take_option() {
    case $1 in
    --scale)
        if ! matches "$2" '[0-9]{1,9}(\.[0-9]{1,9})?' || matches "$2" '[0.]*'; then
            refuse "--scale '$2' is not a number above 0, such as 0.5"
        fi
        SCALE=$2
        ;;
    --rounds | --repeat)
        matches "$2" '[1-9][0-9]{0,3}' || refuse "$1 '$2' is not a whole number from 1 to 9999"
        if [ "$1" = --rounds ]; then ROUNDS=$2; else REPEAT=$2; fi
        ;;
    --settle)
        matches "$2" '0|[1-9][0-9]{0,3}' || refuse "--settle '$2' is not a whole number from 0 to 9999"
        SETTLE=$2
        ;;
    --model)
        matches "$2" 'h200|a100' || refuse "--model '$2' is not h200 or a100"
        MODEL=$2
        ;;
    --only)
        matches "$2" '[a-z0-9]+(,[a-z0-9]+)*' || refuse "--only '$2' is not a list of workloads, such as vec,img"
        ONLY=$2
        ;;
    --out) OUT=$2 ;;
    esac
}

# Every workload of --only must be in the list $1.
check_only() {
    for name in $(printf '%s' "$ONLY" | tr , ' '); do
        grep -q "^$name " "$1" || refuse "--only: no workload '$name'; there are$(sed -n 's/^\([a-z0-9]*\) .*/ \1/p' "$1" | tr -d '\n')"
    done
}

# Which workloads to run, a line of the list each.
chosen() {
    grep -v '^ *#' "$HERE/list" | while read -r line; do
        case ,${ONLY:-${line%% *}}, in *,"${line%% *}",*) printf '%s\n' "$line" ;; esac
    done
}

# Sets DEVICE and what depends on the kind of device.
choose_device() {
    KIND=$(cat "$HERE/kind")
    MEMORY=$(cat "$HERE/memory")
    ASKED=$REPEAT
    [ "$MEMORY" = device ] || SETTLE=${SETTLE:-0}
    if [ "$KIND" = virtual ]; then
        MODEL=${MODEL:-h200} ROUNDS=${ROUNDS:-1} REPEAT=${REPEAT:-1} SETTLE=${SETTLE:-40}
        DEVICE="virtual GPU, model $MODEL (virtual time, a model)"
        # what is extrapolated to large sizes has lanes at small ones, too
        VGPU_TIME=1 VGPU_DEVICE_MODEL=$MODEL KESCO_MODE=${KESCO_MODE:-lanes}
        # of results, the host reads one page, whatever the size; what it fills is not timed
        VGPU_EXTRAPOLATE_TOUCHES=0
        export VGPU_TIME VGPU_DEVICE_MODEL KESCO_MODE VGPU_EXTRAPOLATE_TOUCHES
    else
        [ -z "$MODEL" ] || refuse "--model is for the virtual GPU"
        ROUNDS=${ROUNDS:-3} REPEAT=${REPEAT:-20} SETTLE=${SETTLE:-200}
        DEVICE=$("$HERE/device") || fail "there is no GPU to run on here"
    fi
}

# number EXPRESSION: its value, by awk.
number() {
    awk "BEGIN { printf \"%.12g\", ($1) }"
}

is_above() {
    [ "$(number "$1 > $2")" -eq 1 ]
}

# result KEY WORKLOAD ...: one line for results.txt.
result() {
    printf '%s\n' "$*" >>"$OUT/results.txt"
}

# For the workload at hand: NAME; ARGUMENTS; SMALL, SMALLER and FULL, scales of the program; VARIANTS.
choose_workload() {
    NAME=$1 SMALL=$2
    SMALLER=$(number "$2 / 2") FULL=$(number "$3 * $SCALE")
    if [ "$KIND:$4" = virtual:other ] && is_above "$FULL" "$SMALL"; then
        NOTES="$NOTES
$NAME: at the program's scale $SMALL, not $FULL, because its time there cannot be extrapolated"
        FULL=$SMALL
    fi
    # What KeSCo fetches, it finds out within the first repetitions; but by times, and what is extrapolated has to issue
    # the same ops at both sizes: until then it does. Sizes that take no more than some seconds are computed as they are.
    if [ "$KIND:$MEMORY" = virtual:managed ]; then
        if is_above "$FULL" "$SMALL" && ! is_above "$FULL" "4 * $SMALL"; then
            SMALL=$FULL
        fi
        REPEAT=${ASKED:-9}
        ! is_above "$FULL" "$SMALL" || REPEAT=1
    fi
    shift 4
    ARGUMENTS=$*
    VARIANTS=''
    for variant in serial by_hand graph kesco taskflow cudastf serial_fetched by_hand_fetched kesco_fetched; do
        [ ! -x "$HERE/programs/$variant/$NAME" ] || VARIANTS="$VARIANTS $variant"
    done
}

# execute VARIANT SCALE [OPTION...]: one run of the workload at hand; $WORK/VARIANT.out is then what it printed.
execute() {
    variant=$1 scale=$2
    shift 2
    # shellcheck disable=SC2086  # ARGUMENTS is several words
    VGPU_STATS=$WORK/$variant.stats.json timeout 300 "$HERE/programs/$variant/$NAME" $ARGUMENTS --scale "$scale" "$@" >"$WORK/$variant.out" </dev/null
}

# same_result VARIANT: is what it printed the same as the serial program's?
same_result() {
    cmp -s "$WORK/serial.out" "$WORK/$1.out"
}

wrong() {
    say "$NAME: $*" >&2
    FAILURES=$((FAILURES + 1))
    GOOD=no
}

# The serial program's result is compared with the CPU's, the other programs' with it. Sets GOOD.
check_workload() {
    GOOD=yes
    execute serial "$CHECK_SCALE" --check || { wrong "the serial program failed, status $?" && return; }
    for variant in $VARIANTS; do
        [ "$variant" != serial ] || continue
        if ! execute "$variant" "$CHECK_SCALE"; then
            wrong "$variant failed"
        elif ! same_result "$variant"; then
            wrong "another result than the serial program's: $variant"
        fi
    done
    [ "$MEMORY" = managed ] || run_processes "$CHECK_SCALE" 1 || true
    [ "$GOOD" = yes ] && [ "$KIND" = virtual ] || return 0
    for variant in $VARIANTS; do
        mv "$WORK/$variant.stats.json" "$WORK/$variant.check.json"
    done
}

# timed VARIANT SCALE: times a variant, each repetition a line of results.txt, and compares its result.
timed() {
    execute "$1" "$2" --repeat $((REPEAT + 1)) --times "$WORK/$1.times" || { wrong "$1 failed" && return; }
    same_result "$1" || wrong "another result than the serial program's: $1"
    key='time'
    [ "${1%_fetched}" = "$1" ] || key=fetched
    sed 1d "$WORK/$1.times" | while read -r milliseconds; do
        result "$key" "$NAME" "${1%_fetched}" "$milliseconds"
    done
}

# The programs whose tasks a mix has, where there are all of them, with the workload's arguments, as samples/together.c
# takes them.
tasks_of() {
    case $1 in
    mp1) set -- img vec vec hits ;;
    mp2) set -- ml dl bs ;;
    *) return 0 ;;
    esac
    for task in "$@"; do
        [ -x "$HERE/programs/serial/$task" ] || return 0
    done
    between=''
    for task in "$@"; do
        printf '%s' "$between$HERE/programs/serial/$task --scale $CURRENT --repeat $TIMES "
        between='-- '
    done
}

# run_processes SCALE REPETITIONS [OPTION...]: the tasks of the workload at hand as processes that begin together; false
# where it has none.
run_processes() {
    CURRENT=$1 TIMES=$2
    shift 2
    tasks=$(tasks_of "$NAME")
    [ -n "$tasks" ] || return 1
    # shellcheck disable=SC2086  # several words
    timeout 300 "$HERE/together" "$@" $tasks >"$WORK/processes.out" </dev/null ||
        { wrong "its tasks as processes failed" && return 1; }
    same_result processes || { wrong "another result than the serial program's: processes" && return 1; }
}

# Lets what runs behind it share the device by NVIDIA's multi-process service, where that can be started.
start_mps() {
    CUDA_MPS_PIPE_DIRECTORY=$WORK/mps CUDA_MPS_LOG_DIRECTORY=$WORK/mps
    export CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
    mkdir -p "$WORK/mps"
    nvidia-cuda-mps-control -d >/dev/null 2>&1 && MPS=yes && return 0
    unset CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
    MPS=no
}

stop_mps() {
    [ "$MPS" = no ] || echo quit | nvidia-cuda-mps-control >/dev/null 2>&1 || true
    unset CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
}

# The tasks of a mix as processes. On the virtual GPU they would not share it. What the host fills anew would count.
time_processes() {
    [ "$MEMORY" = device ] && [ -n "$(CURRENT=1 TIMES=1 tasks_of "$NAME")" ] || return 0
    start_mps
    round=0
    while [ "$round" -lt "$ROUNDS" ] && run_processes "$FULL" "$REPEAT" --times "$WORK/processes.times"; do
        result time "$NAME" processes "$(number "$(cat "$WORK/processes.times") / $REPEAT")"
        round=$((round + 1))
    done
    stop_mps
    NOTES="$NOTES
$NAME as processes: $([ "$MPS" = yes ] && echo under MPS || echo without MPS, which cannot be started here)"
}

time_on_gpu() {
    round=0
    while [ "$round" -lt "$ROUNDS" ] && [ "$GOOD" = yes ]; do
        for variant in $VARIANTS; do
            timed "$variant" "$FULL"
        done
        round=$((round + 1))
    done
    [ "$GOOD" = no ] || time_processes
}

# count_of FILE KEY: what the virtual GPU's statistics say.
count_of() {
    sed -n "s/.*\"$2\": *\([0-9]*\).*/\1/p" "$WORK/$1"
}

# count_events VARIANT KEY: how many one repetition makes: what the timed run has more than the check's, which had
# one repetition.
count_events() {
    echo $((($(count_of "$1.stats.json" "event_$2") - $(count_of "$1.check.json" "event_$2")) / REPEAT))
}

# Beside those of the serial program, which records the two events that time it.
note_events() {
    for key in records waits; do
        for variant in by_hand kesco; do
            [ -x "$HERE/programs/$variant/$NAME" ] || continue
            result $key "$NAME" $variant $(($(count_events $variant $key) - $(count_events serial $key)))
        done
    done
}

# What no schedule takes less than: the least of what the virtual GPU says for the variants, because for it the order
# that a variant keeps belongs to what must be kept. By hand is left out: there the host waits for its threads' streams,
# and the virtual GPU's path of ops does not lead through the host.
note_bound() {
    bound=$(for variant in graph kesco serial_fetched kesco_fetched; do
        [ ! -e "$WORK/$variant.stats.json" ] || sed -n 's/.*"timed_bound_us": *\([0-9.e+-]*\).*/\1/p' "$WORK/$variant.stats.json"
    done | sort -g | head -n 1)
    [ -z "$bound" ] || result bound "$NAME" "$(number "$bound / 1000 / ($REPEAT + 1)")"
}

# Sizes up to SMALL are computed as they are.
time_on_virtual_gpu() {
    ratio=$(number "($FULL - $SMALLER) / ($SMALL - $SMALLER)")
    for variant in $VARIANTS; do
        if is_above "$FULL" "$SMALL"; then
            VGPU_COUNTS=$WORK/$variant.counts execute "$variant" "$SMALLER" --repeat $((REPEAT + 1)) ||
                fail "$NAME: $variant failed"
            VGPU_EXTRAPOLATE=$WORK/$variant.counts:$ratio
            export VGPU_EXTRAPOLATE
            timed "$variant" "$SMALL"
            unset VGPU_EXTRAPOLATE
        else
            timed "$variant" "$FULL"
        fi
    done
    [ "$GOOD" = yes ] || return 0
    note_events
    note_bound
}

# What KeSCo's statistics in a file say that it did.
taken_in() {
    awk '
        / ops replayed, in / { graphs = 1 }
        $NF == "all" && $2 ~ /^[0-9]+$/ { lanes = $2 > $(NF - 1) }
        END { print graphs && lanes ? "lanes+graphs" : graphs ? "graphs" : lanes ? "lanes" : "serial" }' "$1"
}

# The middle one of the last five.
settled() {
    tail -n 5 "$1" | sort -g | sed -n 3p
}

# Of sizes that are computed as they are.
time_modes() {
    for mode in serial lanes graph auto; do
        (
            export KESCO_MODE=$mode KESCO_STATS=1
            execute kesco "$FULL" --repeat "$SETTLE" --times "$WORK/$mode.times" 2>"$WORK/$mode.log"
        ) || { wrong "kesco failed with KESCO_MODE=$mode" && return; }
        same_result kesco || wrong "another result than the serial program's with KESCO_MODE=$mode"
        result mode "$NAME" "$mode" "$(settled "$WORK/$mode.times")"
    done
    result taken "$NAME" "$(taken_in "$WORK/auto.log")"
}

run_workload() {
    WORK=$OUT/work/$NAME
    mkdir -p "$WORK"
    CHECK_SCALE=$SMALL
    ! is_above "$SMALL" "$FULL" || CHECK_SCALE=$FULL
    say "$NAME: comparing results"
    check_workload
    [ "$GOOD" = yes ] || return 0
    say "$NAME: timing"
    if [ "$KIND" = virtual ]; then
        time_on_virtual_gpu
    else
        time_on_gpu
    fi
    if [ "$GOOD" = yes ] && [ "$SETTLE" -ge 5 ] && ! { [ "$KIND" = virtual ] && is_above "$FULL" "$SMALL"; }; then
        time_modes
    fi
}

HERE=$(cd "$(dirname "$0")" && pwd)
take_options "$@"
if [ -n "$PARSE_ONLY" ]; then
    check_only "$HERE/bench.list"
    exit 0
fi
check_only "$HERE/list"
choose_device
OUT=${OUT:-$HERE}
FAILURES=0 NOTES=''
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
rm -rf "$OUT/work" "$OUT/results.txt" "$OUT/results.json" "$OUT/chart.dat"
say "$DEVICE"
result device "$DEVICE"
result scale "$SCALE"
result memory "$MEMORY"
cd "$HERE"
chosen >"$OUT/chosen"
while read -r workload <&3; do
    # shellcheck disable=SC2086  # several words
    choose_workload $workload
    run_workload
    grep " $NAME " "$HERE/code.txt" >>"$OUT/results.txt" || true
done 3<"$OUT/chosen"
rm "$OUT/chosen"
echo
"$HERE/bench_table" "$OUT/results.txt" --json "$OUT/results.json" --chart-data "$OUT/chart.dat"
printf '%s\n\n' "$NOTES"
[ "$FAILURES" -eq 0 ] || fail "runs that failed or gave another result: $FAILURES"
say "all results are the serial programs'"
