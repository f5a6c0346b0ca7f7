#include "runtime/watch/output.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool kesco_output_is_written(FILE *file) {
    return fflush(file) == 0 && !ferror(file);
}

static bool write_to(const char *path, kesco_output_print *print) {
    FILE *file = fopen(path, "w");
    bool written;

    if (file == NULL)
        return false;
    written = print(file);
    return fclose(file) == 0 && written;
}

static bool replace(const char *path, kesco_output_print *print) {
    const size_t size = strlen(path) + 32;
    char *temporary = malloc(size);
    bool done = false;
    int error;

    if (temporary == NULL)
        return false;
    snprintf(temporary, size, "%s.%ld.tmp", path, (long)getpid());
    done = write_to(temporary, print) && rename(temporary, path) == 0;
    if (!done) {
        error = errno;
        remove(temporary);
        errno = error;
    }
    free(temporary);
    return done;
}

/* True for what nothing is to be put in the place of: a device, a pipe, a folder, a link to any file, as
 * /dev/stdout is. */
static bool is_special(const char *path) {
    struct stat status;

    return lstat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

void kesco_output_write(const char *variable, const char *path, kesco_output_print *print) {
    if (!(is_special(path) ? write_to(path, print) : replace(path, print)))
        fprintf(stderr, "kesco: %s='%s' cannot be written: %s\n", variable, path, strerror(errno));
}
