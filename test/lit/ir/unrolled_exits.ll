; A loop with several ways out is unrolled. LLVM 22 folds those that it knows in an order that comes from addresses, and what
; it moves then in phis follows; the same program is compiled to the same code all the same.
; RUN: sh %S/Inputs/run.sh %kesco-opt %s %t
; RUN: FileCheck %s --input-file=%t.ll
; RUN: for i in 1 2 3 4 5 6; do sh %S/Inputs/run.sh %kesco-opt %s %t.again && cmp %t.ll %t.again.ll || exit 1; done

define i32 @exits(ptr noalias %a, ptr noalias %b) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  call void @set(ptr %a)
  call void @set(ptr %b)
  %at0 = icmp eq i32 %i, 10
  br i1 %at0, label %end, label %two
two:
  %v2 = load i32, ptr %a
  %at2 = icmp eq i32 %i, 11
  br i1 %at2, label %end, label %three
three:
  %v3 = add i32 %v2, 1
  %at3 = icmp eq i32 %i, 12
  br i1 %at3, label %end, label %four
four:
  %v4 = add i32 %v3, 2
  %at4 = icmp eq i32 %i, 13
  br i1 %at4, label %end, label %five
five:
  %v5 = add i32 %v4, 3
  %at5 = icmp eq i32 %i, 14
  br i1 %at5, label %end, label %six
six:
  %v6 = add i32 %v5, 4
  %at6 = icmp eq i32 %i, 15
  br i1 %at6, label %end, label %latch
latch:
  %v7 = add i32 %v6, 5
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 4
  br i1 %more, label %body, label %end
; CHECK: %result = phi i32 [ 0, %set.exit4.3 ], [ %v2.3, %two.3 ], [ %v3.3, %three.3 ], [ %v4.3, %four.3 ], [ %v5.3, %five.3 ], [ %v6.3, %six.3 ], [ %v7.3, %latch.3 ]
end:
  %result = phi i32 [ 0, %body ], [ %v2, %two ], [ %v3, %three ], [ %v4, %four ], [ %v5, %five ], [ %v6, %six ], [ %v7, %latch ]
  ret i32 %result
}
