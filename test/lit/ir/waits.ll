; A wait that nothing observes before the next one is left out; one that only the run can tell of is put off.
; RUN: sh %S/Inputs/run.sh %kesco-opt %s %t
; RUN: FileCheck %s --input-file=%t.ll
; RUN: FileCheck %s --input-file=%t.remarks --check-prefix=REMARK
; RUN: sh %S/Inputs/run.sh %kesco-opt %s %t.off sync-elision=off
; RUN: FileCheck %s --input-file=%t.off.ll --check-prefix=OFF

declare i32 @cudaDeviceSynchronize()

; REMARK: call to 'cudaDeviceSynchronize' is left out: the host does nothing that needs it before it waits again
; CHECK-LABEL: define void @twice(
; CHECK: %before = call i32 @cudaDeviceSynchronize()
; CHECK-NOT: %between
; CHECK: %after = call i32 @cudaDeviceSynchronize()
; OFF-LABEL: define void @twice(
; OFF: %between = call i32 @cudaDeviceSynchronize()
define void @twice(ptr %a, ptr %b) {
  %before = call i32 @cudaDeviceSynchronize()
  call void @set(ptr %a)
  %between = call i32 @cudaDeviceSynchronize()
  call void @set(ptr %b)
  %after = call i32 @cudaDeviceSynchronize()
  ret void
}

; The host reads memory that the ops may work on, which the run can tell from where the pointers of the guard lead, and
; the one that the host reads by.
; REMARK: call to 'cudaDeviceSynchronize' is put off until the host could tell
; CHECK-LABEL: define i32 @observed(
; CHECK: call void @__kesco1_guard(i32 0, i32 35, ptr %a)
; CHECK: call void @__kesco1_touch(ptr %host)
; CHECK: call i32 @__kesco1_synchronize(ptr null, i32 6)
; CHECK-NEXT: %seen = load i32
; CHECK: call void @__kesco1_settle_by_next()
; CHECK: %after = call i32 @cudaDeviceSynchronize()
; OFF-LABEL: define i32 @observed(
; OFF: %between = call i32 @cudaDeviceSynchronize()
; OFF-NEXT: %seen = load i32
define i32 @observed(ptr %a, ptr %b, ptr %host) {
  %before = call i32 @cudaDeviceSynchronize()
  call void @set(ptr %a)
  %between = call i32 @cudaDeviceSynchronize()
  %seen = load i32, ptr %host
  call void @set(ptr %b)
  %after = call i32 @cudaDeviceSynchronize()
  ret i32 %seen
}
