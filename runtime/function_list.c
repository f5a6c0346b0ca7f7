#include "runtime/function_list.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool stands_for(const char *name, const char *function) {
    const size_t size = strlen(name);

    return strncmp(function, name, size) == 0 && strchr("(<", function[size]) != NULL;
}

bool kesco_function_list_has(struct kesco_function_list *list, const char *function) {
    bool found = false;
    uint32_t i;

    for (i = 0; i < list->count; i++)
        if (stands_for(list->names[i].text, function)) {
            __atomic_store_n(&list->names[i].found, true, __ATOMIC_RELAXED);
            found = true;
        }
    return found;
}

/* Adds the name between these places, without spaces at both ends. Returns 0 or -EINVAL. */
static int add_name(struct kesco_function_list *list, char *begin, char *end) {
    while (*begin == ' ')
        begin++;
    while (end > begin && end[-1] == ' ')
        end--;
    *end = '\0';
    list->names[list->count++].text = begin;
    return begin < end ? 0 : -EINVAL;
}

/* There is room for as many names as the text has characters, and one more. */
static int split(struct kesco_function_list *list) {
    char *begin = list->text, *at = begin;
    int depth = 0;

    for (; *at != '\0'; at++) {
        depth += strchr("([{<", *at) != NULL;
        depth -= strchr(")]}>", *at) != NULL;
        if (*at != ',' || depth != 0)
            continue;
        if (add_name(list, begin, at) != 0)
            return -EINVAL;
        begin = at + 1;
    }
    return depth == 0 ? add_name(list, begin, at) : -EINVAL;
}

int kesco_function_list_read(struct kesco_function_list *list, const char *text) {
    int status = -ENOMEM;

    list->count = 0;
    list->text = strdup(text);
    list->names = calloc(strlen(text) + 1, sizeof *list->names);
    if (list->text != NULL && list->names != NULL)
        status = split(list);
    if (status != 0)
        kesco_function_list_clear(list);
    return status;
}

void kesco_function_list_clear(struct kesco_function_list *list) {
    free(list->names);
    free(list->text);
    *list = (struct kesco_function_list){0};
}
