// A device image with a damaged summary is not used at all, and a warning says so. One without summaries is nothing.
// RUN: python3 %S/Inputs/image.py %s %t.good
// RUN: %kesco-host -c %s -o /dev/null -Xclang -fcuda-include-gpubinary -Xclang %t.good -fplugin-arg-kesco-report=%t.json \
// RUN:   -Werror
// RUN: FileCheck %s --input-file=%t.json --check-prefix=GOOD

// RUN: python3 %S/Inputs/image.py %s %t.damaged --damage
// RUN: %kesco-host -c %s -o /dev/null -Xclang -fcuda-include-gpubinary -Xclang %t.damaged \
// RUN:   -fplugin-arg-kesco-report=%t.json 2>&1 | FileCheck %s --check-prefixes=WARNING,DAMAGED
// RUN: FileCheck %s --input-file=%t.json --check-prefix=BAD
// RUN: not %kesco-host -c %s -o /dev/null -Xclang -fcuda-include-gpubinary -Xclang %t.damaged -Werror

// RUN: python3 %S/Inputs/image.py %s %t.truncated --cut 5
// RUN: truncate -s -16 %t.truncated
// RUN: %kesco-host -c %s -o /dev/null -Xclang -fcuda-include-gpubinary -Xclang %t.truncated \
// RUN:   -fplugin-arg-kesco-report=%t.json 2>&1 | FileCheck %s --check-prefixes=WARNING,TRUNCATED
// RUN: FileCheck %s --input-file=%t.json --check-prefix=BAD

// RUN: python3 %S/Inputs/image.py %s %t.foreign --version 3
// RUN: cat %t.good %t.foreign > %t.mixed
// RUN: %kesco-host -c %s -o /dev/null -Xclang -fcuda-include-gpubinary -Xclang %t.mixed \
// RUN:   -fplugin-arg-kesco-report=%t.json 2>&1 | FileCheck %s --check-prefixes=WARNING,FOREIGN
// RUN: FileCheck %s --input-file=%t.json --check-prefix=BAD

// RUN: echo nothing > %t.empty
// RUN: %kesco-host -c %s -o /dev/null -Xclang -fcuda-include-gpubinary -Xclang %t.empty -Werror \
// RUN:   -fplugin-arg-kesco-report=%t.json -Rpass-missed=kesco 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.json --check-prefix=BAD

// A unit without kernels does not look at its image.
// RUN: %kesco-host -c %s -o /dev/null -Xclang -fcuda-include-gpubinary -Xclang %t.damaged -DNO_KERNEL -Werror

// WARNING: warning: kesco: the access summaries of the device code in '{{.*}}damaged_image{{.*}}' are ignored:
// DAMAGED-SAME: its checksum is wrong; kernels without annotation stay serial until the device code is compiled again with this plugin
// TRUNCATED-SAME: it is truncated; kernels without annotation stay serial until the device code is compiled again with this plugin
// FOREIGN-SAME: it is of another version of KeSCo; kernels without annotation stay serial until the device code is compiled again with this plugin
// REMARK: kernel 'known' keeps its order to all others: what the kernel writes is unknown: this compilation has no device code with its access summary; say it with kesco_outputs

// SUMMARY: K _Z5knownPf
// SUMMARY: P 0 0 w
#ifndef NO_KERNEL
__global__ void known(float *out) { *out = 1; }

// GOOD: "lanes": 2,
// BAD: "lanes": 1,
void two() {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    known<<<1, 1>>>(a);
    known<<<1, 1>>>(b);
}
#endif
