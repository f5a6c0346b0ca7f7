# readme.sh PAGE FOLDER: takes the fenced blocks apart. All of `sh`, in their order, go to FOLDER/commands.sh, but
# for the two that would run this test again; benchmarks take the build that there is. Blocks whose first line is a comment
# with nothing but a file's name go to that file. Every block of c++ has to be one of those.
set -eu
readme=$1 folder=$2
awk -v folder="$folder" '
    /^```/ && !inside { inside = first = 1; language = substr($0, 4); file = ""; next }
    /^```/ { inside = 0; next }
    inside && first {
        first = 0
        if ($0 ~ /^(\/\/|#) [A-Za-z_.]+$/)
            file = folder "/" $2
        else if (language == "sh")
            file = folder "/commands.sh"
        else if (language == "c++")
            bad = bad "a block of c++ without the name of a file: " $0 "\n"
    }
    inside && language == "sh" && /^sh (samples|test)\/run\.sh *(#.*)?$/ { left_out[$2]++; next }
    inside && /^sh samples\/run\.sh bench / { sub(/ bench /, "&--with build/release ") }
    inside && file { print >file }
    END {
        if (left_out["samples/run.sh"] != 1 || left_out["test/run.sh"] != 1)
            bad = bad "samples/run.sh and test/run.sh are to be there once each\n"
        printf "%s", bad
        exit bad != ""
    }' "$readme"
