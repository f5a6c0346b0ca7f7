#!/usr/bin/env python3
"""Makes a file that looks to KeSCo like a device image with access summaries (plugin/summary/summary_text.h).

    image.py SOURCE IMAGE [--prefix WORD] [--form raw|ptx|ll] [--version N] [--cut N] [--damage]

The summaries' lines are those behind "// WORD: " or "; WORD: " in SOURCE, for which the default is SUMMARY. --cut leaves
the last N bytes out, --damage changes one of them.
"""
import argparse


def checksum(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def summary_text(options):
    marks = tuple(sign + " " + options.prefix + ": " for sign in ("//", ";"))
    with open(options.source, encoding="utf-8") as source:
        lines = [line.split(": ", 1)[1] for line in source if line.startswith(marks)]
    data = "".join(lines).encode()
    text = b"\177KESCO-SUMMARY %d %d %016x\n" % (options.version, len(data), checksum(data)) + data
    if options.damage:
        text = text[:-2] + bytes([text[-2] ^ 1]) + text[-1:]
    return text[:len(text) - options.cut]


def as_image(text, form):
    numbers = ", ".join(str(byte) for byte in text)
    if form == "ptx":
        header = b".version 9.0\n.target sm_90\n.address_size 64\n"
        return header + b".visible .global .align 1 .b8 __kesco1_summary[%d] = {%s};\n" % (len(text), numbers.encode())
    if form == "ll":
        escaped = "".join("\\%02x" % byte for byte in text)
        return ('@__kesco1_summary = constant [%d x i8] c"%s"\n' % (len(text), escaped)).encode()
    return b"\x7fELF" + bytes(60) + text + bytes(16)


parser = argparse.ArgumentParser()
parser.add_argument("source")
parser.add_argument("image")
parser.add_argument("--prefix", default="SUMMARY")
parser.add_argument("--form", default="raw", choices=["raw", "ptx", "ll"])
parser.add_argument("--version", type=int, default=1)
parser.add_argument("--cut", type=int, default=0)
parser.add_argument("--damage", action="store_true")
arguments = parser.parse_args()
with open(arguments.image, "wb") as file:
    file.write(as_image(summary_text(arguments), arguments.form))
