// Beside the legacy default stream, what is done there anyway takes the place of records and waits: an op that all others
// come before or behind, and a call of the program's own right before the region or right behind it.
// RUN: rm -rf %t && mkdir %t
// RUN: for o in 0 2; do for g in "" -g; do \
// RUN:   %kesco-host -O$o $g -S -emit-llvm %s -o %t/$o$g.ll -fplugin-arg-kesco-report=%t/plan.json && \
// RUN:   opt -passes=verify -disable-output %t/$o$g.ll && \
// RUN:   FileCheck %s --input-file=%t/$o$g.ll && FileCheck %s --check-prefix=PLAN --input-file=%t/plan.json || exit 1; \
// RUN: done; done

#include <atomic>

__attribute__((kesco_outputs(1))) __global__ void make(float *out) { *out = 1; }
__attribute__((kesco_outputs(1))) __global__ void use(float *out, const float *a) { *out = *a; }
__attribute__((kesco_outputs(1))) __global__ void join(float *out, const float *a, const float *b) { *out = *a + *b; }

#define P float *__restrict__

void unknown();

// The first and the last op order all others. The plan says what waits they do without.
// CHECK-LABEL: define {{.*}}@_Z13fork_and_join{{.*}}(
// CHECK: call void @__kesco1_enter(ptr null,
// CHECK-NEXT: call ptr @__kesco1_origin(
// CHECK-NOT: call void @__kesco1_{{wait|record}}
// CHECK: call ptr @__kesco1_lane(i32 0,
// CHECK-NOT: call void @__kesco1_{{wait|record}}
// CHECK: call ptr @__kesco1_lane(i32 1,
// CHECK-NOT: call void @__kesco1_{{wait|record}}
// CHECK: call ptr @__kesco1_origin(
// CHECK-NOT: call void @__kesco1_{{wait|record}}
// CHECK: call void @__kesco1_leave()
// PLAN-LABEL: "name": "fork_and_join(
// PLAN: "waits": [
// PLAN-NEXT: {"op": 2, "on": 0},
// PLAN-NEXT: {"op": 3, "on": 2}],
void fork_and_join(P a, P b, P c, P d) {
    make<<<1, 1>>>(a);
    use<<<1, 1>>>(b, a);
    use<<<1, 1>>>(c, a);
    join<<<1, 1>>>(d, b, c);
}

// Behind an op that did not make it to the stream, something else orders the lanes; of two in a row, behind the last.
// CHECK-LABEL: define {{.*}}@_Z7two_end{{.*}}(
// CHECK: call ptr @__kesco1_origin(
// CHECK-NOT: call void @__kesco1_{{passed|align}}
// CHECK: call ptr @__kesco1_origin(
// CHECK-DAG: call void @__kesco1_passed(i32 0)
// CHECK-DAG: call void @__kesco1_align()
// CHECK-NOT: call void @__kesco1_{{passed|align}}
// CHECK: call void @__kesco1_leave()
void two_end(P a, P b, P c, P d) {
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
    join<<<1, 1>>>(c, a, b);
    use<<<1, 1>>>(d, c);
}

// All come behind all: one record for all lanes.
// CHECK-LABEL: define {{.*}}@_Z8exchange{{.*}}(
// CHECK: call ptr @__kesco1_lane(i32 0,
// CHECK-NOT: call void @__kesco1_{{wait|record|align}}
// CHECK: call ptr @__kesco1_lane(i32 1,
// CHECK-NOT: call void @__kesco1_{{wait|record|lane}}
// CHECK: call void @__kesco1_align()
// CHECK-NEXT: call ptr @__kesco1_lane(i32 {{[01]}},
// CHECK-NOT: call void @__kesco1_{{wait|record|align}}
// CHECK: call ptr @__kesco1_lane(i32 {{[01]}},
// CHECK-NOT: call void @__kesco1_{{wait|record|align}}
// CHECK: call void @__kesco1_leave()
void exchange(P a, P b, P c, P d) {
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
    join<<<1, 1>>>(c, a, b);
    join<<<1, 1>>>(d, a, b);
}

// Another stream knows nothing of this.
// CHECK-LABEL: define {{.*}}@_Z12other_stream{{.*}}(
// CHECK-NOT: call {{.*}} @__kesco1_{{origin|align|passed}}(
// CHECK: call void @__kesco1_wait(
// CHECK-NOT: call {{.*}} @__kesco1_{{origin|align|passed}}(
// CHECK: call void @__kesco1_leave()
void other_stream(P a, P b, P c, cudaStream_t stream) {
    make<<<1, 1, 0, stream>>>(a);
    make<<<1, 1, 0, stream>>>(b);
    join<<<1, 1, 0, stream>>>(c, a, b);
}

static void begin(cudaEvent_t event) {
    if (cudaEventRecord(event) != cudaSuccess)
        unknown();
}

// Calls in helpers count; checks and printing in between do not matter.
// CHECK-LABEL: define {{.*}}@_Z7between{{.*}}(
// CHECK: call i32 @cudaEventRecord(
// CHECK: call void @__kesco1_enter_behind(ptr null, {{.*}}, i32 {{(noundef )?(0|%[0-9]+)}})
// CHECK: call void @__kesco1_leave_by_record(ptr {{.*}}null, i32 {{(noundef )?}}1)
// CHECK-NEXT: [[BEHIND:%.*]] = {{.*}}call i32 @cudaEventRecord(
// CHECK-NEXT: call void @__kesco1_leave_behind_record(ptr {{(noundef )?}}{{.*}}, i32 {{(noundef )?}}[[BEHIND]])
void between(P a, P b, cudaEvent_t first, cudaEvent_t last) {
    if (cudaEventRecord(first) != cudaSuccess)
        return;
    if (cudaGetLastError() != cudaSuccess)
        return;
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
    cudaEventRecord(last);
}

