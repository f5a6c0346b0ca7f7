// Times of a run: regions that lanes cannot make faster stay serial, and critical paths go first.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %kesco-host -c app.cu -o /dev/null -fplugin-arg-kesco-report=none.json && FileCheck app.cu --input-file=none.json --check-prefix=NONE
// RUN: %kesco-host -c app.cu -o /dev/null -fplugin-arg-kesco-report=short.json -fplugin-arg-kesco-profile=short \
// RUN:   -Rpass-missed=kesco 2>&1 | FileCheck app.cu --check-prefix=REMARK
// RUN: FileCheck app.cu --input-file=short.json --check-prefix=SHORT
// RUN: %kesco-host -c app.cu -o /dev/null -fplugin-arg-kesco-across-calls=on -fplugin-arg-kesco-profile=short \
// RUN:   -Rpass=kesco -Rpass-missed=kesco 2>&1 | FileCheck app.cu --check-prefix=REMARK --implicit-check-not="could not run at once"
// RUN: %kesco-host -c app.cu -o /dev/null -fplugin-arg-kesco-report=long.json -fplugin-arg-kesco-profile=long && FileCheck app.cu --input-file=long.json --check-prefix=LONG
// RUN: %kesco-host -c app.cu -o /dev/null -fplugin-arg-kesco-report=part.json -fplugin-arg-kesco-profile=part && FileCheck app.cu --input-file=part.json --check-prefix=NONE
// RUN: %kesco-host -c app.cu -o /dev/null -fplugin-arg-kesco-report=path.json -fplugin-arg-kesco-profile=long \
// RUN:   -fplugin-arg-kesco-policy=critical-path && FileCheck app.cu --input-file=path.json --check-prefix=PATH

// From another folder, it is the same file.
// RUN: mkdir elsewhere && cd elsewhere && %kesco-host -c ../app.cu -o /dev/null -fplugin-arg-kesco-profile=../short -Rpass-missed=kesco 2>&1 \
// RUN:   | FileCheck ../app.cu --check-prefix=REMARK
// RUN: cd %t

// What is left serial is left as it is.
// RUN: %kesco-host -O1 -S -emit-llvm app.cu -o short.ll -fplugin-arg-kesco-profile=short && not grep '__kesco1_[^i]' short.ll

// Files that are none.
// A profile of another program, or none where the policy wants one, is told of.
// RUN: sed 's/run()/ran()/' short >stale
// RUN: %kesco-host -c app.cu -o /dev/null -fplugin-arg-kesco-profile=stale 2>&1 | FileCheck app.cu --check-prefix=STALE
// RUN: %kesco-host -c app.cu -o /dev/null -fplugin-arg-kesco-policy=critical-path 2>&1 | FileCheck app.cu --check-prefix=COSTS
// RUN: %kesco-host -c app.cu -o /dev/null -fplugin-arg-kesco-profile=long -fplugin-arg-kesco-policy=critical-path 2>&1 | count 0
// RUN: not %kesco-host -c app.cu -o /dev/null -fplugin-arg-kesco-profile=missing 2>&1 | FileCheck app.cu --check-prefix=MISSING
// RUN: not %kesco-host -c app.cu -o /dev/null -fplugin-arg-kesco-profile=app.cu 2>&1 | FileCheck app.cu --check-prefix=JSON
// RUN: not %kesco-host -c app.cu -o /dev/null -fplugin-arg-kesco-profile=version 2>&1 | FileCheck app.cu --check-prefix=VERSION
// RUN: not %kesco-host -c app.cu -o /dev/null -fplugin-arg-kesco-profile=negative 2>&1 | FileCheck app.cu --check-prefix=NEGATIVE
// RUN: not %kesco-host -c app.cu -o /dev/null -fplugin-arg-kesco-profile=field 2>&1 | FileCheck app.cu --check-prefix=FIELD
// RUN: not %kesco-host -c app.cu -o /dev/null -fplugin-arg-kesco-profile= 2>&1 | FileCheck app.cu --check-prefix=EMPTY

//--- app.cu
__attribute__((kesco_outputs(1))) __global__ void make(float *out) { *out = 1; }
__attribute__((kesco_outputs(1))) __global__ void slow(float *out) { *out = 1; }
__attribute__((kesco_outputs(1))) __global__ void use(float *out, const float *a, const float *b) { *out = *a + *b; }

