#define _GNU_SOURCE
#include "test/vgpu/module.h"

#include "test/vgpu/engine.h"
#include "test/vgpu/memory.h"
#include "test/vgpu/settings.h"
#include "test/vgpu/storage.h"
#include "test/vgpu/summary_check.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DEFAULT_DYNAMIC_SHARED = 48 << 10 };

/* An image as one device has it: its variables are its own. */
struct module_image {
    const struct vgpu_module *content;
    const void *load_base; /* where the loader put it */
    void **initial;        /* by variable: a copy of its initial value */
};

struct module {
    struct module_image images[DEVICE_LIMIT]; /* by device */
    struct kesco_summaries summaries;         /* of its kernels, where they are checked */
    struct module *next;
};

/* Stays loaded until the process ends: unregistering comes at exit, and ops of its kernels may be pending. */
static struct module *modules;
static struct function **functions;
static size_t function_count;
static struct symbol **symbols;
static size_t symbol_count;

/* Puts the image into a file that has no name, for dlopen. Returns its descriptor. */
static int write_image(const struct vgpu_image_header *header) {
    const char *at = (const char *)(header + 1);
    size_t left = header->size;
    const int file = memfd_create("vgpu-image", MFD_CLOEXEC);
    while (file >= 0 && left) {
        const ssize_t written = write(file, at, left);
        if (written < 0 && errno != EINTR)
            die(EXIT_FAILURE, "a device image cannot be written to memory: %s", strerror(errno));
        at += written > 0 ? written : 0;
        left -= written > 0 ? (size_t)written : 0;
    }
    if (file < 0)
        die(EXIT_FAILURE, "a device image cannot be written to memory: %s", strerror(errno));
    return file;
}

/* The file stays open: dlopen takes a name that it has seen before for the library that it loaded under it.
 */
static void *open_image(const struct vgpu_image_header *header) {
    char path[64];
    const int file = write_image(header);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        die(EXIT_UNMODELLED, "a device image cannot be loaded: %s", dlerror());
    return library;
}

/* Variables are allocations, and a reset needs their initial values. */
static void add_variables(struct module_image *image, int device) {
    const struct vgpu_module *content = image->content;
    image->initial = allocate(content->var_count, sizeof(*image->initial));
    for (uint32_t i = 0; i < content->var_count; i++) {
        const struct vgpu_var *var = &content->vars[i];
        image->initial[i] = duplicate(var->address, var->size);
        memory_add_symbol(var->address, var->size, var->name, device);
    }
}

static void load(struct module_image *image, const struct vgpu_image_header *header, int device) {
    Dl_info info;
    image->content = dlsym(open_image(header), VGPU_MODULE_SYMBOL);
    if (!image->content || image->content->version != VGPU_MODULE_VERSION)
        die(EXIT_UNMODELLED, "a device image is not of version %u: build the program anew",
            VGPU_MODULE_VERSION);
    if (dladdr(image->content, &info))
        image->load_base = info.dli_fbase;
    add_variables(image, device);
}

struct module *module_load(const struct fat_binary_wrapper *wrapper) {
    const struct vgpu_image_header *header = wrapper->image;
    if (wrapper->magic != FAT_BINARY_MAGIC ||
        memcmp(header->magic, VGPU_IMAGE_MAGIC, sizeof(header->magic)) != 0)
        die(EXIT_UNMODELLED, "the program has device code for a GPU: it was not built by vgpu-clang++");
    struct module *module = allocate(1, sizeof(*module));
    for (int device = 0; device < settings.devices; device++)
        load(&module->images[device], header, device);
    if (settings.check_races)
        summary_check_load(&module->summaries, header + 1, header->size, module->images[0].content);
    module->next = modules;
    modules = module;
    return module;
}

static const struct vgpu_kernel *find_kernel(const struct vgpu_module *content, const char *name) {
    for (uint32_t i = 0; i < content->kernel_count; i++) {
        if (strcmp(content->kernels[i].name, name) == 0)
            return &content->kernels[i];
    }
    return NULL;
}

static const struct vgpu_var *find_var(const struct vgpu_module *content, const char *name) {
    for (uint32_t i = 0; i < content->var_count; i++) {
        if (strcmp(content->vars[i].name, name) == 0)
            return &content->vars[i];
    }
    return NULL;
}

static void add_function(struct function made) {
    functions = resize(functions, (function_count + 1) * sizeof(struct function *));
    functions[function_count++] = duplicate(&made, sizeof(made));
}

void module_add_function(struct module *module, const void *host, const char *name) {
    const struct kesco_summary *summary = kesco_summaries_find(&module->summaries, name);
    for (int device = 0; device < settings.devices; device++) {
        const struct vgpu_kernel *kernel = find_kernel(module->images[device].content, name);
        add_function((struct function){host, device, name, kernel, summary, DEFAULT_DYNAMIC_SHARED});
    }
}

static void add_symbol(struct symbol made) {
    symbols = resize(symbols, (symbol_count + 1) * sizeof(struct symbol *));
    symbols[symbol_count++] = duplicate(&made, sizeof(made));
}

void module_add_symbol(struct module *module, const void *host, const char *name, size_t size) {
    for (int device = 0; device < settings.devices; device++) {
        const struct vgpu_var *var = find_var(module->images[device].content, name);
        add_symbol((struct symbol){host, device, var ? var->address : NULL, var ? var->size : size});
    }
}

struct function *module_find_function(const void *host) {
    for (size_t i = 0; i < function_count; i++) {
        if (functions[i]->host == host && functions[i]->device == thread_state.device)
            return functions[i];
    }
    return NULL;
}

struct symbol *module_find_symbol(const void *host) {
    for (size_t i = 0; i < symbol_count; i++) {
        if (symbols[i]->host == host && symbols[i]->device == thread_state.device)
            return symbols[i];
    }
    return NULL;
}

static bool has_load_base(const struct module *module, const void *base) {
    for (int device = 0; device < settings.devices; device++) {
        if (module->images[device].load_base == base)
            return true;
    }
    return false;
}

bool module_holds(const void *address) {
    Dl_info info;
    if (!dladdr(address, &info))
        return false;
    for (const struct module *module = modules; module; module = module->next) {
        if (has_load_base(module, info.dli_fbase))
            return true;
    }
    return false;
}

static void restore(const struct module_image *image) {
    for (uint32_t i = 0; i < image->content->var_count; i++) {
        if (image->initial[i])
            memcpy(image->content->vars[i].address, image->initial[i], image->content->vars[i].size);
    }
}

void module_reset(int device) {
    for (const struct module *module = modules; module; module = module->next)
        restore(&module->images[device]);
    for (size_t i = 0; i < function_count; i++) {
        if (functions[i]->device == device)
            functions[i]->dynamic_shared_limit = DEFAULT_DYNAMIC_SHARED;
    }
}
