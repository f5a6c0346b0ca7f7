; What a launch reads and writes is what the summary in the device image says of the kernel.
; RUN: sh %S/Inputs/run.sh %kesco-opt %s %t
; RUN: FileCheck %s --input-file=%t.json
; RUN: FileCheck %s --input-file=%t.remarks --check-prefix=REMARK
; REMARK: kernel 'set(int*)': writes parameter 1
; REMARK: kernel 'add(int*, int const*)': reads parameter 1, parameter 2; writes parameter 1

declare i32 @cudaMalloc(ptr, i64)

; CHECK-LABEL: "name": "chain"
; CHECK: "id": 0, {{.*}}"reads": [], "writes": ["object"]
; CHECK: "id": 1, {{.*}}"reads": [], "writes": ["object#2"]
; CHECK: "id": 2, {{.*}}"reads": ["object", "object#2"], "writes": ["object"]
; CHECK: "edges": [
; CHECK-NEXT: {"from": 0, "to": 2, "kind": "WAW", "object": "object"},
; CHECK-NEXT: {"from": 1, "to": 2, "kind": "RAW", "object": "object#2"}],
define void @chain() {
  %pa = alloca ptr
  %pb = alloca ptr
  %ra = call i32 @cudaMalloc(ptr %pa, i64 4)
  %rb = call i32 @cudaMalloc(ptr %pb, i64 4)
  %a = load ptr, ptr %pa
  %b = load ptr, ptr %pb
  call void @set(ptr %a)
  call void @set(ptr %b)
  call void @add(ptr %a, ptr %b)
  ret void
}

; A kernel that has none may do anything.
; REMARK: kernel '__device_stub__hidden(int*)' keeps its order to all others
; CHECK-LABEL: "name": "hidden", "lanes": 1
declare void @_Z21__device_stub__hiddenPi(ptr)
define void @hidden(ptr %a, ptr %b) {
  call void @set(ptr %a)
  %configured = call i32 @__cudaPushCallConfiguration(i64 1, i32 1, i64 1, i32 1, i64 0, ptr null)
  %failed = icmp ne i32 %configured, 0
  br i1 %failed, label %end, label %launch
launch:
  call void @_Z21__device_stub__hiddenPi(ptr %b)
  br label %end
end:
  ret void
}
