; The IR of a region: it is opened before its first op, each op is issued on its lane, an event is recorded behind what
; another lane waits for, and the region is closed before the function ends.
; RUN: sh %S/Inputs/run.sh %kesco-opt %s %t
; RUN: FileCheck %s --input-file=%t.ll

; CHECK-LABEL: define void @lanes(
; CHECK: call void @__kesco1_enter(ptr null, ptr @{{[0-9]+}})
; CHECK: [[LANE0:%.*]] = call ptr @__kesco1_lane(i32 0, ptr @{{[0-9]+}}, i64 -1)
; CHECK: call i32 @__cudaPushCallConfiguration(i64 1, i32 1, i64 1, i32 1, i64 0, ptr [[LANE0]])
; CHECK: call void @_Z18__device_stub__setPi(ptr %a)
; CHECK: call void @__kesco1_record(i32 0, i32 0)
; CHECK: [[LANE1:%.*]] = call ptr @__kesco1_lane(i32 1, ptr @{{[0-9]+}}, i64 -1)
; CHECK: call i32 @__cudaPushCallConfiguration(i64 1, i32 1, i64 1, i32 1, i64 0, ptr [[LANE1]])
; CHECK: call void @_Z18__device_stub__setPi(ptr %b)
; CHECK: call void @_Z18__device_stub__addPiPKi(ptr %c, ptr %a)
; CHECK: call void @__kesco1_wait(i32 0, i32 2)
; CHECK: call ptr @__kesco1_lane(i32 2, ptr @{{[0-9]+}}, i64 -1)
; CHECK: call void @_Z18__device_stub__addPiPKi(ptr %d, ptr %a)
; CHECK: call void @__kesco1_record(i32 1, i32 2)
; CHECK-NEXT: call void @__kesco1_wait(i32 1, i32 1)
; CHECK: call void @_Z18__device_stub__addPiPKi(ptr %d, ptr %b)
; CHECK: call void @__kesco1_leave()
; CHECK-NEXT: ret void
define void @lanes(ptr noalias %a, ptr noalias %b, ptr noalias %c, ptr noalias %d) {
entry:
  call void @set(ptr %a)
  call void @set(ptr %b)
  call void @add(ptr %c, ptr %a)
  call void @add(ptr %d, ptr %a)
  call void @add(ptr %d, ptr %b)
  ret void
}
