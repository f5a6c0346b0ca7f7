; Pointers that are loaded in the same way are one object, however often the way is gone: no guard would hold. Another
; offset, or another way, is another object.
; RUN: sh %S/Inputs/run.sh %kesco-opt %s %t
; RUN: FileCheck %s --input-file=%t.json

; CHECK-LABEL: "name": "same", "lanes": 1
; CHECK: "guards": [],
define void @same(ptr %holder, ptr %seen) {
  %first = load ptr, ptr %holder
  %place = getelementptr i8, ptr %first, i64 16
  %a = load ptr, ptr %place
  call void @set(ptr %a)
  store i32 0, ptr %seen
  %second = load ptr, ptr %holder
  %middle = getelementptr i8, ptr %second, i64 24
  %again = getelementptr i8, ptr %middle, i64 -8
  %b = load ptr, ptr %again
  call void @set(ptr %b)
  ret void
}

; CHECK-LABEL: "name": "others", "lanes": 3
; CHECK: "guards": [
; CHECK-NEXT: {"a": "object", "b": "object#2"},
; CHECK-NEXT: {"a": "object", "b": "object#3"},
; CHECK-NEXT: {"a": "object#2", "b": "object#3"}],
define void @others(ptr %holder, ptr %other, ptr %seen) {
  %first = load ptr, ptr %holder
  %place = getelementptr i8, ptr %first, i64 16
  %a = load ptr, ptr %place
  call void @set(ptr %a)
  store i32 0, ptr %seen
  %second = load ptr, ptr %holder
  %further = getelementptr i8, ptr %second, i64 24
  %b = load ptr, ptr %further
  call void @set(ptr %b)
  %third = load ptr, ptr %other
  %like = getelementptr i8, ptr %third, i64 16
  %c = load ptr, ptr %like
  call void @set(ptr %c)
  ret void
}
