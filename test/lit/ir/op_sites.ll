; What issues an op: a launch in the form that Clang gives it, and calls of CUDA's; what looks otherwise ends a region.
; RUN: sh %S/Inputs/run.sh %kesco-opt %s %t
; RUN: FileCheck %s --input-file=%t.json

declare i32 @cudaMemcpyAsync(ptr, ptr, i64, i32, ptr)
declare i32 @cudaMemsetAsync(ptr, i32, i64, ptr)

; CHECK-LABEL: "name": "sites"
; CHECK: "id": 0, "kind": "memset", "name": "memset", {{.*}}"writes": ["object"]
; CHECK: "id": 1, "kind": "kernel", "name": "__device_stub__set(int*)", {{.*}}"writes": ["object#2"]
; CHECK: "id": 2, "kind": "copy", "name": "memcpy DtoD", {{.*}}"reads": ["object#2"], "writes": ["object"]
; CHECK: "barriers": []
define void @sites(ptr %a, ptr %b) {
  %memset = call i32 @cudaMemsetAsync(ptr %a, i32 0, i64 4, ptr null)
  %configured = call i32 @__cudaPushCallConfiguration(i64 1, i32 1, i64 1, i32 1, i64 0, ptr null)
  %failed = icmp ne i32 %configured, 0
  br i1 %failed, label %end, label %launch
launch:
  call void @_Z18__device_stub__setPi(ptr %b)
  br label %end
end:
  %copy = call i32 @cudaMemcpyAsync(ptr %a, ptr %b, i64 4, i32 3, ptr null)
  ret void
}

; No branch on what the first call returns.
; CHECK-LABEL: "name": "unusual"
; CHECK: "why": "launch in an unusual form"
define void @unusual(ptr %a, ptr %b) {
  call void @set(ptr %a)
  %configured = call i32 @__cudaPushCallConfiguration(i64 1, i32 1, i64 1, i32 1, i64 0, ptr null)
  call void @_Z18__device_stub__setPi(ptr %b)
  call void @set(ptr %b)
  ret void
}

; A kind that only the run knows: the op may go either way.
; CHECK-LABEL: "name": "direction"
; CHECK: "kind": "copy", "name": "memcpy", 
define void @direction(ptr %a, ptr %b, i32 %kind) {
  call void @set(ptr %a)
  %copy = call i32 @cudaMemcpyAsync(ptr %a, ptr %b, i64 4, i32 %kind, ptr null)
  ret void
}
