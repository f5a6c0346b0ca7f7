# same_counts.py FILE FILE: fails unless two files of VGPU_COUNTS say the same, but for the grids.
import json
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        ops = json.load(file)["ops"]
    return [{key: value for key, value in op.items() if key != "grid"} for op in ops]


left, right = read(sys.argv[1]), read(sys.argv[2])
for a, b in zip(left, right):
    if a != b:
        sys.exit(f"{a}\n{b}")
sys.exit(len(left) != len(right) or not left)
