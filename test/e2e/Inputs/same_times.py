"""same_times.py KESCO_TRACE VGPU_TRACE: is every kernel of the first within its time there, and on a row of its own
stream? The clocks differ by where they begin. What is between a kernel's marks in the first may be more than the kernel."""

import json
import sys


def load(path):
    with open(path) as file:
        return [event for event in json.load(file)["traceEvents"] if event["ph"] == "X"]


def kernel_name(event):
    return event["name"].removeprefix("kernel ").split("(")[0]


marked = sorted((e for e in load(sys.argv[1]) if e["cat"] == "kernel"), key=lambda e: e["args"]["op"])
ran = sorted((e for e in load(sys.argv[2]) if e["name"].startswith("kernel ")), key=lambda e: e["args"]["op"])
if [kernel_name(e) for e in marked] != [kernel_name(e) for e in ran]:
    sys.exit("other kernels")
if len({(m["tid"], r["tid"]) for m, r in zip(marked, ran)}) != len({m["tid"] for m in marked}):
    sys.exit("rows are not streams")
least = max(r["ts"] + r["dur"] - m["ts"] - m["dur"] for m, r in zip(marked, ran))
most = min(r["ts"] - m["ts"] for m, r in zip(marked, ran))
if least > most + 0.002:
    sys.exit("times differ: the first begins {} to {} microseconds later".format(least, most))
