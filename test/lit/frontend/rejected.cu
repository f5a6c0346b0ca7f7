// What an annotation cannot mean is an error at the argument that is wrong.
// RUN: %kesco-host -fsyntax-only -ferror-limit=0 -Xclang -verify %s
// RUN: %kesco --cuda-device-only -fsyntax-only -ferror-limit=0 -Xclang -verify %s

// expected-note@+2 {{kernel 'too_many' is declared here}}
// expected-error@+1 {{'kesco_outputs' says that 3 pointer parameters are written, but kernel 'too_many' has only 2}}
__attribute__((kesco_outputs(3))) __global__ void too_many(float *y, const float *x, int n);

// expected-note@+2 {{kernel 'no_name' is declared here}}
// expected-error@+1 {{'kesco_outputs' names 'z', which is no parameter of kernel 'no_name'}}
__attribute__((kesco_outputs("y", "z"))) __global__ void no_name(float *y, const float *x);

// expected-note@+2 {{kernel 'no_pointer' is declared here}}
// expected-error@+1 {{'kesco_outputs' names parameter 'n' of kernel 'no_pointer', which is no pointer}}
__attribute__((kesco_outputs("n"))) __global__ void no_pointer(float *y, int n);
// expected-note@+2 {{kernel 'only_code' is declared here}}
// expected-error@+1 {{'kesco_outputs' says that 2 pointer parameters are written, but kernel 'only_code' has only 1}}
__attribute__((kesco_outputs(2))) __global__ void only_code(float *y, void (*f)());

// expected-error@+1 {{'kesco_outputs' only applies to kernels (__global__ functions)}}
__attribute__((kesco_outputs(1))) void host_function(float *y);
// expected-error@+1 {{'kesco_priority' only applies to kernels (__global__ functions)}}
__attribute__((kesco_priority(1))) __device__ void device_function(float *y);
// expected-error@+1 {{'kesco_outputs' only applies to kernels (__global__ functions)}}
__attribute__((kesco_outputs(1))) int variable;
// expected-error@+1 {{'kesco_outputs' only applies to kernels (__global__ functions)}}
struct __attribute__((kesco_outputs(1))) type {};

// expected-note@+1 {{the earlier annotation is here}}
__attribute__((kesco_outputs(1)))
// expected-error@+1 {{'kesco_outputs' disagrees with an earlier annotation of kernel 'twice'}}
__attribute__((kesco_outputs(2))) __global__ void twice(float *y, float *z);

// expected-note@+1 {{the earlier annotation is here}}
__attribute__((kesco_outputs("y"))) __global__ void redeclared(const float *x, float *y);
// expected-error@+1 {{'kesco_outputs' disagrees with an earlier annotation of kernel 'redeclared'}}
__attribute__((kesco_outputs(1))) __global__ void redeclared(const float *x, float *y);

// expected-note@+1 {{the earlier annotation is here}}
__attribute__((kesco_priority(1))) __global__ void urgency(float *y);
// expected-error@+1 {{'kesco_priority' disagrees with an earlier annotation of kernel 'urgency'}}
__attribute__((kesco_priority(2))) __global__ void urgency(float *y);

// expected-error@+1 {{argument of 'kesco_outputs' must be a non-negative integer constant or the names of parameters in quotes}}
__attribute__((kesco_outputs(-1))) __global__ void negative(float *y);
// expected-error@+1 {{argument of 'kesco_outputs' must be a non-negative integer constant or the names of parameters in quotes}}
__attribute__((kesco_outputs(1.5))) __global__ void real(float *y);
// expected-error@+1 {{argument of 'kesco_outputs' must be a non-negative integer constant or the names of parameters in quotes}}
__attribute__((kesco_outputs(4294967297))) __global__ void huge(float *y);
// expected-error@+1 {{argument of 'kesco_outputs' must be a non-negative integer constant or the names of parameters in quotes}}
template <int N> __attribute__((kesco_outputs(N))) __global__ void dependent(float *y);
int runtime_value;
// expected-error@+1 {{argument of 'kesco_outputs' must be a non-negative integer constant or the names of parameters in quotes}}
__attribute__((kesco_outputs(runtime_value))) __global__ void not_constant(float *y);
// expected-error@+1 {{argument of 'kesco_priority' must be an integer constant}}
__attribute__((kesco_priority("high"))) __global__ void text_priority(float *y);
// expected-error@+1 {{'kesco_outputs' takes either one number or names in quotes, not both}}
__attribute__((kesco_outputs(1, "y"))) __global__ void mixed(float *y);
// expected-error@+1 {{'kesco_outputs' attribute takes at least 1 argument}}
__attribute__((kesco_outputs)) __global__ void no_argument(float *y);
// expected-error@+1 {{'kesco_priority' attribute takes one argument}}
__attribute__((kesco_priority(1, 2))) __global__ void two_priorities(float *y);
