#include "test/summary/same.h"

#include <stdlib.h>
#include <string.h>

int allocations_left = -1;

void *__real_malloc(size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);

static bool fails(void) {
    if (allocations_left > 0)
        allocations_left--;
    return allocations_left == 0;
}

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *memory, size_t size) {
    return fails() ? NULL : __real_realloc(memory, size);
}

char *__wrap_strdup(const char *text) {
    return fails() ? NULL : __real_strdup(text);
}

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_parameters(const struct kesco_summary *a, const struct kesco_summary *b) {
    bool same = a->parameter_count == b->parameter_count;
    for (size_t i = 0; same && i < a->parameter_count; i++) {
        const struct kesco_parameter_access *one = &a->parameters[i], *other = &b->parameters[i];
        same = one->parameter == other->parameter && one->offset == other->offset &&
               one->effect == other->effect && same_text(one->written_at, other->written_at);
    }
    return same;
}

static bool same_variables(const struct kesco_summary *a, const struct kesco_summary *b) {
    bool same = a->variable_count == b->variable_count;
    for (size_t i = 0; same && i < a->variable_count; i++) {
        const struct kesco_variable_access *one = &a->variables[i], *other = &b->variables[i];
        same = same_text(one->name, other->name) && one->effect == other->effect && one->kind == other->kind;
    }
    return same;
}

static bool same_summary(const struct kesco_summary *a, const struct kesco_summary *b) {
    return same_text(a->name, b->name) && same_parameters(a, b) && same_variables(a, b) &&
           a->flags == b->flags && a->work == b->work && same_text(a->work_range, b->work_range) &&
           a->beyond.effect == b->beyond.effect && same_text(a->beyond.why, b->beyond.why) &&
           same_text(a->beyond.at, b->beyond.at) && a->hidden.runs == b->hidden.runs &&
           same_text(a->hidden.why, b->hidden.why) && same_text(a->hidden.at, b->hidden.at);
}

bool same_summaries(const struct kesco_summaries *a, const struct kesco_summaries *b) {
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = same_summary(&a->items[i], &b->items[i]);
    return same;
}
