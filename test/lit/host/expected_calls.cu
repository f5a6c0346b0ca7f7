// Loops that call functions of other source files, which a region may go through, say how often they come again: behind the call,
// where a region may be open. Exceptions and ways out for errors do not matter; of a loop that does not count, what is around it
// says it; where the outermost one may end by anything else, nothing is said.
// RUN: for o in 0 2; do %kesco-host -O$o -fplugin-arg-kesco-across-calls=on -fplugin-arg-kesco-runtime=shared %s -S -emit-llvm -o %t.ll || exit 1; \
// RUN:   FileCheck %s --input-file=%t.ll || exit 1; done

#include <cstdlib>

struct Buffer {
    Buffer();
    ~Buffer();
};

void step(float *data, const Buffer &buffer);
float norm(const float *data);

// CHECK-LABEL: define {{.*}}@_Z7countedPfi(
// CHECK: @_Z4stepPfRK6Buffer(
// CHECK: call void @__kesco1_expect_calls{{.*}}(ptr {{.*}}@kesco.place, i64 
void counted(float *data, int count) {
    Buffer buffer;
    for (int i = 0; i < count; i++)
        step(data, buffer);
}

// CHECK-LABEL: define {{.*}}@_Z6insidePfi(
// CHECK: @_Z4stepPfRK6Buffer(
// CHECK: call void @__kesco1_expect_calls{{.*}}(ptr {{.*}}@kesco.place.{{[0-9]+}}, i64 
void inside(float *data, int count) {
    const Buffer buffer;
    for (int i = 0; i < count; i++)
        while (norm(data) > 1)
            step(data, buffer);
}

// CHECK-LABEL: define {{.*}}@_Z5untilPf(
// CHECK-NOT: @__kesco1_expect_calls
// CHECK: ret void
void until(float *data) {
    const Buffer buffer;
    for (int i = 0; i < 100; i++) {
        step(data, buffer);
        if (norm(data) < 1)
            break;
    }
}

// CHECK-LABEL: define {{.*}}@_Z5oncesPf(
// CHECK-NOT: @__kesco1_expect_calls
// CHECK: ret void
void onces(float *data) {
    const Buffer buffer;
    step(data, buffer);
    step(data, buffer);
}
