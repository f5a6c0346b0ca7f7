// Functions and kernels with the attribute kesco_off, or in the list of the option `exclude`, stay as they are; their callers
// see what they do.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s off.cu
// RUN: %kesco-host -O1 -S -emit-llvm off.cu -o off.ll -DBY_ATTRIBUTE -fplugin-arg-kesco-report=off.json -Rpass=kesco \
// RUN:   -Rpass-missed=kesco 2>remarks
// RUN: FileCheck off.cu --input-file=off.json
// RUN: FileCheck off.cu --input-file=remarks --check-prefixes=REMARK,ATTRIBUTE
// RUN: not grep -F kesco.off off.ll
// RUN: printf '# all of this\nfun:plain*\nfun:ns::Class::twice\nfun:_ZN2nsL7special*\nfun:quiet\nfun:single\nfun:_ZZ7lambdas*\n' >list
// RUN: %kesco-host -O1 -S -emit-llvm off.cu -o listed.ll -fplugin-arg-kesco-exclude=list -fplugin-arg-kesco-report=listed.json \
// RUN:   -Rpass=kesco -Rpass-missed=kesco 2>remarks
// RUN: FileCheck off.cu --input-file=listed.json
// RUN: FileCheck off.cu --input-file=remarks --check-prefixes=REMARK,LISTED
// RUN: cmp off.ll listed.ll

// All of a source file.
// RUN: printf 'src:*off.cu\n' >all && %kesco-host -O1 -S -emit-llvm off.cu -o all.ll -fplugin-arg-kesco-exclude=all
// RUN: not grep 'call void @__kesco1_enter' all.ll

// RUN: not %kesco-host -c off.cu -o /dev/null -fplugin-arg-kesco-exclude= 2>&1 | FileCheck off.cu --check-prefix=EMPTY
// EMPTY: invalid value '' for plugin option 'exclude': allowed is the name of a file with lines fun:FUNCTION and src:FILE
// RUN: not %kesco-host -c off.cu -o /dev/null -fplugin-arg-kesco-exclude=nowhere 2>&1 | FileCheck off.cu --check-prefix=NOWHERE
// NOWHERE: cannot read the exclude list 'nowhere': No such file
// RUN: echo nonsense >bad
// RUN: not %kesco-host -c off.cu -o /dev/null -fplugin-arg-kesco-exclude=bad 2>&1 | FileCheck off.cu --check-prefix=BAD
// BAD: cannot read the exclude list 'bad': malformed line 1: 'nonsense'; a line is fun:FUNCTION or src:FILE

// A line that begins with another word than fun and src is told of, but not in the section of another tool.
// RUN: printf '# list\n\n fun:plain\nfunc:plain\nkernel:quiet\n[cfi]\ntype:a\n[kes*]\ntype:a\n' >words
// RUN: %kesco-host -c off.cu -o /dev/null -fplugin-arg-kesco-exclude=words 2>words.told
// RUN: FileCheck off.cu --check-prefix=WORDS --implicit-check-not=warning: --input-file=words.told
// WORDS: warning: kesco: words:4: 'func:' is none of the exclude list's prefixes, so the line is ignored; did you mean 'fun:'? a line is fun:FUNCTION, for kernels too, or src:FILE
// WORDS: warning: kesco: words:5: 'kernel:' is none of the exclude list's prefixes, so the line is ignored; a line is
// WORDS: warning: kesco: words:9: 'type:'

