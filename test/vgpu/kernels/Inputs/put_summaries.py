# put_summaries.py PROGRAM OUTPUT SOURCE [OLD NEW]
#
# Copies PROGRAM, putting the access summaries that stand in SOURCE, in comments that begin with "SUMMARY: ", into
# the place that its device image has for them. OLD: this line of theirs becomes NEW; an empty NEW leaves it out.
import sys

PLACE = b"PLACE FOR SUMMARIES".ljust(1000, b"\0")

program, output, source = sys.argv[1:4]
lines = [line[len("// SUMMARY: "):].rstrip("\n") for line in open(source) if line.startswith("// SUMMARY: ")]
if len(sys.argv) > 4:
    at = lines.index(sys.argv[4])
    lines[at:at + 1] = [sys.argv[5]] if sys.argv[5] else []
text = "".join(line + "\n" for line in lines).encode()
checksum = 0xcbf29ce484222325
for byte in text:
    checksum = (checksum ^ byte) * 0x100000001b3 % 2**64
text = b"\177KESCO-SUMMARY 1 %d %016x\n" % (len(text), checksum) + text
assert len(text) <= len(PLACE)
data = open(program, "rb").read()
assert data.count(PLACE) == 1, data.count(PLACE)
open(output, "wb").write(data.replace(PLACE, text.ljust(len(PLACE), b"\0")))
