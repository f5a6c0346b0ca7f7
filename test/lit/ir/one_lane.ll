; A region whose ops depend on each other stays as it was.
; RUN: sh %S/Inputs/run.sh %kesco-opt %s %t
; RUN: FileCheck %s --input-file=%t.json
; RUN: FileCheck %s --input-file=%t.ll --check-prefix=IR

; CHECK-LABEL: "name": "chain", "lanes": 1
; IR-LABEL: define void @chain(ptr %a, ptr %b) {
; IR-NEXT: call void @set(ptr %a)
; IR-NEXT: call void @add(ptr %b, ptr %a)
; IR-NEXT: ret void
define void @chain(ptr %a, ptr %b) {
  call void @set(ptr %a)
  call void @add(ptr %b, ptr %a)
  ret void
}
