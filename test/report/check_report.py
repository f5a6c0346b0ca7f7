"""check_report.py FILE...: whether each FILE is a report as plugin/report/report.schema.json says, and whether what
the schema cannot say holds: numbers name what is there, and each op has one place in issue order.

Ends with status 0, or 1 after a line for each fault.
"""

import json
import pathlib
import sys

import jsonschema

SCHEMA = pathlib.Path(__file__).parents[2] / "plugin" / "report" / "report.schema.json"


def function_faults(function):
    ops, lanes = function["ops"], function["lanes"]
    count = len(ops)
    if [op["id"] for op in ops] != list(range(count)):
        yield "ids are not the places of ops"
    if sorted(op["order"] for op in ops) != list(range(count)):
        yield "order is no order of the ops"
    if len(function["levels"]) != lanes:
        yield "not one level for each lane"
    if lanes != max((op["lane"] + 1 for op in ops), default=0):
        yield "lanes is not the number of lanes"
    for key in ["placed", "joins"]:
        if not set(function.get(key, [])) <= {op["region"] for op in ops}:
            yield f"{key}: regions have no ops"
    waits = [(wait["on"], wait["op"]) for wait in function["waits"]]
    for one, other in [(edge["from"], edge["to"]) for edge in function["edges"]] + waits:
        if one >= count or other >= count or ops[one]["region"] != ops[other]["region"]:
            yield f"{one} and {other} are not two ops of a region"
        elif (one, other) in waits and ops[one]["lane"] == ops[other]["lane"]:
            yield f"op {other} waits for its own lane"
    if function["records"] != sorted({on for on, _ in waits}):
        yield "records are not what waits are for"


def faults(report, validator):
    found = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(report)]
    if not found:
        for function in report["functions"]:
            found += [f"{function['name']}: {fault}" for fault in function_faults(function)]
    return found


def main(paths):
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    lines = [f"{path}: {fault}" for path in paths
             for fault in faults(json.loads(pathlib.Path(path).read_text(encoding="utf-8")), validator)]
    sys.stdout.writelines(line + "\n" for line in lines)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
