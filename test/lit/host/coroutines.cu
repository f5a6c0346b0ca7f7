// A coroutine is nobody's helper: its body runs in pieces, whenever somebody resumes it. Where it suspends is a barrier.
// RUN: %kesco-host -std=c++20 -O0 -S -emit-llvm %s -o %t.0.ll -fplugin-arg-kesco-report=%t.0.json
// RUN: %kesco-host -std=c++20 -O2 -S -emit-llvm %s -o %t.2.ll -fplugin-arg-kesco-report=%t.2.json
// RUN: cmp %t.0.json %t.2.json
// RUN: FileCheck %s --input-file=%t.0.json

#include <coroutine>

__attribute__((kesco_outputs(1))) __global__ void kernel(float *out) { *out += 1; }

struct Task {
    struct promise_type {
        Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};

// CHECK-LABEL: "name": "steps(float*, float*)", "lanes": 2,
// CHECK: {"id": 1, {{.*}}"region": 0}
// CHECK: {"id": 2, {{.*}}"region": 1}
Task steps(float *a, float *b) {
    kernel<<<1, 1>>>(a);
    kernel<<<1, 1>>>(b);
    co_await std::suspend_always{};
    kernel<<<1, 1>>>(a);
    kernel<<<1, 1>>>(b);
}

// CHECK-LABEL: "name": "starts(float*, float*)", "lanes": 1,
// CHECK: "why": "call to function 'steps(float*, float*)', which is a coroutine"
Task starts(float *a, float *b) {
    kernel<<<1, 1>>>(a);
    Task task = steps(a, b);
    kernel<<<1, 1>>>(b);
    return task;
}
