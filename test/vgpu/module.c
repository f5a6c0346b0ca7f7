#define _GNU_SOURCE
#include "test/vgpu/module.h"

#include "test/vgpu/memory.h"
#include "test/vgpu/settings.h"
#include "test/vgpu/storage.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DEFAULT_DYNAMIC_SHARED = 48 << 10 };

struct module {
    const struct vgpu_module *image;
    const void *load_base; /* where the loader put it */
    void **initial;        /* by variable: a copy of its initial value */
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
static void add_variables(struct module *module) {
    const struct vgpu_module *image = module->image;
    module->initial = allocate(image->var_count, sizeof(*module->initial));
    for (uint32_t i = 0; i < image->var_count; i++) {
        const struct vgpu_var *var = &image->vars[i];
        module->initial[i] = duplicate(var->address, var->size);
        memory_add_symbol(var->address, var->size, var->name);
    }
}

struct module *module_load(const struct fat_binary_wrapper *wrapper) {
    const struct vgpu_image_header *header = wrapper->image;
    if (wrapper->magic != FAT_BINARY_MAGIC ||
        memcmp(header->magic, VGPU_IMAGE_MAGIC, sizeof(header->magic)) != 0)
        die(EXIT_UNMODELLED, "the program has device code for a GPU: it was not built by vgpu-clang++");
    void *library = open_image(header);
    struct module *module = allocate(1, sizeof(*module));
    Dl_info info;
    module->image = dlsym(library, VGPU_MODULE_SYMBOL);
    if (!module->image || module->image->version != VGPU_MODULE_VERSION)
        die(EXIT_UNMODELLED, "a device image is not of version %u: build the program anew",
            VGPU_MODULE_VERSION);
    if (dladdr(module->image, &info))
        module->load_base = info.dli_fbase;
    add_variables(module);
    module->next = modules;
    modules = module;
    return module;
}

static const struct vgpu_kernel *find_kernel(const struct module *module, const char *name) {
    for (uint32_t i = 0; i < module->image->kernel_count; i++) {
        if (strcmp(module->image->kernels[i].name, name) == 0)
            return &module->image->kernels[i];
    }
    return NULL;
}

static const struct vgpu_var *find_var(const struct module *module, const char *name) {
    for (uint32_t i = 0; i < module->image->var_count; i++) {
        if (strcmp(module->image->vars[i].name, name) == 0)
            return &module->image->vars[i];
    }
    return NULL;
}

void module_add_function(struct module *module, const void *host, const char *name) {
    struct function *function = allocate(1, sizeof(*function));
    *function = (struct function){host, name, find_kernel(module, name), DEFAULT_DYNAMIC_SHARED};
    functions = resize(functions, (function_count + 1) * sizeof(struct function *));
    functions[function_count++] = function;
}

void module_add_symbol(struct module *module, const void *host, const char *name, size_t size) {
    const struct vgpu_var *var = find_var(module, name);
    struct symbol *symbol = allocate(1, sizeof(*symbol));
    *symbol = (struct symbol){host, var ? var->address : NULL, var ? var->size : size};
    symbols = resize(symbols, (symbol_count + 1) * sizeof(struct symbol *));
    symbols[symbol_count++] = symbol;
}

struct function *module_find_function(const void *host) {
    for (size_t i = 0; i < function_count; i++) {
        if (functions[i]->host == host)
            return functions[i];
    }
    return NULL;
}

struct symbol *module_find_symbol(const void *host) {
    for (size_t i = 0; i < symbol_count; i++) {
        if (symbols[i]->host == host)
            return symbols[i];
    }
    return NULL;
}

bool module_holds(const void *address) {
    Dl_info info;
    if (!dladdr(address, &info))
        return false;
    for (const struct module *module = modules; module; module = module->next) {
        if (module->load_base == info.dli_fbase)
            return true;
    }
    return false;
}

void module_reset(void) {
    for (const struct module *module = modules; module; module = module->next) {
        for (uint32_t i = 0; i < module->image->var_count; i++) {
            if (module->initial[i])
                memcpy(module->image->vars[i].address, module->initial[i], module->image->vars[i].size);
        }
    }
    for (size_t i = 0; i < function_count; i++)
        functions[i]->dynamic_shared_limit = DEFAULT_DYNAMIC_SHARED;
}
