; Ops of a loop: what one pass reads and writes, the next overwrites, so edges and waits lead along the back edge, too.
; RUN: sh %S/Inputs/run.sh %kesco-opt %s %t
; RUN: FileCheck %s --input-file=%t.json

; CHECK-LABEL: "name": "loop", "lanes": 2
; CHECK: "edges": [
; CHECK-NEXT: {"from": 0, "to": 2, "kind": "WAW", "object": "object"},
; CHECK-NEXT: {"from": 1, "to": 2, "kind": "RAW", "object": "object#2"},
; CHECK-NEXT: {"from": 2, "to": 0, "kind": "WAW", "object": "object"},
; CHECK-NEXT: {"from": 2, "to": 1, "kind": "WAR", "object": "object#2"}],
; CHECK: "waits": [
; CHECK-NEXT: {"op": 1, "on": 2},
; CHECK-NEXT: {"op": 2, "on": 1}],
define void @loop(ptr noalias %a, ptr noalias %b, i64 %count) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  call void @set(ptr %a)
  call void @set(ptr %b)
  call void @add(ptr %a, ptr %b)
  br label %latch
latch:
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %body, label %end
end:
  ret void
}
