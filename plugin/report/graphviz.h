/*
 * Graphviz: lays out the data-flow graphs of a report, by its program `dot`.
 *
 * It is run as a process, and the plugin does not link its libraries: a compiler must start without them, and
 * what they do wrong must not end it.
 */
#ifndef KESCO_REPORT_GRAPHVIZ_H
#define KESCO_REPORT_GRAPHVIZ_H

#include "plugin/report/report.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KESCO_GRAPHVIZ_ERROR_SIZE 256

/* The drawing of one function's graph. */
struct kesco_drawing {
    const char *view; /* the SVG attribute viewBox; NULL: no drawing, because it has no ops or too many */
    const char *body; /* what the SVG element holds */
    unsigned width;   /* in pixels */
    unsigned height;  /* in pixels */
    size_t left_out;  /* arrows that the drawing leaves out */
};

struct kesco_drawings {
    struct kesco_drawing *list; /* one for each function of the report */
    char *text;                 /* what list points into */
};

/*
 * Runs `dot` from PATH once for all functions of `report` and stores its drawings, which the caller frees;
 * not at all where there is no op. On an error returns a negative errno, and `message` has a line for people:
 * -ENOENT without `dot`, -EIO when it fails, -ENOMEM, and others where temporary files cannot be made.
 */
int kesco_graphviz_draw(const struct kesco_report *report, struct kesco_drawings *drawings,
                        char message[KESCO_GRAPHVIZ_ERROR_SIZE]);

/* Frees the drawings. Accepts zeroed ones. */
void kesco_drawings_free(struct kesco_drawings *drawings);

#ifdef __cplusplus
}
#endif

#endif
