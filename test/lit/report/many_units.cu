// Builds of many units: a folder or a pattern gives each a file of its own, the same one in each build.
// RUN: rm -rf %t && mkdir -p %t/x %t/y && cp %s %t/x/one.cu && cp %s %t/y/one.cu && cp %s %t/two.cu && cd %t
// RUN: for n in 1 2; do for file in x/one y/one two; do \
// RUN:   %kesco-host -c $file.cu -o $file.o -fplugin-arg-kesco-report=plans/ -fplugin-arg-kesco-dot=plans/ || exit 1; \
// RUN: done; done
// RUN: %kesco-host -c two.cu -o two2.o -fplugin-arg-kesco-report=plans -fplugin-arg-kesco-svg=plans/in/%%s%%%%.svg
// RUN: find plans -type f | sed 's/-[0-9a-f]\{8\}\././' | sort | uniq -c | FileCheck %s --check-prefix=FILES
// RUN: test $(grep -l '"source": "y/one.cu"' plans/one-*.json | wc -l) -eq 1
// RUN: %check-report plans/*.json
// FILES: 1 plans/in/two%.svg
// FILES-NEXT: 2 plans/one.dot
// FILES-NEXT: 2 plans/one.json
// FILES-NEXT: 1 plans/two.dot
// FILES-NEXT: 2 plans/two.json
// FILES-NOT: {{.}}

// One file for several units has the plans of the last, which is said; not where a unit is compiled again, nor of
// other files. Links and what is no plain file are written as they are.
// RUN: : >other.json && ln -s other.json link.json
// RUN: %kesco-host -c two.cu -o two.o -fplugin-arg-kesco-report=link.json -fplugin-arg-kesco-svg=all.svg 2>&1 | count 0
// RUN: %kesco-host -c two.cu -o two.o -fplugin-arg-kesco-report=link.json -fplugin-arg-kesco-svg=all.svg 2>&1 | count 0
// RUN: test -L link.json && %check-report other.json
// RUN: %kesco-host -c x/one.cu -o x/one.o -fplugin-arg-kesco-report=other.json -fplugin-arg-kesco-svg=all.svg 2>&1 | FileCheck %s
// RUN: %kesco-host -c two.cu -o two.o -fplugin-arg-kesco-report=/dev/stdout | grep '"version"'
// CHECK: warning: kesco: the plans of 'two.cu' were in 'other.json' and are replaced; a folder, as in 'report=plans/', keeps those of every source file [-Wbackend-plugin]
// CHECK: warning: kesco: the plans of 'two.cu' were in 'all.svg' and are replaced

// A file of another kind stays as it is: a source, a profile, another of the outputs, what the compiler writes.
// RUN: cp two.cu three.cu && not %kesco-host -c three.cu -o three.o -fplugin-arg-kesco-report=%%s.cu 2>&1 | FileCheck %s --check-prefix=SOURCE
// RUN: cmp two.cu three.cu
// RUN: echo '{"version": 1, "ops": []}' >times.json && cp times.json kept.json
// RUN: not %kesco-host -c two.cu -o two.o -fplugin-arg-kesco-report=times.json && cmp times.json kept.json
// RUN: not %kesco-host -c two.cu -o two.o -fplugin-arg-kesco-report=same -fplugin-arg-kesco-dot=same 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: rm -f two.o && not %kesco-host -c two.cu -o two.o -fplugin-arg-kesco-svg=./two.o 2>&1 | FileCheck %s --check-prefix=OBJECT
// SOURCE: error: kesco: cannot write the report 'three.cu': the file that is there is no report; give another name, or remove it
// SAME: error: kesco: cannot write the graph 'same': the file that is there is no graph; give another name
// OBJECT: error: kesco: cannot write the picture './two.o': the compiler writes its output there

// Compilations at once leave whole files, and nothing else.
// RUN: mkdir -p two_at_once && { %kesco-host -c two.cu -o a.o -fplugin-arg-kesco-report=two_at_once & \
// RUN:   %kesco-host -c two.cu -o b.o -fplugin-arg-kesco-report=two_at_once; wait; }; ls two_at_once/*.json | count 2
// RUN: %check-report two_at_once/*.json

// RUN: not %kesco-host -c two.cu -o two.o -fplugin-arg-kesco-report=plans/%%n.json 2>&1 | FileCheck %s --check-prefix=PATTERN
// RUN: not %kesco-host -c two.cu -o two.o -fplugin-arg-kesco-dot=50%% 2>&1 | FileCheck %s --check-prefix=PERCENT
// RUN: not %kesco-host -c two.cu -o two.o -fplugin-arg-kesco-report=two.cu/in/ 2>&1 | FileCheck %s --check-prefix=FOLDER
// PATTERN: error: kesco: invalid value 'plans/%n.json' for plugin option 'report': allowed is a file, a folder, or a pattern with %s, %h and %%
// PERCENT: error: kesco: invalid value '50%' for plugin option 'dot': allowed is a file, a folder
// FOLDER: error: kesco: cannot write the report 'two.cu/in/': cannot make the folder 'two.cu/in': Not a directory

__attribute__((kesco_outputs(1))) __global__ void known(float *out) { *out = 1; }

void launch(float *a, float *b) {
    known<<<1, 1>>>(a);
    known<<<1, 1>>>(b);
}
