/*
 * kesco-report: reads the reports of a build (plugin/report/read_report.h) and writes one page of HTML about
 * all of them (plugin/report/page.h).
 *
 * Status: 0, 1 for reports or a page that cannot be read or written, 2 for a bad command line.
 */
#define _GNU_SOURCE /* asprintf */

#include "plugin/report/page.h"
#include "plugin/report/read_report.h"
#include "plugin/tool/long_options.h"

#include <errno.h>
#include <fts.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum status {
    STATUS_OK = 0,
    STATUS_FAILED = 1, /* input or output that is bad, or cannot be read or written */
    STATUS_USAGE = 2,  /* bad command line */
};

static const char usage[] =
    "usage: kesco-report [-o PAGE.html] [--source-root=FOLDER] FOLDER|REPORT.json...\n"
    "\n"
    "Writes one page of HTML about the plans of a build: all functions that launch kernels, those with\n"
    "most to gain first, with pictures of their plans, their barriers and their code. In a folder and the\n"
    "folders in it, each file whose name ends in .json is a report that the plugin wrote:\n"
    "\n"
    "  kesco-clang++ ... -fplugin-arg-kesco-report=plans/\n"
    "\n"
    "  -o, --output=PAGE.html    write the page to this file, not to standard output\n"
    "  --source-root=FOLDER      where the compiler ran: names of source files start there; where not\n"
    "                            given, it is as the reports say, or the current folder\n"
    "  --help                    print this text\n"
    "  --version                 print the version\n";

struct command {
    const char *output; /* NULL: standard output */
    const char *root;   /* of source files; NULL: as reports say, else the current folder */
    char **inputs;      /* folders and files; NULL after the last */
    bool done;          /* --help or --version was answered */
};

/* The reports that were read. */
struct reports {
    struct kesco_arena arena;
    struct kesco_report *list;
    size_t count;
    bool as_given; /* relative names of source files start from --source-root, not from where reports say */
    const char *folder; /* that is being read; NULL: files are named one by one */
    size_t others;      /* files of the folder that are JSON, but no reports */
    bool failed;        /* something could not be read, which has been said */
};

static bool parse_option(int option, struct command *command) {
    switch (option) {
    case 'o':
        command->output = optarg;
        return true;
    case 'r':
        command->root = optarg;
        return true;
    case 'h':
        fputs(usage, stdout);
        command->done = true;
        return true;
    case 'v':
        puts("kesco-report " KESCO_VERSION);
        command->done = true;
        return true;
    default: /* getopt_long has said what is wrong */
        return false;
    }
}

static bool parse_command(int argc, char **argv, struct command *command) {
    static const struct option options[] = {
        {"output", required_argument, NULL, 'o'},
        {"source-root", required_argument, NULL, 'r'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},
        {NULL, 0, NULL, 0},
    };
    int option;
    *command = (struct command){0};
    while (!command->done && (option = getopt_long(argc, argv, "o:", options, NULL)) != -1)
        if (!parse_option(option, command)) {
            kesco_say_known_options("kesco-report", options, argv[optind - 1]);
            return false;
        }
    command->inputs = argv + optind;
    if (optind == argc && !command->done) {
        fprintf(stderr, "kesco-report: a folder with reports is missing\n%s", usage);
        return false;
    }
    return true;
}

/* Says what is wrong with a file or folder. */
static void fail(struct reports *reports, const char *path, const char *why) {
    fprintf(stderr, "kesco-report: %s: %s\n", path, why);
    reports->failed = true;
}

static void read_one(struct reports *reports, const char *path) {
    char message[KESCO_READ_ERROR_SIZE];
    struct kesco_report *list = reallocarray(reports->list, reports->count + 1, sizeof(*list));
    if (!list) {
        fail(reports, path, strerror(ENOMEM));
        return;
    }
    reports->list = list;
    int err = kesco_report_read(path, reports->as_given, &reports->arena, &list[reports->count], message);
    if (err == -ENODATA && reports->folder)
        reports->others++;
    else if (err)
        fail(reports, path, message);
    else
        reports->count++;
}

static bool is_report(const FTSENT *entry) {
    const char *ending = strrchr(entry->fts_name, '.');
    return entry->fts_info == FTS_F && ending && strcmp(ending, ".json") == 0;
}

static int by_name(const FTSENT **left, const FTSENT **right) {
    return strcmp((*left)->fts_name, (*right)->fts_name);
}

