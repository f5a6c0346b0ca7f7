// Calls whose callee the source does not name: exact where it can be told, else code that is not seen.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %vgpu-kesco -std=c++17 -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

typedef void (*Operation)(int *);
static __device__ void store_one(int *a) { a[own()] = 1; }
static __device__ void double_up(int *a) { a[own()] *= 2; }
static __device__ __noinline__ void apply(Operation operation, int *a) { operation(a); }
template <Operation OPERATION> static __device__ void apply_constant(int *a) { OPERATION(a); }

__device__ Operation changing[2] = {store_one, double_up};
__device__ const Operation fixed[2] = {store_one, double_up};

// ROW: by_constant_pointer: writes a
__global__ void by_constant_pointer(int *a) {
    Operation operation = store_one;
    operation(a);
}

// ROW: by_template_argument: writes a
__global__ void by_template_argument(int *a) { apply_constant<store_one>(a); }

// conservative: a callee that is an argument of a function may count as unseen
// ROW: by_argument: {{writes a|(.*; )?runs code that is not seen: .*}}
__global__ void by_argument(int *a) { apply(store_one, a); }

// conservative: so may one of several
// ROW: by_choice: {{reads a; writes a|(.*; )?runs code that is not seen: .*}}
__global__ void by_choice(int *a, int n) {
    Operation operation = n ? store_one : double_up;
    operation(a);
}

// conservative: so may one in a table, though it never changes
// ROW: by_fixed_table: {{reads a; writes a|(.*; )?runs code that is not seen: .*}}
__global__ void by_fixed_table(int *a, int n) { fixed[n & 1](a); }

// The host can put other functions into the table.
// ROW: by_changing_table: {{(.*; )?}}runs code that is not seen: it calls a function through a pointer (line {{[0-9]+}})
__global__ void by_changing_table(int *a, int n) { changing[n & 1](a); }

// ROW: by_parameter: {{(.*; )?}}runs code that is not seen: it calls a function through a pointer (line {{[0-9]+}})
__global__ void by_parameter(int *a, Operation operation) { operation(a); }

// ROW: by_number: {{(.*; )?}}runs code that is not seen: it calls a function through a pointer (line {{[0-9]+}})
__global__ void by_number(int *a, unsigned long address) { ((Operation)address)(a); }

// ROW: by_memory: {{(.*; )?}}runs code that is not seen: it calls a function through a pointer (line {{[0-9]+}})
__global__ void by_memory(int *a, const Operation *operations) { operations[own()](a); }

// A function's address alone runs nothing.
// ROW: not_called: writes there
__global__ void not_called(Operation *there, int *a) { there[own()] = store_one; }

struct Shape {
    int *count;
    __device__ Shape(int *count) : count(count) {}
    __device__ virtual void draw() { count[own()] = 1; }
};
struct Circle : Shape {
    int *other;
    __device__ Circle(int *count, int *other) : Shape(count), other(other) {}
    __device__ void draw() override { other[own()] = 1; }
};
struct Square final : Shape {
    using Shape::Shape;
    __device__ void draw() override { count[own()] += 1; }
};

// ROW: not_virtually: writes a
__global__ void not_virtually(int *a, int *b) { Circle(a, b).Shape::draw(); }

// ROW: by_final: reads a; writes a
__global__ void by_final(int *a) {
    Square square(a);
    square.draw();
}

// conservative: callees found in a table of virtual functions may count as unseen
// ROW: by_known_object: {{writes b|(.*; )?runs code that is not seen: .*}}
__global__ void by_known_object(int *a, int *b) {
    Circle circle(a, b);
    Shape *any = &circle;
    any->draw();
}

// ROW: by_unknown_object: {{(.*; )?}}runs code that is not seen: it calls a function through a pointer (line {{[0-9]+}})
__global__ void by_unknown_object(Shape *shape) { shape->draw(); }

typedef void (Shape::*Member)();
// ROW: by_member_pointer_parameter: {{(.*; )?}}runs code that is not seen: it calls a function through a pointer (line {{[0-9]+}})
__global__ void by_member_pointer_parameter(int *a, Member member) {
    Shape shape(a);
    (shape.*member)();
}

// ROW: by_stateless_lambda: writes a
__global__ void by_stateless_lambda(int *a) {
    Operation operation = [](int *p) { p[own()] = 1; };
    operation(a);
}
