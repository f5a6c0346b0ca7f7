/*
 * clang++'s CUDA command line, sorted into what each step of vgpu-clang++ takes.
 */
#ifndef KESCO_TEST_VGPU_DRIVER_COMMAND_LINE_H
#define KESCO_TEST_VGPU_DRIVER_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* Strings in order; the array ends with a null pointer, as exec wants it. */
struct words {
    char **items;
    size_t count;
    size_t capacity;
};

/* Appends; the string is not copied. Ends the process if there is no memory. */
void words_add(struct words *words, const char *word);
void words_add_all(struct words *words, const struct words *more);
void words_free(struct words *words);

/* Joins two strings; never freed. Ends the process if there is no memory. */
char *join(const char *a, const char *b);

enum input_kind {
    INPUT_CUDA,   /* device and host compile */
    INPUT_SOURCE, /* plain host compile */
    INPUT_LINK,   /* object, library or linker flag: goes to the link as it stands */
};

struct input {
    enum input_kind kind;
    char *text;     /* the argument */
    char *language; /* of -x, or a null pointer */
};

struct flags {
    struct words common; /* of every step */
    struct words cuda;   /* of compiles of CUDA code only */
    struct words host;   /* of host compiles only: dependency files */
};

/* Where it ends, before the link. */
struct only {
    bool compile; /* -c */
    bool host;    /* -E, -M, -MM: the host compile alone, nothing is made */
    bool syntax;  /* -fsyntax-only */
};

struct depfile {
    bool wanted; /* -MD or -MMD */
    bool named;  /* -MF */
};

struct command_line {
    struct flags flags;
    struct input *inputs;
    size_t input_count;
    size_t source_count; /* inputs that are compiled */
    char *output;        /* of -o, or a null pointer */
    char *arch;          /* the highest one asked for, or a null pointer */
    char *cuda_path;     /* of --cuda-path, or a null pointer */
    bool relocatable;    /* -fgpu-rdc: device code is linked with that of other objects */
    struct only only;
    struct depfile depfile;
    bool verbose; /* -v or -###: print the steps; with -v, clang prints its own, too */
    bool dry_run; /* -### */
};

/*
 * Sorts the arguments (argv[0] left out). Returns 0, or 1 after a message about what is not modelled or
 * cannot be. The strings of argv are referred to, not copied.
 */
int command_line_parse(struct command_line *line, int argc, char **argv);
void command_line_free(struct command_line *line);

#endif