// CHECK-LABEL: define {{.*}}@_Z9in_helper{{.*}}(
// CHECK: call void @__kesco1_enter(
// CHECK: call void @__kesco1_leave()
void in_helper(P a, P b, cudaEvent_t event) {
    begin(event);
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
    unknown();
}

// What another thread may have done in between is not known here.
// CHECK-LABEL: define {{.*}}@_Z9handshake{{.*}}(
// CHECK: call void @__kesco1_enter(ptr null,
// CHECK: call void @__kesco1_leave()
// CHECK-NOT: call void @__kesco1_leave_behind
// CHECK: {{store atomic|(call|invoke) .*5store}}
void handshake(P a, P b, std::atomic<int> &flag, cudaEvent_t event) {
    cudaEventRecord(event);
    while (flag.load() == 0)
        ;
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
    flag.store(2);
    cudaEventRecord(event);
}

// Not on every way there; on another stream; behind unknown code.
// CHECK-LABEL: define {{.*}}@_Z9sometimes{{.*}}(
// CHECK-NOT: @__kesco1_enter_behind
// CHECK: {{^}}}
void sometimes(P a, P b, bool first, cudaEvent_t event) {
    if (first)
        cudaEventRecord(event);
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
}

// CHECK-LABEL: define {{.*}}@_Z9elsewhere{{.*}}(
// CHECK-NOT: @__kesco1_{{enter_behind|leave_by_next}}
// CHECK: {{^}}}
void elsewhere(P a, P b, cudaStream_t stream, cudaEvent_t event) {
    cudaEventRecord(event, stream);
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
    cudaEventRecord(event, cudaStreamPerThread);
}

// CHECK-LABEL: define {{.*}}@_Z14behind_unknown{{.*}}(
// CHECK-NOT: @__kesco1_enter_behind
// CHECK: {{^}}}
void behind_unknown(P a, P b) {
    cudaDeviceSynchronize();
    unknown();
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
}

// Behind the call that closed the region before; a loop's own ops are no matter.
// CHECK-LABEL: define {{.*}}@_Z6rounds{{.*}}(
// CHECK: [[FIRST:%.*]] = {{.*}}call i32 @cudaDeviceSynchronize(
// CHECK: call void @__kesco1_enter_behind(ptr null, {{.*}}, i32 {{(noundef )?}}[[FIRST]])
// CHECK: {{^}}}
void rounds(P a, P b, int n, float *host) {
    cudaDeviceSynchronize();
    *host = 1;
    for (int i = 0; i < n; i++) {
        make<<<1, 1>>>(a);
        make<<<1, 1>>>(b);
    }
}

struct Owner {
    ~Owner() { unknown(); }
};

// Where exceptions are cleaned up behind, the call is an invoke.
// CHECK-LABEL: define {{.*}}@_Z6owners{{.*}}(
// CHECK: call void @__kesco1_leave_by_next()
// CHECK: {{invoke|call}} i32 @cudaDeviceSynchronize(
// CHECK: call void @__kesco1_leave_behind(
// CHECK: {{^}}}
void owners(P a, P b) {
    Owner owner;
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
    if (cudaDeviceSynchronize() != cudaSuccess)
        unknown();
}

// How long the host waits for one stream is noted; that call orders nothing else.
// CHECK-LABEL: define {{.*}}@_Z10one_stream{{.*}}(
// CHECK: call void @__kesco1_leave_by_wait(ptr {{(noundef )?}}[[STREAM:%.*]])
// CHECK-NEXT: [[WAITED:%.*]] = {{.*}}call i32 @cudaStreamSynchronize(ptr {{(noundef )?}}[[STREAM]])
// CHECK-NEXT: call void @__kesco1_leave_behind(i32 {{(noundef )?}}[[WAITED]])
// CHECK: {{^}}}
void one_stream(P a, P b, cudaStream_t stream) {
    make<<<1, 1, 0, stream>>>(a);
    make<<<1, 1, 0, stream>>>(b);
    cudaStreamSynchronize(stream);
    unknown();
}

// And how long it waits for the event that a region ends with, on any stream.
// CHECK-LABEL: define {{.*}}@_Z9one_event{{.*}}(
// CHECK: call void @__kesco1_leave_by_record(ptr {{(noundef )?}}[[STREAM:%.*]], i32 {{(noundef )?}}0)
// CHECK-NEXT: [[RECORDED:%.*]] = {{.*}}call i32 @cudaEventRecord(ptr {{(noundef )?}}[[EVENT:%.*]], ptr {{(noundef )?}}[[STREAM]])
// CHECK-NEXT: call void @__kesco1_leave_behind_record(ptr {{(noundef )?}}[[EVENT]], i32 {{(noundef )?}}[[RECORDED]])
// CHECK: call void @__kesco1_leave_by_event(ptr {{(noundef )?}}[[AWAITED:%.*]])
// CHECK-NEXT: [[WAITED:%.*]] = {{.*}}call i32 @cudaEventSynchronize(ptr {{(noundef )?}}[[AWAITED]])
// CHECK-NEXT: call void @__kesco1_leave_behind(i32 {{(noundef )?}}[[WAITED]])
// CHECK: {{^}}}
void one_event(P a, P b, cudaStream_t stream, cudaEvent_t event) {
    make<<<1, 1, 0, stream>>>(a);
    make<<<1, 1, 0, stream>>>(b);
    if (cudaEventRecord(event, stream) != cudaSuccess)
        unknown();
    cudaEventSynchronize(event);
    unknown();
}
