# beside.py TRACE NAME OTHER: fails unless, in a trace of the virtual GPU, an op whose name has NAME in it begins, more
# than once, while one that has OTHER in it runs on another stream.
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    trace = json.load(file)
ops = [op for op in (trace if isinstance(trace, list) else trace["traceEvents"]) if op.get("dur", 0) > 0]
found = [
    op
    for op in ops
    if sys.argv[2] in op["name"]
    and any(
        sys.argv[3] in other["name"]
        and other["tid"] != op["tid"]
        and other["ts"] <= op["ts"] < other["ts"] + other["dur"]
        for other in ops
    )
]
print(len(found))
sys.exit(len(found) < 2)
