// Device variables, each by its name as the source has it.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %vgpu-kesco -std=c++17 -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

__device__ int counter, other;
__device__ float samples[256];
__constant__ float table[16];
__constant__ int limit = 5;
__device__ const int fixed[4] = {1, 2, 3, 4};
__constant__ const float fixed_constants[2] = {0.5f, 2};
static constexpr int compiled[4] = {4, 3, 2, 1};
static __device__ int hidden;
namespace sim {
__device__ int steps;
namespace {
__device__ int inner;
}
} // namespace sim
struct Settings {
    int width;
    float scale[2];
};
__constant__ Settings settings;
__device__ Settings changing;
struct Class {
    static __device__ int instances;
};
__device__ int Class::instances;
template <class T> __device__ T generic = 1;
__device__ volatile int shaky;
__device__ int *where;
__constant__ int *constant_where;
inline __device__ int inlined;

// ROW: sets: writes variable counter
__global__ void sets(void) { counter = 1; }

// ROW: gets: reads variable counter; writes out
__global__ void gets(int *out) { out[own()] = counter; }

// ROW: counts: reads variable counter; writes variable counter
__global__ void counts(void) { ++counter; }

// ROW: counts_atomically: reads variable counter; writes variable counter
__global__ void counts_atomically(void) { atomicAdd(&counter, 1); }

// ROW: moves: reads variable counter; writes variable other
__global__ void moves(void) { other = counter; }

// Parameters come first.
// ROW: beside_parameters: reads a, variable counter, variable other; writes a, variable samples
__global__ void beside_parameters(int *a) {
    samples[own()] = a[own()];
    a[own()] = counter + other;
}

// ROW: array_element: writes variable samples
__global__ void array_element(void) { samples[own() + 3] = 1; }

// ROW: array_by_pointer: reads variable samples; writes out
__global__ void array_by_pointer(float *out) {
    float sum = 0;
    for (const float *p = samples; p != samples + 256; ++p)
        sum += *p;
    out[own()] = sum;
}

// ROW: constant_array: reads in, variable table; writes out
__global__ void constant_array(float *out, const float *in) { out[own()] = in[own()] * table[threadIdx.x & 15]; }

// A __constant__ variable with a value can still be set by the host.
// ROW: constant_with_value: reads variable limit; writes out
__global__ void constant_with_value(int *out) { out[own()] = limit; }

// What is const in the source touches nothing.
// ROW: const_array: writes out
__global__ void const_array(int *out, int n) { out[own()] = fixed[n & 3]; }

// ROW: const_constant: writes out
__global__ void const_constant(float *out, int n) { out[own()] = fixed_constants[n & 1]; }

// ROW: constexpr_table: writes out
__global__ void constexpr_table(int *out, int n) { out[own()] = compiled[n & 3]; }

// ROW: local_constexpr_table: writes out
__global__ void local_constexpr_table(int *out, int n) {
    constexpr int squares[] = {0, 1, 4, 9};
    out[own()] = squares[n & 3];
}

// ROW: static_variable: reads variable hidden; writes variable hidden
__global__ void static_variable(int n) { hidden += n; }

// ROW: in_namespace: writes variable sim::steps
__global__ void in_namespace(int n) { sim::steps = n; }

// ROW: in_anonymous_namespace: writes variable sim::(anonymous namespace)::inner
__global__ void in_anonymous_namespace(int n) { sim::inner = n; }

// ROW: of_class: writes variable Class::instances
__global__ void of_class(int n) { Class::instances = n; }

// ROW: of_template: writes variable generic<{{int|float}}>, variable generic<{{int|float}}>
__global__ void of_template(int n) {
    generic<int> = n;
    generic<float> = 2;
}

// ROW: inline_variable: writes variable inlined
__global__ void inline_variable(int n) { inlined = n; }

// ROW: volatile_variable: reads variable shaky; writes out
__global__ void volatile_variable(int *out) { out[own()] = shaky; }

// ROW: constant_member: reads variable settings; writes out
__global__ void constant_member(float *out) { out[own()] = settings.scale[own() & 1]; }

// ROW: variable_member: writes variable changing
__global__ void variable_member(int n) { changing.width = n; }

static __device__ __noinline__ int next_number(void) {
    static int numbers;
    return ++numbers;
}
// ROW: static_in_function: reads variable next_number()::numbers; writes out, variable next_number()::numbers
__global__ void static_in_function(int *out) { out[own()] = next_number(); }

// ROW: static_in_kernel: reads variable static_in_kernel(int)::runs; writes variable static_in_kernel(int)::runs
__global__ void static_in_kernel(int n) {
    static int runs;
    runs += n;
}

static __device__ __noinline__ void store_deeply(int n) { counter = n; }
static __device__ __noinline__ void pass_on(int n) { store_deeply(n); }
// ROW: through_functions: writes a, variable counter
__global__ void through_functions(int *a, int n) {
    a[own()] = 1;
    pass_on(n);
}

static __device__ __noinline__ void store_at(int *p, int n) { *p = n; }
// ROW: as_argument: writes variable other
__global__ void as_argument(int n) { store_at(&other, n); }

// ROW: chosen: writes a, variable counter
__global__ void chosen(int *a, int n) { *(n ? a : &counter) = n; }

static __device__ int &by_name(void) { return other; }
// ROW: by_returned_reference: reads variable other; writes variable other
__global__ void by_returned_reference(void) { by_name() += 1; }

// An address is no access.
// ROW: address_only: writes out
__global__ void address_only(unsigned long *out) { out[own()] = (unsigned long)&counter; }

// ROW: pointer_variable_set: writes variable where
__global__ void pointer_variable_set(int *a) { where = a; }

// ROW: by_pointer_variable: reads variable where; writes memory that no argument names: {{[^;]*}}
__global__ void by_pointer_variable(void) { where[own()] = 1; }

// ROW: by_constant_pointer: reads variable constant_where; writes out; reads memory that no argument names: {{[^;]*}}
__global__ void by_constant_pointer(int *out) { out[own()] = constant_where[own()]; }

// ROW: variable_by_cache: reads variable samples; writes out
__global__ void variable_by_cache(float *out) { out[own()] = __ldg(&samples[own()]); }
