/* Device printf, which clang lowers to vprintf(format, arguments packed at their natural alignment). */
#include "test/vgpu/device.h"
#include "test/vgpu/exec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SPEC_LIMIT = 64 };

/* Reads the next argument from the packed buffer. */
static uint64_t take(const char **arguments, size_t size) {
    uint64_t value = 0;
    const uintptr_t at = ((uintptr_t)*arguments + size - 1) & ~(uintptr_t)(size - 1);
    memcpy(&value, (const void *)at, size);
    *arguments = (const char *)(at + size);
    return value;
}

static double take_double(const char **arguments) {
    const uint64_t bits = take(arguments, sizeof(double));
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Bytes of an integer argument with the length modifiers of `spec`. */
static size_t integer_size(const char *spec) {
    return strpbrk(spec, "ljzt") ? sizeof(uint64_t) : sizeof(uint32_t);
}

__attribute__((format(printf, 1, 0))) static void print(const char *spec, ...) {
    va_list list;
    va_start(list, spec);
    vprintf(spec, list);
    va_end(list);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"

/* Prints one argument; `spec` is its conversion, from the percent sign on. */
static void print_argument(const char *spec, char conversion, const char **arguments) {
    if (strchr("aAeEfFgG", conversion))
        print(spec, take_double(arguments));
    else if (conversion == 's' || conversion == 'p')
        print(spec, (void *)(uintptr_t)take(arguments, sizeof(void *)));
    else if (integer_size(spec) == sizeof(uint64_t) && conversion != 'c')
        print(spec, take(arguments, sizeof(uint64_t)));
    else
        print(spec, (uint32_t)take(arguments, sizeof(uint32_t)));
}

#pragma GCC diagnostic pop

/* Appends text to a conversion, within its limit. */
static void append(char *spec, size_t *length, const char *text, size_t size) {
    if (*length + size >= SPEC_LIMIT)
        return;
    memcpy(spec + *length, text, size);
    *length += size;
    spec[*length] = 0;
}

/* Copies a conversion to `spec`, with each '*' replaced by its argument. Returns the conversion's letter. */
static const char *read_spec(const char *format, char *spec, const char **arguments) {
    size_t length = 0;
    append(spec, &length, format++, 1);
    for (; *format && strchr("-+ #0123456789.*hlLjztq", *format); format++) {
        if (*format == '*') {
            char number[16];
            const int size =
                snprintf(number, sizeof(number), "%d", (int32_t)take(arguments, sizeof(int32_t)));
            append(spec, &length, number, (size_t)size);
        } else {
            append(spec, &length, format, 1);
        }
    }
    append(spec, &length, format, *format != 0);
    return format;
}

/* Returns the number of arguments, as CUDA's printf does. */
VGPU_DEVICE_FN(int32_t, vgpu_fn_vprintf, const char *format, const char *arguments) {
    int32_t count = 0;
    if (!format)
        return -1;
    vgpu_printed();
    while (*format) {
        const size_t plain = strcspn(format, "%");
        char spec[SPEC_LIMIT];
        fwrite(format, 1, plain, stdout);
        format += plain;
        if (!*format)
            break;
        format = read_spec(format, spec, &arguments);
        if (*format == '%') {
            putchar('%');
        } else if (*format && strchr("diouxXcaAeEfFgGsp", *format)) {
            print_argument(spec, *format, &arguments);
            count++;
        } else {
            fputs(spec, stdout);
        }
        format += *format != 0;
    }
    return count;
}
