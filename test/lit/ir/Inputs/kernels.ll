; What tests put before their functions: two kernels, as Clang's host IR has them, and helpers that launch them.
; SUMMARY: K _Z3setPi
; SUMMARY: P 0 0 w
; SUMMARY: K _Z3addPiPKi
; SUMMARY: P 0 0 rw
; SUMMARY: P 1 0 r
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @__cudaPushCallConfiguration(i64, i32, i64, i32, i64, ptr)
declare i32 @cudaLaunchKernel(ptr, i64, i32, i64, i32, ptr, i64, ptr)
declare i32 @__cudaRegisterFunction(ptr, ptr, ptr)

@set_name = private constant [9 x i8] c"_Z3setPi\00"
@add_name = private constant [12 x i8] c"_Z3addPiPKi\00"

define internal void @register() {
  call i32 @__cudaRegisterFunction(ptr null, ptr @_Z18__device_stub__setPi, ptr @set_name)
  call i32 @__cudaRegisterFunction(ptr null, ptr @_Z18__device_stub__addPiPKi, ptr @add_name)
  ret void
}

define void @_Z18__device_stub__setPi(ptr %out) {
  %parameter = alloca ptr
  %parameters = alloca [1 x ptr]
  store ptr %out, ptr %parameter
  store ptr %parameter, ptr %parameters
  call i32 @cudaLaunchKernel(ptr @_Z18__device_stub__setPi, i64 1, i32 1, i64 1, i32 1, ptr %parameters, i64 0, ptr null)
  ret void
}

define void @_Z18__device_stub__addPiPKi(ptr %sum, ptr %in) {
  %parameter0 = alloca ptr
  %parameter1 = alloca ptr
  %parameters = alloca [2 x ptr]
  store ptr %sum, ptr %parameter0
  store ptr %in, ptr %parameter1
  store ptr %parameter0, ptr %parameters
  %second = getelementptr ptr, ptr %parameters, i64 1
  store ptr %parameter1, ptr %second
  call i32 @cudaLaunchKernel(ptr @_Z18__device_stub__addPiPKi, i64 1, i32 1, i64 1, i32 1, ptr %parameters, i64 0, ptr null)
  ret void
}

define internal void @set(ptr %out) {
  %configured = call i32 @__cudaPushCallConfiguration(i64 1, i32 1, i64 1, i32 1, i64 0, ptr null)
  %failed = icmp ne i32 %configured, 0
  br i1 %failed, label %end, label %launch
launch:
  call void @_Z18__device_stub__setPi(ptr %out)
  br label %end
end:
  ret void
}

define internal void @add(ptr %sum, ptr %in) {
  %configured = call i32 @__cudaPushCallConfiguration(i64 1, i32 1, i64 1, i32 1, i64 0, ptr null)
  %failed = icmp ne i32 %configured, 0
  br i1 %failed, label %end, label %launch
launch:
  call void @_Z18__device_stub__addPiPKi(ptr %sum, ptr %in)
  br label %end
end:
  ret void
}

