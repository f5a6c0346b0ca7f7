# The options of one page, in its order, a line each, with the values that there is a choice of: "mode=auto|lanes". `page` is help,
# the help that the plugin prints, manual, or man.

# An option, or more values of the one before.
function take(text) {
    name = text; values = text
    sub(/=.*/, "", name)
    if (!sub(/^[^=]*=/, "", values) || values !~ /^[a-z|-]*$/)
        values = ""
    if (count > 0 && names[count] == name)
        choices[count] = choices[count] "|" values
    else {
        names[++count] = name
        choices[count] = values
    }
}

page == "help" && /^  [a-z]/ { take($1) }

page == "manual" && /^Options, each given/ { inside = 1 }
page == "manual" && /^Environment/ { inside = 0 }
page == "manual" && inside && /^\| `/ {
    gsub(/\\\|/, "\001")
    split($0, cells, "|")
    gsub(/\001/, "|", cells[2])
    parts = split(cells[2], quoted, "`")
    for (part = 2; part <= parts; part += 2)
        take(quoted[part])
}

page == "man" && /^\.Sh / { inside = $2 == "OPTIONS" }
page == "man" && inside && /^\.It Cm / {
    sub(/^\.It Cm /, "")
    sub(/ Ns .*/, "FILE")
    gsub(/ /, "")
    take($0)
}

END {
    for (option = 1; option <= count; option++)
        print names[option] (choices[option] == "" ? "" : "=" choices[option])
}