/* Reads the reports in a folder. */
static void read_folder(struct reports *reports, char *path) {
    char *const paths[] = {path, NULL};
    size_t before = reports->count;
    reports->folder = path;
    reports->others = 0;
    FTS *walk = fts_open(paths, FTS_COMFOLLOW | FTS_LOGICAL | FTS_NOCHDIR, by_name);
    if (!walk) {
        fail(reports, path, strerror(errno));
        return;
    }
    for (FTSENT *entry; (entry = fts_read(walk));) {
        if (is_report(entry))
            read_one(reports, entry->fts_path);
        else if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS)
            fail(reports, entry->fts_path, strerror(entry->fts_errno));
    }
    fts_close(walk);
    reports->folder = NULL;
    if (reports->others)
        fprintf(stderr, "kesco-report: %s: passed over what is JSON, but no report: %zu file%s\n", path,
                reports->others, reports->others == 1 ? "" : "s");
    if (reports->count == before && !reports->failed)
        fail(reports, path,
             "there are no reports in this folder, whose names end in .json; "
             "-fplugin-arg-kesco-report=FOLDER/ writes them");
}

static void read_all(struct reports *reports, char **inputs) {
    struct stat state;
    for (; *inputs; inputs++)
        if (stat(*inputs, &state))
            fail(reports, *inputs, strerror(errno));
        else if (S_ISDIR(state.st_mode))
            read_folder(reports, *inputs);
        else
            read_one(reports, *inputs);
}

/* The absolute path of the folder, which the caller frees; NULL where there is none, which is said. */
static char *absolute(const char *folder) {
    char *path = realpath(folder, NULL);
    if (!path)
        fprintf(stderr, "kesco-report: %s: %s\n", folder, strerror(errno));
    return path;
}

static int write_page(const struct reports *reports, const struct command *command, const char *page_folder,
                      FILE *out) {
    char message[KESCO_GRAPHVIZ_ERROR_SIZE];
    struct kesco_page_options options = {.version = KESCO_VERSION};
    char *root = absolute(command->root ? command->root : "."), *page = absolute(page_folder);
    options.folders = (struct kesco_source_folders){root, page};
    int err =
        root && page ? kesco_page_write(reports->list, reports->count, &options, out, message) : -ENOENT;
    free(root);
    free(page);
    if (root && page && err)
        fprintf(stderr, "kesco-report: cannot write the page: %s\n", strerror(-err));
    else if (root && page && *message)
        fprintf(stderr, "kesco-report: the page has no data-flow graphs: %s\n", message);
    return err;
}

static int fail_to_write(const char *path) {
    int err = -errno;
    fprintf(stderr, "kesco-report: %s: %s\n", path, strerror(-err));
    return err;
}

/* Writes the page to the file `path`. */
static int write_to(const struct reports *reports, const struct command *command, const char *path) {
    char *copy = strdup(command->output);
    FILE *out = copy ? fopen(path, "w") : NULL;
    int err = out ? write_page(reports, command, dirname(copy), out) : fail_to_write(command->output);
    if (out && fclose(out) && !err)
        err = fail_to_write(command->output);
    free(copy);
    return err;
}

/* Writes the page under another name first, so that an older one stays until this one is whole. */
static int replace(const struct reports *reports, const struct command *command) {
    char *temporary;
    if (asprintf(&temporary, "%s.%ld.tmp", command->output, (long)getpid()) < 0)
        return fail_to_write(command->output);
    int err = write_to(reports, command, temporary);
    if (!err && rename(temporary, command->output))
        err = fail_to_write(command->output);
    if (err)
        unlink(temporary);
    free(temporary);
    return err;
}

/* Also true for what is not there. */
static bool is_plain_file(const char *path) {
    struct stat state;
    return lstat(path, &state) || S_ISREG(state.st_mode);
}

static int write_output(const struct reports *reports, const struct command *command) {
    if (!command->output)
        return write_page(reports, command, ".", stdout);
    return is_plain_file(command->output) ? replace(reports, command)
                                          : write_to(reports, command, command->output);
}

int main(int argc, char **argv) {
    struct command command;
    struct reports reports = {0};
    if (!parse_command(argc, argv, &command))
        return STATUS_USAGE;
    if (command.done)
        return STATUS_OK;
    reports.as_given = command.root != NULL;
    read_all(&reports, command.inputs);
    int err = reports.failed ? -EINVAL : write_output(&reports, &command);
    free(reports.list);
    kesco_arena_free(&reports.arena);
    return err ? STATUS_FAILED : STATUS_OK;
}