// A name that is nearly that of a function or kernel of the file is told of; others may be of other files, and lines of other
// tools' sections are theirs, but for lists that have no other.
// RUN: printf 'fun:plan\nfun:quie\nfun:elsewhere\nfun:plain\nfun:make*x\n' >names
// RUN: %kesco-host -c off.cu -o /dev/null -fplugin-arg-kesco-exclude=names 2>names.told
// RUN: FileCheck off.cu --check-prefix=NAMES --implicit-check-not=warning: --input-file=names.told
// NAMES: warning: kesco: names:1: no function or kernel of this file is called 'plan'; did you mean 'plain'?
// NAMES: warning: kesco: names:2: no function or kernel of this file is called 'quie'; did you mean 'quiet'?
// RUN: printf '[cfi]\nfun:plain\n' >others && %kesco-host -c off.cu -o /dev/null -fplugin-arg-kesco-exclude=others 2>&1 | FileCheck off.cu --check-prefix=OTHERS
// OTHERS: warning: kesco: the exclude list 'others' has lines of other tools' sections alone, so it excludes nothing; those for KeSCo stand before any section, or in [kesco]
// RUN: not %kesco-host -fsyntax-only off.cu -DBAD_PLACE 2>&1 | FileCheck off.cu --check-prefix=PLACE
// PLACE: error: 'kesco_off' only applies to functions
// RUN: not %kesco-host -fsyntax-only off.cu -DBAD_ARGUMENT 2>&1 | FileCheck off.cu --check-prefix=ARGUMENT
// ARGUMENT: error: 'kesco_off' attribute takes no arguments

#include <kesco.h>

#ifdef BY_ATTRIBUTE
#define OFF KESCO_OFF
#else
#define OFF
#endif
#ifdef BAD_PLACE
KESCO_OFF int variable;
#endif
#ifdef BAD_ARGUMENT
__attribute__((kesco_off(1))) void function();
#endif

KESCO_OUTPUTS(1) __global__ void make(float *out) { out[threadIdx.x] = 1; }
OFF KESCO_OUTPUTS(1) __global__ void quiet(float *out) { out[threadIdx.x] = 1; }

// REMARK: off.cu:[[# @LINE+4]]:9: remark: 'plain(float*, float*)' stays as it is:
// ATTRIBUTE-SAME: it has the attribute 'kesco_off'
// LISTED-SAME: 'list' lists it in line 2
OFF void plain(float *__restrict__ a, float *__restrict__ b) {
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
}

namespace ns {
struct Class {
    float *a, *b;
    OFF void twice() {
        make<<<1, 1>>>(a);
        make<<<1, 1>>>(b);
    }
};
template <class T> OFF static void special(T *__restrict__ a, T *__restrict__ b) {
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
}
} // namespace ns

// A caller has lanes of its own, and what is off is a barrier in it.
// CHECK: "functions": [
// CHECK-NEXT: {"name": "caller(float*, float*, ns::Class&)", "lanes": 2,
// CHECK: "barriers": [
// CHECK-NEXT: "why": "call to function 'plain(float*, float*)', which launches a kernel (line {{[0-9]+}})"
// CHECK-NEXT: "why": "call to function 'ns::Class::twice()', which
// CHECK-NEXT: "why": "call to function 'void ns::special<float>(float*, float*)', which
void caller(float *__restrict__ a, float *__restrict__ b, ns::Class &c) {
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
    plain(a, b);
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
    c.twice();
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
    ns::special(a, b);
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
}

// Launches of a kernel that is off are barriers.
// CHECK: {"name": "kernels(float*, float*, float*)", "lanes": 2,
// CHECK: "why": "launch of a kernel that stays as it is:
void kernels(float *__restrict__ a, float *__restrict__ b, float *__restrict__ c) {
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
    quiet<<<1, 1>>>(c);
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
}

// One launch is worth a word, too, where somebody asked for it.
// REMARK: off.cu:[[# @LINE+1]]:{{[0-9]+}}: remark: 'single(float*)' stays as it is:
OFF void single(float *a) { make<<<1, 1>>>(a); }

// Lambdas, also generic ones and those in templates.
// REMARK: off.cu:[[# @LINE+4]]:{{[0-9]+}}: remark: '{{.*}}lambdas<float>{{.*}}operator()() const' stays as it is:
// REMARK: off.cu:[[# @LINE+7]]:{{[0-9]+}}: remark: '{{.*}}lambdas<float>{{.*}}operator()<float>({{.*}}' stays as it is:
template <class T> void lambdas(T *__restrict__ a, T *__restrict__ b) {
    auto plain = [&]() OFF {
        make<<<1, 1>>>(a);
        make<<<1, 1>>>(b);
    };
    auto generic = [&](auto *c) OFF {
        make<<<1, 1>>>(a);
        make<<<1, 1>>>(c);
    };
    plain();
    generic(b);
}
template void lambdas<float>(float *, float *);
