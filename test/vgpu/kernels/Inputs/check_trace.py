# check_trace.py FILE: prints the rows of a trace, and how long each op took to run; fails if times make no sense.
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    events = json.load(file)["traceEvents"]
names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
ends = {}
for event in sorted((e for e in events if e["ph"] == "X"), key=lambda e: e["ts"]):
    row = (event["pid"], event["tid"])
    if event["dur"] <= 0 or event["ts"] < ends.get(row, 0) - 1e-6:
        sys.exit(f"overlaps in its row: {event}")
    ends[row] = event["ts"] + event["dur"]
    print(names[row], event["name"], event["args"]["bytes"], "op", event["args"]["op"])
