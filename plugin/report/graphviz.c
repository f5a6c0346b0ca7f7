#include "plugin/report/graphviz.h"

#include "plugin/report/arrows.h"
#include "plugin/report/dot.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A graph of this size takes a few seconds and can hardly be read; one of twice the size takes a minute. */
#define MOST_OPS 600
#define MOST_ARROWS 1500

extern char **environ;

/* The files of one run, which need no names: nobody reads a pipe that another has closed. */
struct run {
    FILE *in;     /* graphs in the DOT language */
    FILE *out;    /* SVG documents, one for each graph */
    FILE *errors; /* what the program says on standard error */
    char *message;
};

__attribute__((format(printf, 3, 4))) static int fail(struct run *run, int err, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run->message, KESCO_GRAPHVIZ_ERROR_SIZE, format, arguments);
    va_end(arguments);
    return err;
}

/* The file's text, which the caller frees: "" where it cannot be read. NULL without memory. */
static char *content_of(FILE *file) {
    char *text = NULL;
    size_t size = 0;
    if (fseek(file, 0, SEEK_SET) == 0 && getdelim(&text, &size, '\0', file) > 0)
        return text;
    free(text);
    return strdup("");
}

static int fail_of_status(struct run *run, int status) {
    char *errors = content_of(run->errors);
    const char *said = errors ? errors : "";
    char how[64] = "was ended by a signal";
    if (WIFEXITED(status))
        snprintf(how, sizeof(how), "ended with status %d", WEXITSTATUS(status));
    int err = fail(run, -EIO, "Graphviz's program 'dot' %s%s%.*s", how, *said ? ": " : "",
                   (int)strcspn(said, "\n"), said);
    free(errors);
    return err;
}

/* Starts `dot` on the files; 0 or an errno. */
static int start(const struct run *run, pid_t *child) {
    char *const arguments[] = {(char *)"dot", (char *)"-Tsvg", NULL};
    posix_spawn_file_actions_t actions;
    int err = posix_spawn_file_actions_init(&actions);
    if (err)
        return err;
    err = posix_spawn_file_actions_adddup2(&actions, fileno(run->in), STDIN_FILENO);
    if (!err)
        err = posix_spawn_file_actions_adddup2(&actions, fileno(run->out), STDOUT_FILENO);
    if (!err)
        err = posix_spawn_file_actions_adddup2(&actions, fileno(run->errors), STDERR_FILENO);
    if (!err)
        err = posix_spawnp(child, "dot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return err;
}

static int run_dot(struct run *run) {
    pid_t child;
    int status, err = start(run, &child);
    if (err == ENOENT)
        return fail(run, -ENOENT,
                    "there is no program 'dot' on PATH; it comes with Graphviz (package graphviz)");
    if (err)
        return fail(run, -err, "Graphviz's program 'dot' does not start: %s", strerror(err));
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return fail(run, -EIO, "Graphviz's program 'dot' is lost: %s", strerror(errno));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : fail_of_status(run, status);
}

/* Writes the graphs; marks with a view each drawing that is to come. */
static int write_graphs(const struct kesco_report *report, struct kesco_drawings *drawings, FILE *out,
                        size_t *count) {
    struct kesco_writer writer = {.out = out};
    for (size_t i = 0; i < report->function_count && !writer.err; i++) {
        const struct kesco_report_function *function = &report->functions[i];
        struct kesco_arrows arrows;
        if (kesco_arrows_create(function, &arrows))
            return -ENOMEM;
        drawings->list[i].left_out = arrows.count - arrows.drawn_count;
        if (function->op_count > 0 && function->op_count <= MOST_OPS && arrows.drawn_count <= MOST_ARROWS) {
            kesco_dot_put_graph(&writer, function, i, &arrows);
            drawings->list[i].view = "";
            ++*count;
        }
        kesco_arrows_free(&arrows);
    }
    return kesco_writer_finish(&writer);
}

/* Ends the string after the value of `name` in the tag at `tag`, and returns the value; NULL if it has none.
 */
static char *attribute(char *tag, const char *name) {
    char *value = strstr(tag, name);
    char *end = value ? strchr(value + strlen(name), '"') : NULL;
    if (!end)
        return NULL;
    *end = '\0';
    return value + strlen(name);
}

/* Cuts one document off `text`; false if it is none. */
static bool read_drawing(char **text, struct kesco_drawing *drawing) {
    char *tag = strstr(*text, "<svg ");
    char *body = tag ? strchr(tag, '>') : NULL;
    char *end = body ? strstr(body, "</svg>") : NULL;
    if (!end)
        return false;
    *body = *end = '\0';
    /* from the last one on, because each cuts the tag */
    char *view = attribute(tag, "viewBox=\""), *height = attribute(tag, "height=\"");
    char *width = attribute(tag, "width=\"");
    if (!width || !height || !view)
        return false;
    *drawing = (struct kesco_drawing){
        .view = view,
        .body = body + 1,
        .width = (unsigned)strtoul(width, NULL, 10),
        .height = (unsigned)strtoul(height, NULL, 10),
        .left_out = drawing->left_out,
    };
    *text = end + 1;
    return true;
}

static int read_drawings(const struct kesco_report *report, struct kesco_drawings *drawings,
                         struct run *run) {
    drawings->text = content_of(run->out);
    if (!drawings->text)
        return fail(run, -ENOMEM, "%s", strerror(ENOMEM));
    char *text = drawings->text;
    for (size_t i = 0; i < report->function_count; i++)
        if (drawings->list[i].view && !read_drawing(&text, &drawings->list[i]))
            return fail(run, -EIO, "Graphviz's program 'dot' printed no drawing");
    return 0;
}

static int draw(const struct kesco_report *report, struct kesco_drawings *drawings, struct run *run) {
    size_t count = 0;
    run->in = tmpfile();
    run->out = tmpfile();
    run->errors = tmpfile();
    if (!run->in || !run->out || !run->errors) {
        int err = -errno;
        return fail(run, err, "no temporary file: %s", strerror(-err));
    }
    int err = write_graphs(report, drawings, run->in, &count);
    if (err)
        return fail(run, err, "graphs cannot be written: %s", strerror(-err));
    if (count == 0)
        return 0;
    if (fseek(run->in, 0, SEEK_SET))
        return fail(run, -EIO, "graphs cannot be written: %s", strerror(errno));
    err = run_dot(run);
    return err ? err : read_drawings(report, drawings, run);
}

static void close_file(FILE *file) {
    if (file)
        fclose(file);
}

int kesco_graphviz_draw(const struct kesco_report *report, struct kesco_drawings *drawings,
                        char message[KESCO_GRAPHVIZ_ERROR_SIZE]) {
    struct run run = {.message = message};
    *drawings = (struct kesco_drawings){.list = calloc(report->function_count + 1, sizeof(*drawings->list))};
    if (!drawings->list)
        return fail(&run, -ENOMEM, "%s", strerror(ENOMEM));
    int err = draw(report, drawings, &run);
    close_file(run.in);
    close_file(run.out);
    close_file(run.errors);
    if (err)
        kesco_drawings_free(drawings);
    return err;
}

void kesco_drawings_free(struct kesco_drawings *drawings) {
    free(drawings->list);
    free(drawings->text);
    *drawings = (struct kesco_drawings){0};
}
