/*
 * A program of classes: C++ as people write it with CUDA, whose members launch and wait behind each piece of
 * work. A base class has virtual members that main calls one after another, by objects of the derived ones.
 *
 * All ops of an object go to one stream, and its memory is its own. So while a member is written, it is known
 * which of its buffers ops in flight may touch: the host touches none of these, but waits first. A wait puts
 * an end to all that the object has in flight.
 *
 *   classes.c         chooses what the classes are
 *   classes_text.c    writes it: a header, a file for each unit, and how each is built
 *   classes_method.c  writes a member, statement by statement: blocks, and what only some members have;
 *   classes_work.c    launches,
 *   classes_host.c    and what the host does in between
 *   classes_wait.c    writes waits, and what a program does about errors
 */
#ifndef KESCO_TEST_FUZZ_CLASSES_H
#define KESCO_TEST_FUZZ_CLASSES_H

#include "test/fuzz/build.h"
#include "test/fuzz/generator.h"

enum { MOST_CLASSES = 2, MOST_MEMBERS = 5 };

enum class_memory { CLASS_DEVICE, CLASS_MANAGED, CLASS_MAPPED };

/* How a class holds its memory. */
enum class_hold { HOLD_POINTER, HOLD_VECTOR, HOLD_WRAPPER, HOLD_UNIQUE, HOLD_ARRAY };

enum class_stream { CLASS_DEFAULT, CLASS_BLOCKING, CLASS_NON_BLOCKING };

/* What the virtual members return. */
enum class_result { RESULT_VOID, RESULT_ERROR, RESULT_INT, RESULT_BOOL };

enum method { METHOD_ALLOC, METHOD_INIT, METHOD_EXECUTE, METHOD_CHECK, METHOD_GET, METHODS };

/* How an object comes to be. */
enum class_object { OBJECT_LOCAL, OBJECT_UNIQUE, OBJECT_NEW };

/* What the program does about an error. The number is its own where it returns, ends or throws one. */
enum consequence_kind { CONSEQUENCE_RETURN, CONSEQUENCE_EXIT, CONSEQUENCE_THROW };

struct consequence {
    enum consequence_kind kind;
    unsigned number;
};

enum wait_form {
    WAIT_BARE,   /* nobody looks at the error, */
    WAIT_STORED, /* or only later: a member has it */
    WAIT_TESTED, /* an if */
    WAIT_MACRO,
    WAIT_FUNCTION, /* is given the error */
    WAIT_HELPER,   /* a member waits */
    WAIT_ASKED,    /* by cudaGetLastError, behind the wait */
    WAIT_COUNTED,  /* a member counts those that fail; not in a program in which one does */
    WAIT_FORMS
};

struct class_buffer {
    enum class_memory memory;
    enum class_hold hold;
    bool inside; /* the second half of the allocation that the buffer before has the first of */
    bool viewed; /* another member leads to it, */
    bool middle; /* or into it */
};

/* A derived class. */
struct class_model {
    struct class_buffer buffers[MOST_MEMBERS];
    unsigned buffer_count;
    unsigned unit;
    enum class_stream stream;
    enum class_object object;
    enum wait_form helper; /* of its member that waits */
    struct consequence helper_consequence;
    bool managed; /* its objects are managed memory, and kernels count in them */
    bool settles; /* nothing is in flight where a member is called, or ends */
    bool device;  /* it waits for the device, not for its stream */
    bool child;   /* derived from the class before, of which it has all but what it overrides */
    int fails;    /* the member in which a kernel fails; -1 for none */
};

struct classes {
    struct class_model classes[MOST_CLASSES];
    unsigned class_count;
    struct build build;
    enum class_result result;
    bool fails; /* a kernel does. Then only what comes of that is printed */
    unsigned rounds;
    const char *element; /* type of what is in memory */
};

/* A member while it is written. */
/* Buffers, by bit. */
struct method_buffers {
    uint32_t pending; /* those that ops in flight may touch */
    uint32_t local;   /* those that local variables lead to */
    uint32_t seen;    /* those that local variables lead to for the host alone */
};

struct method_counts {
    unsigned depth;   /* of blocks */
    unsigned loops;   /* around what is written */
    unsigned names;   /* of variables so far */
    unsigned failing; /* so many pieces of work come before the one that fails */
};

/* What most of a method's waits are like. */
struct method_style {
    enum wait_form wait;
    struct consequence consequence;
    bool lazy; /* most ops have one after them */
    bool aims; /* at waits that are put off: they are alike, and the host does little in between */
};

struct method_text {
    struct generator *g;
    const struct classes *program;
    const struct class_model *model;
    unsigned index; /* of the class */
    enum method method;
    enum class_result result; /* what it returns */
    struct method_buffers buffers;
    struct method_counts counts;
    struct method_style style;
    bool streamed; /* a local variable has the object's stream */
};

/* The bit of the counter in a managed object. */
enum { TALLY = 31 };

/* classes.c. *program is empty. */
void choose_classes(struct generator *g, struct classes *program);

/* Some consequence that a member may have. */
struct consequence some_consequence(struct generator *g, enum class_result result);

/* classes_text.c: into `folder`; nowhere, if that is NULL. Returns false, with errno set, where a file cannot
 * be written. */
bool write_classes(struct generator *g, const struct classes *program, const char *folder);

/* classes_method.c */
void write_method(struct method_text *t);

/* Where a buffer is, as its class has it. */
const char *buffer_of_class(struct generator *g, const struct class_model *model, unsigned buffer);

/* The stream of the object, as an argument. */
const char *stream_here(const struct method_text *t);

/* classes_wait.c: waits for all that the object has in flight. */
void write_class_wait(struct method_text *t);

/* A member `sync` that waits. */
void write_sync(struct method_text *t);

/* Looks whether `call` returns an error, in the usual form. */
void write_checked(struct method_text *t, const char *call);

/* A type. */
const char *result_type(enum class_result result);

/* What a member returns if all is well, as a statement. */
const char *good_return(enum class_result result);

/* What the program does about an error `value`, as a statement. */
const char *consequence_text(struct generator *g, enum class_result result, struct consequence consequence,
                             const char *value);

#endif
