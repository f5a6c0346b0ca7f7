; Where a region ends: at code that nobody sees, and at what CUDA's calls order; not at checks.
; RUN: sh %S/Inputs/run.sh %kesco-opt %s %t
; RUN: FileCheck %s --input-file=%t.json

declare void @unknown()
declare i32 @cudaGetLastError()
declare i32 @cudaFreeHost(ptr)

; CHECK-LABEL: "name": "cut"
; CHECK: "id": 0, {{.*}}"region": 0
; CHECK: "id": 1, {{.*}}"region": 1
; CHECK: "why": "call to unknown function 'unknown'"
define void @cut(ptr %a, ptr %b) {
  call void @set(ptr %a)
  call void @unknown()
  call void @set(ptr %b)
  ret void
}

; CHECK-LABEL: "name": "freed"
; CHECK: "why": "call to 'cudaFreeHost'"
define void @freed(ptr %a, ptr %b, ptr %c) {
  call void @set(ptr %a)
  %r = call i32 @cudaFreeHost(ptr %c)
  call void @set(ptr %b)
  ret void
}

; CHECK-LABEL: "name": "checked", "lanes": 2
; CHECK: "barriers": []
define void @checked(ptr %a, ptr %b) {
  call void @set(ptr %a)
  %r = call i32 @cudaGetLastError()
  call void @set(ptr %b)
  ret void
}

; Volatile memory may be a device's.
; CHECK-LABEL: "name": "looks"
; CHECK: "why": "volatile or atomic access to host memory"
define void @looks(ptr %a, ptr %b, ptr %host) {
  call void @set(ptr %a)
  %seen = load volatile i32, ptr %host
  call void @set(ptr %b)
  ret void
}
