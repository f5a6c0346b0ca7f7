// A picture that cannot be made is an error that says why; what else was asked for is written.
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-dot= 2>&1 | FileCheck %s --check-prefix=EMPTY-DOT
// RUN: not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-svg 2>&1 | FileCheck %s --check-prefix=EMPTY-SVG
// EMPTY-DOT: error: kesco: invalid value '' for plugin option 'dot': allowed is the name of a file to write
// EMPTY-SVG: error: kesco: invalid value '' for plugin option 'svg': allowed is the name of a file to write

// RUN: rm -f %t.json && not %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-dot=%t.none/p.dot \
// RUN:   -fplugin-arg-kesco-svg=%t.none/p.svg -fplugin-arg-kesco-report=%t.json 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: %check-report %t.json
// FOLDER: error: kesco: cannot write the graph '{{.*}}none/p.dot': No such file or directory
// FOLDER: cannot write the picture '{{.*}}none/p.svg': No such file or directory

// Without Graphviz there is no picture, and an older one stays as it was; the graph needs no Graphviz.
// RUN: rm -rf %t.dot %t.empty && mkdir %t.empty && echo old >%t.svg
// RUN: not env PATH=%t.empty %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-dot=%t.dot \
// RUN:   -fplugin-arg-kesco-svg=%t.svg 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: grep old %t.svg && grep digraph %t.dot
// MISSING: error: kesco: cannot write the picture '{{.*}}.svg': there is no program 'dot' on PATH; it comes with Graphviz (package graphviz)

// RUN: printf '#!/bin/sh\necho broken >&2\nexit 7\n' >%t.empty/dot && chmod +x %t.empty/dot
// RUN: not env PATH=%t.empty %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-svg=%t.svg 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BROKEN
// BROKEN: error: kesco: cannot write the picture '{{.*}}.svg': Graphviz's program 'dot' ended with status 7: broken

__attribute__((kesco_outputs(1))) __global__ void fill(float *out) { *out = 1; }

void two() {
    float *a, *b;
    cudaMalloc(&a, 4), cudaMalloc(&b, 4);
    fill<<<1, 1>>>(a);
    fill<<<1, 1>>>(b);
}
