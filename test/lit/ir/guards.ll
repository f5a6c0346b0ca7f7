; The run is asked of pointers that may alias; not of allocations, which do not, nor of pointers that must.
; RUN: sh %S/Inputs/run.sh %kesco-opt %s %t
; RUN: FileCheck %s --input-file=%t.json
; RUN: FileCheck %s --input-file=%t.ll --check-prefix=IR

declare i32 @cudaMalloc(ptr, i64)

; CHECK-LABEL: "name": "arguments", "lanes": 2
; CHECK: "guards": [
; CHECK-NEXT: {"a": "object", "b": "object#2"}],
; IR-LABEL: define void @arguments(
; IR: call void @__kesco1_guard(i32 0, i32 3, ptr %a)
; IR: call void @_Z18__device_stub__setPi(ptr %a)
; IR: call void @__kesco1_guard(i32 1, i32 2, ptr %b)
; IR: call void @_Z18__device_stub__setPi(ptr %b)
define void @arguments(ptr %a, ptr %b) {
  call void @set(ptr %a)
  call void @set(ptr %b)
  ret void
}

; CHECK-LABEL: "name": "allocations", "lanes": 2
; CHECK: "guards": [],
; IR-LABEL: define void @allocations(
; IR-NOT: call void @__kesco1_guard
define void @allocations() {
  %pa = alloca ptr
  %pb = alloca ptr
  %ra = call i32 @cudaMalloc(ptr %pa, i64 4)
  %rb = call i32 @cudaMalloc(ptr %pb, i64 4)
  %a = load ptr, ptr %pa
  %b = load ptr, ptr %pb
  call void @set(ptr %a)
  call void @set(ptr %b)
  ret void
}

; CHECK-LABEL: "name": "parts", "lanes": 1
; CHECK: "guards": [],
; IR-LABEL: define void @parts(
; IR-NOT: call void @__kesco1_enter
define void @parts(ptr %a) {
  %part = getelementptr i8, ptr %a, i64 4
  call void @set(ptr %a)
  call void @set(ptr %part)
  ret void
}
