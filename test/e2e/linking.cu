// Several units with regions become one program, whatever links them: three linkers, static and shared libraries, sections
// that are collected or folded, link-time optimisation, and units of all these kinds together, also such as were compiled
// without KeSCo or with its runtime as a library. The units have constants that the runtime has too.
// RUN: rm -rf %t && mkdir %t
// RUN: for unit in ONE TWO THREE; do \
// RUN:   for level in 0 1 2 3; do \
// RUN:     %vgpu-kesco -O$level -fPIC -ffunction-sections -D$unit %s -c -o %t/$unit.$level.o || exit 1; \
// RUN:   done; \
// RUN:   %vgpu-kesco -O2 -Xclang -flto -Xclang -emit-llvm-bc -D$unit %s -c -o %t/$unit.full.o || exit 1; \
// RUN:   %vgpu-kesco -O2 -Xclang -flto=thin -Xclang -emit-llvm-bc -D$unit %s -c -o %t/$unit.thin.o || exit 1; \
// RUN: done
// RUN: %vgpu-kesco -O2 -fPIC -fplugin-arg-kesco-runtime=shared -DTWO %s -c -o %t/TWO.calls.o
// RUN: %vgpu -O2 -fPIC -DTHREE %s -c -o %t/THREE.plain.o
// RUN: ar rcs %t/libtwo.a %t/TWO.2.o %t/THREE.2.o
// RUN: clang++ -O1 -DMAIN -x c++ %s -c -o %t/main.o
// RUN: clang++ -O1 -DLOADER -x c++ %s -c -o %t/loader.o

// RUN: for linker in bfd gold %if lld %{lld%}; do \
// RUN:   sh %S/Inputs/link.sh %t $linker %build/test/vgpu/libvgpu.so -Wl,-rpath,%build/test/vgpu || exit 1; \
// RUN: done

// Assembly of the program's own may be in the other syntax.
// RUN: %vgpu-kesco -O2 -fPIC -masm=intel -DONE %s -c -o %t/ONE.intel.o
// RUN: clang++ %t/main.o %t/ONE.intel.o %t/TWO.0.o %t/THREE.0.o %build/test/vgpu/libvgpu.so -Wl,-rpath,%build/test/vgpu -o %t/intel
// RUN: %t/intel | grep -x 'one, 12'

#if defined(MAIN)

void one();
void two();
void three();

int main() {
    one();
    two();
    three();
}

#elif defined(LOADER)

#include <dlfcn.h>

// Loaded, used, unloaded, and loaded again: each time with a runtime of its own.
int main(int, char **arguments) {
    const char *const units[] = {"_Z3onev", "_Z3twov", "_Z5threev"};
    for (const char *name : units) {
        void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
        if (!library)
            return 1;
        reinterpret_cast<void (*)()>(dlsym(library, name))();
        dlclose(library);
        if (dlopen(arguments[1], RTLD_NOW | RTLD_NOLOAD))
            return 2;
    }
}

#else

#include <stdio.h>
#include <string.h>

static __global__ void set(int *to, int value) { *to = value; }
static __global__ void add(int *to, const int *a, const int *b) { *to = *a + *b; }

// Texts that the runtime has, or ends of them.
static const char *const texts[] = {"",   "s",    "w",    ", ",   "f",         "M",         "X",      "op",
                                    "cat", "lane", "line", "name", "KESCO_LOG", "libcuda.so.1", "all\n", "}}\n"};

#ifdef ONE
#define UNIT one
#elif defined(TWO)
#define UNIT two
#else
#define UNIT three
#endif
#define TEXT(UNIT) TEXT_OF(UNIT)
#define TEXT_OF(UNIT) #UNIT

void UNIT() {
    int *a, *b, *c, *d, result;
    unsigned long length = 0;
    for (const char *text : texts)
        length += strlen(text);
    cudaMalloc(&a, sizeof *a);
    cudaMalloc(&b, sizeof *b);
    cudaMalloc(&c, sizeof *c);
    cudaMalloc(&d, sizeof *d);
    set<<<1, 1>>>(a, 4);
    set<<<1, 1>>>(b, 2);
    add<<<1, 1>>>(c, a, b);
    add<<<1, 1>>>(d, c, c);
    cudaMemcpy(&result, d, sizeof result, cudaMemcpyDeviceToHost);
    fputs(TEXT(UNIT), stdout);
    fputs(length > 3 ? ", " : "", stdout);
    printf("%d%s", result, "\n");
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFree(d);
}

#endif
