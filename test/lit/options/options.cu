// Good options work; a bad one is an error that names it and what is allowed.
// RUN: %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-policy=fewest-predecessors -fplugin-arg-kesco-max-lanes=2 \
// RUN:   -fplugin-arg-kesco-reorder=on -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json --check-prefix=TWO
// RUN: %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-max-lanes=1 -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json --check-prefix=ONE
// RUN: %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-max-lanes=32 -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json --check-prefix=FOUR
// TWO: "lanes": 2,
// ONE: "lanes": 1,
// FOUR: "lanes": 4,

// RUN: rm -f %t.off.json
// RUN: %kesco-host -S -emit-llvm %s -o %t.off.ll -fplugin-arg-kesco-off -fplugin-arg-kesco-report=%t.off.json
// RUN: %cuda-host -S -emit-llvm -Wno-unknown-attributes %s -o %t.plain.ll
// RUN: cmp %t.off.ll %t.plain.ll
// RUN: test ! -e %t.off.json

// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-lanes=2 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-policy=fastest 2>&1 | FileCheck %s --check-prefix=POLICY
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-max-lanes=0 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-max-lanes=33 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-max-lanes=two 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-reorder=maybe 2>&1 | FileCheck %s --check-prefix=REORDER
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-sync-elision=some 2>&1 | FileCheck %s --check-prefix=ELISION
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-clocks=off 2>&1 | FileCheck %s --check-prefix=CLOCKS
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-mode=fast 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-show=plan 2>&1 | FileCheck %s --check-prefix=SHOW
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-annotation-warnings=1 2>&1 | FileCheck %s --check-prefix=WARNINGS
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-runtime=static 2>&1 | FileCheck %s --check-prefix=RUNTIME
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-report= 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: for only in "" , run, "run(int" "a,,b"; do \
// RUN:   not %kesco-host -c %s -o /dev/null "-fplugin-arg-kesco-only=$only" 2>&1 | FileCheck %s --check-prefix=ONLY || exit 1; \
// RUN: done
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-off=1 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-report=%t.none/r.json 2>&1 | FileCheck %s --check-prefix=FILE
// UNKNOWN: error: kesco: unknown plugin option 'lanes': known options are report=FILE, dot=FILE, svg=FILE, policy=fewest-predecessors|critical-path|predecessor-bands, profile=FILE, max-lanes=N, only=FUNCTION[,FUNCTION...], exclude=FILE, reorder=on|off, across-calls=on|off, sync-elision=on|unchecked|off, clocks=observe|ignore, mode=auto|lanes|serial|graph, prefetch=auto|on|off, show=summaries|regions|ir, annotation-warnings=on|off, runtime=embedded|shared, strip-summaries, help and off
// MODE: error: kesco: invalid value 'fast' for plugin option 'mode': allowed is auto, lanes, serial or graph
// POLICY: error: kesco: invalid value 'fastest' for plugin option 'policy': allowed is fewest-predecessors, critical-path or predecessor-bands
// LANES: error: kesco: invalid value '{{0|33|two}}' for plugin option 'max-lanes': allowed is a number from 1 to 32
// REORDER: error: kesco: invalid value 'maybe' for plugin option 'reorder': allowed is on or off
// ELISION: error: kesco: invalid value 'some' for plugin option 'sync-elision': allowed is on, unchecked or off
// CLOCKS: error: kesco: invalid value 'off' for plugin option 'clocks': allowed is observe or ignore
// SHOW: error: kesco: invalid value 'plan' for plugin option 'show': allowed is summaries, regions or ir, or several of them with commas between
// WARNINGS: error: kesco: invalid value '1' for plugin option 'annotation-warnings': allowed is on or off
// RUNTIME: error: kesco: invalid value 'static' for plugin option 'runtime': allowed is embedded or shared
// REPORT: error: kesco: invalid value '' for plugin option 'report': allowed is the name of a file to write
// ONLY: error: kesco: invalid value '{{.*}}' for plugin option 'only': allowed is names of functions, separated by commas
// OFF: error: kesco: invalid value '1' for plugin option 'off': allowed is no value
// FILE: error: kesco: cannot write the report '{{.*}}none/r.json': No such file or directory: there is no folder '[[FOLDER:.*none]]', which would be made for a folder, '[[FOLDER]]/', or a pattern, '[[FOLDER]]/%s-%h.json'

// What was perhaps meant, of options and of values; nothing where no word is near.
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-max-lane=2 2>&1 | FileCheck %s --check-prefix=NEAR-NAME
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-policy=critcal-path 2>&1 | FileCheck %s --check-prefix=NEAR-VALUE
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-show=region 2>&1 | FileCheck %s --check-prefix=NEAR-STAGE
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-mode=LANES 2>&1 | FileCheck %s --check-prefix=NEAR-CASE
// NEAR-CASE: invalid value 'LANES' for plugin option 'mode'; did you mean 'lanes'?
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-show 2>&1 | grep "invalid value '' for plugin option 'show'"
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-show=ir,region 2>&1 | FileCheck %s --check-prefix=NEAR-STAGE
// NEAR-STAGE: invalid value 'region' for plugin option 'show'; did you mean 'regions'? allowed is summaries, regions or ir
// NEAR-NAME: unknown plugin option 'max-lane'; did you mean 'max-lanes'? known options are report=FILE,
// NEAR-VALUE: invalid value 'critcal-path' for plugin option 'policy'; did you mean 'critical-path'? allowed is fewest-predecessors, critical-path or predecessor-bands
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-policy=critical 2>&1 | FileCheck %s --check-prefix=BEGUN
// BEGUN: invalid value 'critical' for plugin option 'policy'; did you mean 'critical-path'?

// The list of options, once, and what the manual page has is in it.
// RUN: %kesco -c %s -o /dev/null -fplugin-arg-kesco-help >%t.help && FileCheck %s --check-prefix=HELP --input-file=%t.help
// RUN: sed -n 's/^\.It Cm \([a-z-]*\)[= ].*/\1/p; s/^\.It Cm \([a-z-]*\)$/\1/p' %root/plugin/kesco-clang++.1 | sort -u >%t.page
// RUN: sed -n 's/^  \([a-z-]*\)\(=.*\)*$/\1/p' %t.help | sort -u | cmp - %t.page
// HELP: KeSCo's options, each given as -fplugin-arg-kesco-NAME[=VALUE]:
// HELP-NEXT:   report=FILE
// HELP-NEXT:       write the plans as JSON
// HELP:   mode=auto|lanes|serial|graph
// HELP: {{^}}  off{{$}}
// HELP-NEXT:       do nothing
// HELP-NOT: {{.}}

// Where no LLVM pass runs, nothing can be scheduled: that is said, not silent.
// RUN: %kesco-host -c %s -o /dev/null -Xclang -disable-llvm-passes 2>&1 | FileCheck %s --check-prefix=PASSES
// PASSES: warning: kesco: nothing is scheduled, because this compilation runs no LLVM passes; compile without '-save-temps' and '-disable-llvm-passes'

__attribute__((kesco_outputs(1))) __global__ void known(float *out) { *out = 1; }

void four() {
    float *a, *b, *c, *d;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    cudaMalloc(&d, 4);
    known<<<1, 1>>>(a);
    known<<<1, 1>>>(b);
    known<<<1, 1>>>(c);
    known<<<1, 1>>>(d);
}
