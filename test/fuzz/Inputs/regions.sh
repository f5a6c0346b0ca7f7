# regions.sh: how many regions of the reports on standard input have more than one lane. An op's line names its region
# and its lane.
awk '
    /"name": .*"lanes":/ { name = ++functions }
    /"kind": "kernel"/ {
        lane = $0; sub(/.*"lane": /, "", lane)
        region = $0; sub(/.*"region": /, "", region)
        if (lane + 0 > 0)
            seen[functions " " (region + 0)] = 1
    }
    END { for (r in seen) n++; print n + 0 }'