// NONE: "name": "run()", "lanes": 2,
// SHORT: "name": "run()", "lanes": 1,
// LONG: "name": "run()", "lanes": 2,
// LONG: {"id": 0, {{.*}}"name": "make", {{.*}}"order": 0,
// REMARK: app.cu:[[# @LINE + 15]]:9: remark: 3 ops stay serial: by the profile they take 9.0 microseconds, and what overlap could save, records and waits would cost again; without -fplugin-arg-kesco-profile they get lanes
// PATH: "name": "run()", "lanes": 2,
// PATH: {"id": 0, {{.*}}"name": "make", {{.*}}"order": 1,
// PATH: {"id": 1, {{.*}}"name": "slow", {{.*}}"order": 0,
// MISSING: error: kesco: cannot read the profile 'missing': No such file or directory; a run with KESCO_PROFILE=FILE writes one
// JSON: error: kesco: cannot read the profile 'app.cu': [1:
// VERSION: error: kesco: cannot read the profile 'version': expected the version that this plugin knows at profile.version;
// NEGATIVE: error: kesco: cannot read the profile 'negative': expected microseconds, 0 or more at profile.ops[0].mean_us;
// FIELD: error: kesco: cannot read the profile 'field': missing value at profile.ops[0].line;
// EMPTY: error: kesco: invalid value '' for plugin option 'profile': allowed is the name of a file that a run with KESCO_PROFILE=FILE wrote
void run() {
    float *a, *b, *c;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    make<<<1, 1>>>(a);
    slow<<<1, 1>>>(b);
    use<<<1, 1>>>(c, a, b);
}
// STALE: warning: kesco: the profile 'stale' has no op of this source file as it is now, but of 'ran()', so nothing is known of how long ops take; to make it again, compile without '-fplugin-arg-kesco-profile', run the program with KESCO_PROFILE=stale, so that it comes to functions of this file, and compile with it
// COSTS: warning: kesco: 'policy=critical-path' counts every op as one microsecond without 'profile=FILE', which a run with KESCO_PROFILE=FILE writes

//--- short
{"version": 1, "ops": [
  {"function": "run()", "file": "app.cu", "line": 24, "call_line": 24, "kind": "kernel", "name": "make", "count": 3, "mean_us": 3},
  {"function": "run()", "file": "app.cu", "line": 25, "call_line": 25, "kind": "kernel", "name": "slow", "count": 3, "mean_us": 3},
  {"function": "run()", "file": "app.cu", "line": 26, "call_line": 26, "kind": "kernel", "name": "use", "count": 3, "mean_us": 3}]}
//--- long
{"version": 1, "more": {}, "ops": [
  {"function": "run()", "file": "app.cu", "line": 24, "call_line": 24, "kind": "kernel", "name": "make", "count": 1, "mean_us": 100},
  {"function": "run()", "file": "app.cu", "line": 25, "call_line": 25, "kind": "kernel", "name": "slow", "count": 1, "mean_us": 300.5},
  {"function": "run()", "file": "app.cu", "line": 26, "call_line": 26, "kind": "kernel", "name": "use", "count": 1, "mean_us": 3}]}
//--- part
{"version": 1, "ops": [
  {"function": "run()", "file": "app.cu", "line": 24, "call_line": 24, "kind": "kernel", "name": "make", "count": 1, "mean_us": 3},
  {"function": "run()", "file": "app.cu", "line": 2, "call_line": 2, "kind": "kernel", "name": "slow", "count": 1, "mean_us": 3},
  {"function": "run()", "file": "app.cu", "line": 26, "call_line": 26, "kind": "kernel", "name": "use", "count": 1, "mean_us": 3}]}
//--- version
{"version": 2, "ops": []}
//--- negative
{"version": 1, "ops": [{"function": "f()", "file": "", "line": 0, "call_line": 0, "kind": "kernel", "name": "k", "count": 1, "mean_us": -1}]}
//--- field
{"version": 1, "ops": [{"function": "f()", "file": "", "kind": "kernel", "name": "k", "count": 1, "mean_us": 1}]}
