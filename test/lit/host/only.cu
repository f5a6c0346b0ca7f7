// The option `only` names the functions to schedule: all others stay exactly as they are, and a remark says so.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s app.cu
// RUN: %kesco-host -O1 -S -emit-llvm app.cu -o only.ll -fplugin-arg-kesco-only=pair -fplugin-arg-kesco-report=only.json \
// RUN:   -Rpass-missed=kesco -Rpass=kesco 2> remarks
// RUN: FileCheck app.cu --input-file=only.ll --check-prefix=IR
// RUN: FileCheck app.cu --input-file=only.json
// RUN: FileCheck app.cu --input-file=remarks --check-prefix=REMARK && grep -c remark: remarks | grep -x 5

// Without a function of that name, the module is what it is without the plugin.
// RUN: %cuda-host -O1 -Rpass-missed=none -Wno-unknown-attributes -S -emit-llvm app.cu -o plain.ll
// RUN: %kesco-host -O1 -S -emit-llvm app.cu -o none.ll -fplugin-arg-kesco-only=lair,pairs -Rpass-missed=kesco 2> none
// RUN: cmp plain.ll none.ll && FileCheck app.cu --input-file=none --check-prefix=NONE
// RUN: %kesco-host -O1 -S -emit-llvm app.cu -o none.ll -fplugin-arg-kesco-only=lair 2>&1 | grep -c warning: | grep -x 1
// RUN: not %kesco-host -O1 -S -emit-llvm app.cu -o none.ll -fplugin-arg-kesco-only=lair -Werror
// RUN: not %kesco-host -O1 -S -emit-llvm app.cu -o none.ll -fplugin-arg-kesco-only=piar -Werror

// Names that are near none may be of functions in other files; where one command compiles and links, there are few.
// RUN: %kesco-host -O1 -S -emit-llvm app.cu -o none.ll -fplugin-arg-kesco-only=pair,elsewhere 2>&1 | not grep warning:
// RUN: mkdir tmp && TMPDIR=$PWD/tmp %kesco-host -c app.cu -o $PWD/tmp/app.o -fplugin-arg-kesco-only=pair,elsewhere 2>&1 | FileCheck app.cu --check-prefix=FEW
// FEW: warning: kesco: no function with launches is called 'elsewhere', which '-fplugin-arg-kesco-only' names; the nearest name is

// The last part of a name is near it, too.
// RUN: %kesco-host -O1 -S -emit-llvm app.cu -o none.ll -fplugin-arg-kesco-only=twicee 2>&1 | FileCheck app.cu --check-prefix=PART
// PART: warning: kesco: no function with launches is called 'twicee', which '-fplugin-arg-kesco-only' names; the nearest name is 'ns::twice(float*, float*)'

// Names may be as long as reports have them; several are separated by commas outside of brackets.
// RUN: %kesco-host -O1 -S -emit-llvm app.cu -o two.ll -fplugin-arg-kesco-report=two.json \
// RUN:   "-fplugin-arg-kesco-only=ns::twice(float*, float*),void ns::same<int, 2>(int*, int*)"
// RUN: grep '"name": .*"lanes"' two.json | FileCheck app.cu --check-prefix=TWO --implicit-check-not=name
// TWO: "name": "ns::twice(float*, float*)", "lanes": 2,
// TWO: "name": "void ns::same<int, 2>(int*, int*)", "lanes": 2,

// A function whose helper is left out has it inlined; a helper alone is scheduled where it stands.
// RUN: %kesco-host -O1 -S -emit-llvm app.cu -o helped.ll -fplugin-arg-kesco-only=helped
// RUN: FileCheck app.cu --input-file=helped.ll --check-prefix=HELPED
// RUN: %kesco-host -O1 -S -emit-llvm app.cu -o helper.ll -fplugin-arg-kesco-only=ns::twice
// RUN: FileCheck app.cu --input-file=helper.ll --check-prefix=HELPER

// What other units may call has more of KeSCo in it (region_entries.cu).
#define LOCAL static __attribute__((noinline))

__attribute__((kesco_outputs(1))) __global__ void add(float *out) { *out += 1; }
template <class T> __attribute__((kesco_outputs(1))) __global__ void fill(T *out) { *out = 1; }

// CHECK: "functions": [
// CHECK-NEXT: {"name": "pair(float*, float*)", "lanes": 2,
// CHECK-NOT: "name": "{{.*}}("
// REMARK-DAG: app.cu:[[# @LINE + 13]]:{{[0-9]+}}: remark: 2 kernels run on 2 lanes
// REMARK-DAG: app.cu:[[# @LINE + 22]]:{{[0-9]+}}: remark: 'ns::twice(float*, float*)' stays as it is: -fplugin-arg-kesco-only does not name it
// REMARK-DAG: app.cu:{{.*}} remark: 'void ns::same<int, 2>(int*, int*)' stays as it is: -fplugin-arg-kesco-only does not name it
// REMARK-DAG: app.cu:{{.*}} remark: 'helped(float*, float*)' stays as it is: -fplugin-arg-kesco-only does not name it
// NONE-COUNT-5: stays as it is
// NONE: warning: kesco: no function with launches is called 'lair', which '-fplugin-arg-kesco-only' names; the nearest name is 'pair(float*, float*)'
// NONE: warning: kesco: no function with launches is called 'pairs', which '-fplugin-arg-kesco-only' names; the nearest name is 'pair(float*, float*)'
// IR-LABEL: define {{.*}}@_ZL4pair
// IR: call void @__kesco1_enter(
// IR-LABEL: define {{.*}}twice
// IR-NOT: __kesco1_enter(ptr null
// HELPED-LABEL: define {{.*}}@_ZL4pair
LOCAL void pair(float *__restrict__ a, float *__restrict__ b) {
    add<<<1, 1>>>(a);
    add<<<1, 1>>>(b);
}

namespace ns {
// HELPED-NOT: call void @__kesco1_enter(
// HELPER-LABEL: define {{.*}}@_ZN2nsL5twice
// HELPER: call void @__kesco1_enter(
// HELPER-NOT: call void @__kesco1_enter(
LOCAL void twice(float *__restrict__ a, float *__restrict__ b) {
    add<<<1, 1>>>(a);
    add<<<1, 1>>>(b);
}

template <class T, int N> LOCAL void same(T *__restrict__ a, T *__restrict__ b) {
    fill<<<N, 1>>>(a);
    fill<<<N, 1>>>(b);
}
} // namespace ns

// HELPED-LABEL: define {{.*}}@_ZL6helped
// HELPED: call void @__kesco1_enter(
LOCAL void helped(float *__restrict__ a, float *__restrict__ b) {
    ns::twice(a, b);
    add<<<1, 1>>>(a);
}

// One op alone is not worth a word.
LOCAL void one(float *a) {
    add<<<1, 1>>>(a);
}

int main() {
    pair(nullptr, nullptr);
    ns::twice(nullptr, nullptr);
    ns::same<int, 2>(nullptr, nullptr);
    helped(nullptr, nullptr);
    one(nullptr);
}
