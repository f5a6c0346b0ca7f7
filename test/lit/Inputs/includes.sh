# includes.sh FOLDER ROOM...
#
# Each folder in FOLDER is one of the ROOMs; what its files include of FOLDER stands in that itself, in the same folder, or in
# one that comes before. The exit status is 1, with a line for each that does not, if some do not.
folder=$1
shift
cd "$folder" || exit 2
name=${folder##*/}
grep -rH "^#include \"$name/" -- */ | sed "s,^\\([^:]*\\):#include \"$name/\\([^\"]*\\)\".*,\\1 \\2," |
    awk -v rooms="$*" -v folders="$(echo */)" '
    function room(path) { return substr(path, 1, index(path, "/") - 1) }
    BEGIN {
        count = split(rooms, names, " ")
        for (i = 1; i <= count; i++) place[names[i]] = i
        count = split(folders, names, " ")
        for (i = 1; i <= count; i++)
            if (!(room(names[i]) in place)) { print room(names[i]) " has no place"; wrong = 1 }
    }
    index($2, "/") && place[room($2)] > place[room($1)] { print $1 " includes " $2 ", of a later folder"; wrong = 1 }
    END { exit wrong }' >&2
