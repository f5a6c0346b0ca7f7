// Pointers that come out of memory: what they lead to has no name.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %vgpu-kesco -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

#include <stdint.h>

struct View {
    float *data;
    int length;
};
struct Node {
    int value;
    Node *next;
};
struct Tree {
    Tree *left, *right;
    int key;
};
struct ByReference {
    View *view;
};

// ROW: loads_pointer: reads p; writes memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void loads_pointer(int **p) { p[0][own()] = 1; }

// ROW: reads_by_loaded_pointer: reads p; writes out; reads memory that no argument names: {{[^;]*}}
__global__ void reads_by_loaded_pointer(int *out, int *const *p) { out[own()] = *p[own()]; }

// ROW: changes_by_loaded_pointer: reads p; reads and writes memory that no argument names: {{[^;]*}}
__global__ void changes_by_loaded_pointer(int **p) { p[own()][0] += 1; }

// ROW: three_deep: reads p; reads and writes memory that no argument names: {{[^;]*}}
__global__ void three_deep(int ***p) { p[0][1][own()] = 1; }

// ROW: loads_view: reads view; writes memory that no argument names: {{[^;]*}}
__global__ void loads_view(const View *view) {
    if (own() < view->length)
        view->data[own()] = 1;
}

// ROW: loads_view_of_struct: reads s.view; writes memory that no argument names: {{[^;]*}}
__global__ void loads_view_of_struct(ByReference s) { s.view->data[own()] = 1; }

// The member that is no pointer alone leads nowhere.
// ROW: loads_length: reads view; writes out
__global__ void loads_length(int *out, const View *view) { out[own()] = view->length; }

// ROW: list_sum: reads node; writes out; reads memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void list_sum(int *out, const Node *node) {
    int sum = 0;
    for (; node; node = node->next)
        sum += node->value;
    out[own()] = sum;
}

// ROW: list_append: reads node; writes node; reads and writes memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void list_append(Node *node, Node *added) {
    while (node->next)
        node = node->next;
    node->next = added;
}

static __device__ bool contains(const Tree *tree, int key) {
    return tree && (tree->key == key || contains(key < tree->key ? tree->left : tree->right, key));
}
// ROW: tree_search: reads tree; writes out; reads memory that no argument names: {{[^;]*}}
__global__ void tree_search(int *out, const Tree *tree, int key) { out[own()] = contains(tree, key); }

// Storing a pointer writes its place, and not what it leads to.
// ROW: stores_pointer: writes slots
__global__ void stores_pointer(int **slots, int *a) { slots[own()] = a; }

// ROW: moves_pointer: reads from; writes to
__global__ void moves_pointer(int **to, int *const *from) { to[own()] = from[own()]; }

// ROW: links: writes a, b
__global__ void links(Node *a, Node *b) {
    a->next = b;
    b->next = a;
}

// ROW: stores_and_loads: reads slots; writes slots; writes memory that no argument names: {{[^;]*}}
__global__ void stores_and_loads(int **slots, int *a, int n) {
    slots[own()] = a;
    __syncthreads();
    slots[n][own()] = 1;
}

// ROW: loaded_number: reads addresses; writes memory that no argument names: {{[^;]*}}
__global__ void loaded_number(const uintptr_t *addresses) { *(int *)addresses[own()] = 1; }

// An index out of memory stays with its array.
// ROW: loaded_index: reads index; writes a
__global__ void loaded_index(int *a, const long *index) { a[index[own()]] = 1; }

// ROW: loaded_offset: reads s; writes a
__global__ void loaded_offset(char *a, const size_t *s) { *(float *)(a + s[own()]) = 1; }

// conservative: of the two, both may count as one without a name
// ROW: loaded_or_given: reads slots; {{(writes a; )?}}writes memory that no argument names: {{[^;]*}}
__global__ void loaded_or_given(int **slots, int *a, int n) { (n ? slots[n] : a)[own()] = 1; }

struct Rows {
    float *rows[4];
};
// ROW: array_in_memory: reads r; writes memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void array_in_memory(const Rows *r, int n) { r->rows[n & 3][own()] = 1; }

// ROW: copied_out_of_memory: reads r; writes memory that no argument names: {{[^;]*}}
__global__ void copied_out_of_memory(const Rows *r) {
    Rows mine = *r;
    mine.rows[2][own()] = 1;
}

// ROW: atomically_taken: reads head; writes head; writes memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void atomically_taken(unsigned long long *head, unsigned long long next) {
    *(int *)atomicExch(head, next) = 1;
}
