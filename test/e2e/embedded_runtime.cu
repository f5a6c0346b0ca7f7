// A program needs no library of KeSCo's, and has one runtime, whatever it is made of: units with the runtime inside at any
// level of optimisation, units that call libkesco_rt, that library too, static or shared, link-time optimisation, shared
// libraries. One runtime is one profile: the ops of all units are in it.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu-kesco -O2 -fPIC -DUNIT=first %s -c -o %t/first.o
// RUN: %vgpu-kesco -O0 -g -DUNIT=second %s -c -o %t/second.o
// RUN: %vgpu-kesco -O2 -fPIC -fplugin-arg-kesco-runtime=shared -DUNIT=first %s -c -o %t/first.shared.o
// RUN: %vgpu-kesco -O2 -Xclang -flto=thin -Xclang -emit-llvm-bc -DUNIT=first %s -c -o %t/first.thin.o
// RUN: clang++ -O1 -DMAIN -x c++ %s -c -o %t/main.o
// RUN: clang++ -O1 -fPIC -DPLUGIN -x c++ %s -c -o %t/plugin.o
// DEFINE: %{vgpu} = %build/test/vgpu/libvgpu.so -Wl,-rpath,%build/test/vgpu
// DEFINE: %{lib} = -L%runtime -Wl,-rpath,%runtime

// RUN: clang++ %t/main.o %t/first.o %t/second.o %{vgpu} -o %t/embedded
// RUN: clang++ %t/main.o %t/first.shared.o %t/second.o %{vgpu} -o %t/filled
// RUN: clang++ %t/main.o %t/first.shared.o %t/second.o %runtime/libkesco_rt.a %{vgpu} -o %t/static
// RUN: clang++ %t/main.o %t/second.o -Wl,--whole-archive %runtime/libkesco_rt.a -Wl,--no-whole-archive %t/first.o %{vgpu} -o %t/whole
// RUN: clang++ %t/main.o %t/first.shared.o %t/second.o %{lib} -lkesco_rt %{vgpu} -o %t/shared
// RUN: clang++ -fuse-ld=gold -Wl,--gc-sections %t/main.o %t/first.o %t/second.o %{vgpu} -o %t/gold
// RUN: clang++ -flto=thin -O2 %t/main.o %t/first.thin.o %t/second.o %{vgpu} -o %t/thin
// RUN: clang++ -shared %t/first.o -o %t/libfirst.so
// RUN: clang++ %t/main.o %t/second.o %t/libfirst.so -Wl,-rpath,%t %{vgpu} -o %t/library
// RUN: clang++ -shared %t/first.shared.o %{lib} -lkesco_rt -o %t/libcalls.so
// RUN: clang++ %t/main.o %t/second.o %t/libcalls.so -Wl,-rpath,%t %{vgpu} -o %t/library_that_calls
// RUN: for program in embedded filled static whole shared gold thin library library_that_calls; do \
// RUN:   echo $program; \
// RUN:   for seed in 0 1 2; do \
// RUN:     VGPU_SEED=$seed VGPU_CHECK=races %t/$program >%t/out && printf 'first 10\nsecond 10\n' | cmp - %t/out || exit 1; \
// RUN:   done; \
// RUN:   KESCO_PROFILE=%t/profile.json %t/$program >%t/out || exit 1; \
// RUN:   test "$(grep -c '"name": "add"' %t/profile.json)" = 4 || { cat %t/profile.json; exit 1; }; \
// RUN: done
// RUN: %vgpu %t/main.o %t/first.shared.o -Wl,--defsym=second=first -o %t/vgpu && %t/vgpu | grep -c 'first 10' | grep -x 2
// RUN: llvm-nm %t/embedded | grep -c ' __kesco1_rt.kesco_thread_region' | grep -x 1

// Unloaded with the library that it is part of, the runtime is not called any more by threads that end later.
// RUN: clang++ %t/plugin.o -rdynamic %{vgpu} -pthread -o %t/host
// RUN: VGPU_CHECK=races %t/host %t/libfirst.so | grep -x 'unloaded'

#if defined(MAIN)

extern "C" void first();
extern "C" void second();

int main() {
    first();
    second();
    return 0;
}

#elif defined(PLUGIN)

#include <dlfcn.h>
#include <future>
#include <stdio.h>
#include <thread>

int main(int, char **arguments) {
    std::promise<void> launched, unloaded;
    void *library = dlopen(arguments[1], RTLD_NOW);
    auto run = reinterpret_cast<void (*)()>(dlsym(library, "first"));
    std::thread thread([&] {
        run();
        launched.set_value();
        unloaded.get_future().wait();
    });
    launched.get_future().wait();
    dlclose(library);
    puts(dlopen(arguments[1], RTLD_NOW | RTLD_NOLOAD) == nullptr ? "unloaded" : "still there");
    unloaded.set_value();
    thread.join();
    return 0;
}

#else

#include <stdio.h>

static __global__ void set(int *to, int value) { *to = value; }
static __global__ void add(int *to, const int *a, const int *b) { *to = *a + *b; }

#define TEXT(UNIT) TEXT_OF(UNIT)
#define TEXT_OF(UNIT) #UNIT

extern "C" void UNIT() {
    int *a, *b, *c, *d, result;
    cudaMalloc(&a, sizeof *a);
    cudaMalloc(&b, sizeof *b);
    cudaMalloc(&c, sizeof *c);
    cudaMalloc(&d, sizeof *d);
    set<<<1, 1>>>(a, 3);
    set<<<1, 1>>>(b, 2);
    add<<<1, 1>>>(c, a, b);
    add<<<1, 1>>>(d, c, c);
    cudaMemcpy(&result, d, sizeof result, cudaMemcpyDeviceToHost);
    printf("%s %d\n", TEXT(UNIT), result);
}

#endif
