/*
 * Functions by name, as KESCO_ONLY and the plugin's option `only` list them: NAME[,NAME...]. Commas within
 * brackets are part of a name.
 *
 * A name stands for each function whose demangled name (Itanium C++ ABI, as LLVM's demangler writes it, and
 * as reports have it) it is, or begins, up to a "(" or "<": "ns::run" is ns::run(int) and ns::run(float).
 */
#ifndef KESCO_RUNTIME_FUNCTION_LIST_H
#define KESCO_RUNTIME_FUNCTION_LIST_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kesco_function_name {
    const char *text; /* in the list's text */
    bool found;       /* it stands for a function that was asked for */
};

struct kesco_function_list {
    char *text; /* the list's own; ends each name with '\0' */
    struct kesco_function_name *names;
    uint32_t count;
};

/*
 * Reads the list that `text` is into `*list`, which is to be cleared in the end. Returns 0, -ENOMEM, or
 * -EINVAL where there is a name with nothing in it or with brackets that are not in pairs; there is nothing
 * to clear then.
 */
int kesco_function_list_read(struct kesco_function_list *list, const char *text);

/*
 * True if a name of the list stands for the function of this demangled name. Marks all that do. Threads may
 * call it at once.
 */
bool kesco_function_list_has(struct kesco_function_list *list, const char *function);

void kesco_function_list_clear(struct kesco_function_list *list);

#ifdef __cplusplus
}
#endif

#endif
