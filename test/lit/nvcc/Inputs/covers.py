"""covers.py OF_IR OF_PTX [NAME...]: what -fplugin-arg-kesco-show=summaries prints of the same kernels, from LLVM's IR and
from PTX. Fails where PTX has less: an access, or what else a kernel does, that IR has. The kernels that are named have less,
and must.

Which bytes they are is not compared: often PTX says it where IR does not, or the other way round."""

import re
import sys

ELSEWHERE = "memory that no argument names"
ALL = ("runs", "code that is not seen")


def facts_of(text):
    """Pairs of a verb and of what it is done to."""
    facts = set()
    for part in re.sub(r"\[[^][]* bytes\)", "", text).split("; "):
        if ELSEWHERE in part:
            facts |= {(verb, ELSEWHERE) for verb in part.split(" " + ELSEWHERE)[0].split(" and ")}
        elif part.startswith(("reads ", "writes ")):
            verb, places = part.split(" ", 1)
            facts |= {(verb, place) for place in places.split(", ")}
        elif part.startswith(" ".join(ALL)):
            facts.add(ALL)
        elif not part.startswith("about ") and part != "touches no memory":
            facts.add(("", part))
    return facts


def read_summaries(path):
    with open(path) as file:
        rows = re.findall(r"^  (.+) \([^()]*:([0-9]+)\): (.*)$", file.read(), re.MULTILINE)
    return {(name, line): facts_of(text) for name, line, text in rows}


def missing(of_ir, of_ptx):
    if ALL in of_ptx:
        return set()
    return {fact for fact in of_ir - of_ptx if (fact[0], ELSEWHERE) not in of_ptx}


of_ir, of_ptx = (read_summaries(path) for path in sys.argv[1:3])
known = sys.argv[3:]
less = {kernel: missing(of_ir[kernel], of_ptx[kernel]) for kernel in of_ir if kernel in of_ptx}
wrong = [kernel for kernel in less if bool(less[kernel]) != (kernel[0] in known)]
for name, line in wrong:
    print(f"{name}, line {line}: PTX lacks {sorted(less[name, line]) or 'nothing'}")
if of_ir.keys() != of_ptx.keys():
    print("kernels that only one of them has:", sorted(of_ir.keys() ^ of_ptx.keys()))
more = sum(bool(of_ptx[kernel] - of_ir[kernel]) for kernel in less)
print(f"{len(less)} kernels, {sum(map(bool, less.values()))} with less, {more} with more")
sys.exit(not less or bool(wrong) or of_ir.keys() != of_ptx.keys())
