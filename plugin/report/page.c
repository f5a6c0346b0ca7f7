#include "plugin/report/page.h"

#include "plugin/report/page_files.h"
#include "plugin/report/page_function.h"
#include "plugin/report/picture.h"
#include "plugin/report/same_plans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the head of the page counts. */
struct totals {
    size_t ops, concurrent, barriers;
    struct kesco_gain gain;
};

static struct totals totals_of(const struct kesco_page_list *list) {
    struct totals totals = {0};
    for (size_t i = 0; i < list->count; i++) {
        const struct kesco_report_function *function = &list->functions[i];
        totals.ops += function->op_count;
        totals.concurrent += function->lanes > 1 || function->regions.placed_count > 0;
        totals.barriers += function->stops.barrier_count;
        totals.gain.serial += list->about[i].gain.serial;
        totals.gain.planned += list->about[i].gain.planned;
        totals.gain.free += list->about[i].gain.free;
    }
    return totals;
}

static void put_head(struct kesco_writer *writer, size_t units) {
    kesco_put(
        writer,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\"/>\n<title>KeSCo: plans of ");
    kesco_put_count(writer, units, "source file");
    kesco_put(writer, "</title>\n<style>\n%s</style>\n</head>\n", kesco_page_style);
}

static void put_tile(struct kesco_writer *writer, size_t number, const char *one, const char *more) {
    kesco_put(writer, "<li><b>%zu</b><span>%s</span></li>\n", number, number == 1 ? one : more);
}

static void put_header(struct kesco_page *page, size_t units, const char *message) {
    struct totals totals = totals_of(page->list);
    struct kesco_writer *writer = &page->writer;
    kesco_put(writer, "<header>\n<h1>KeSCo plans<small>");
    kesco_put_count(writer, page->list->count, "function");
    kesco_put(writer, " of ");
    kesco_put_count(writer, units, "source file");
    kesco_put(writer, "</small></h1>\n<ul class=\"tiles\">\n");
    put_tile(writer, totals.concurrent, "concurrent function", "concurrent functions");
    put_tile(writer, totals.ops, "op", "ops");
    put_tile(writer, totals.gain.planned, "step as planned", "steps as planned");
    put_tile(writer, totals.gain.planned - totals.gain.free, "step to gain at most", "steps to gain at most");
    put_tile(writer, totals.barriers, "barrier", "barriers");
    kesco_put(writer,
              "</ul>\n<p class=\"note\">Sorted by the steps that could be gained at most: those of the plan, "
              "less those of the longest chain of dependences, as if no barrier stood in the way. Each op "
              "counts as one step, in a loop too, and in a branch as if it were taken, since reports have no "
              "times; objects of one name count as "
              "one.</p>\n");
    if (*message) {
        kesco_put(writer, "<p class=\"note\">There are no data-flow graphs: ");
        kesco_put_xml(writer, message, KESCO_UNCUT);
        kesco_put(writer, ".</p>\n");
    }
    kesco_put(writer, "</header>\n");
}

static const char controls[] =
    "<div class=\"controls\">\n"
    "<input id=\"search\" type=\"search\" aria-label=\"Search\" autocomplete=\"off\" "
    "placeholder=\"Search functions, kernels, buffers, barriers (press /)\"/>\n"
    "<select id=\"show\" aria-label=\"Show\"><option value=\"all\">all functions</option>"
    "<option value=\"gain\">could gain</option><option value=\"lanes\">concurrent</option>"
    "<option value=\"serial\">serial</option><option value=\"barriers\">with barriers</option>"
    "<option value=\"guards\">with guards</option></select>\n"
    "<select id=\"sort\" aria-label=\"Sort\"><option value=\"gain\">by steps to gain</option>"
    "<option value=\"barriers\">by barriers</option><option value=\"ops\">by ops</option>"
    "<option value=\"name\">by name</option><option value=\"file\">by file</option></select>\n"
    "<button id=\"open\" type=\"button\">open all</button><button id=\"close\" type=\"button\">close "
    "all</button>\n"
    "<output id=\"shown\" aria-live=\"polite\"></output>\n</div>\n";

static const char legend[] =
    "<h3>How to read it</h3>\n<dl>\n"
    "<dt>Steps</dt><dd>serial: the ops, one after another; planned: the longest chain of ops by lanes and "
    "waits, "
    "region after region; free: the longest chain of dependences. The bar has what dependences ask for in "
    "blue, what "
    "could be gained in orange, and what is gained in green.</dd>\n"
    "<dt>Lanes</dt><dd>A lane is a CUDA stream. A box is an op, with its number in program order; a dashed "
    "frame is "
    "no kernel. What stands in one column may run at once; an orange arrow is a wait of one lane for "
    "another.</dd>\n"
    "<dt>Data-flow graph</dt><dd>An arrow is a dependence: solid where the op reads what the other wrote "
    "(RAW), "
    "dashed where it writes what the other read (WAR), dotted where both write (WAW). Orange: a lane waits "
    "for a "
    "record of another; blue: the order on a lane is enough; grey: other arrows connect the two.</dd>\n"
    "<dt>Barriers</dt><dd>Ops before and behind one keep the order of the serial program. "
    "<code>-Rpass-missed=kesco</code> says what to do about them.</dd>\n</dl>\n";

static void put_footer(struct kesco_page *page, const char *version) {
    kesco_put(&page->writer, "<footer>\n%s", legend);
    if (page->sources.missing > 0) {
        kesco_put(&page->writer, "<p>");
        kesco_put_count(&page->writer, page->sources.missing, "source file");
        kesco_put(&page->writer,
                  " could not be read, so that there are no links to %s: "
                  "<code>--source-root=FOLDER</code> of kesco-report says where the compiler ran.</p>\n",
                  page->sources.missing == 1 ? "it" : "them");
    }
    kesco_put(&page->writer,
              "<p>Written by kesco-report %s from the reports of <code>-fplugin-arg-kesco-report</code>"
              ".</p>\n</footer>\n",
              version);
}

static void put_page(struct kesco_page *page, size_t units, const char *version, const char *message) {
    put_head(&page->writer, units);
    kesco_put(&page->writer, "<body>\n");
    put_header(page, units, message);
    kesco_put(&page->writer, "<main>\n%s", controls);
    kesco_put(&page->writer,
              "<svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"><defs>"
              "<marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"4\" "
              "markerHeight=\"4\" orient=\"auto\"><path d=\"M0 0L8 4L0 8Z\"/></marker></defs></svg>\n");
    if (page->list->count == 0)
        kesco_put(&page->writer, "<p>No function here launches kernels.</p>\n");
    for (size_t i = 0; i < page->list->count && !page->writer.err; i++)
        kesco_page_put_function(page, i);
    kesco_put(&page->writer, "<p class=\"empty\">No function fits.</p>\n</main>\n");
    put_footer(page, version);
    kesco_put(&page->writer, "<script>\n%s</script>\n</body>\n</html>\n", kesco_page_script);
}

/* Draws the graphs of the functions that are shown; without Graphviz there are none. */
static int draw(const struct kesco_page_list *list, const size_t *shown, struct kesco_drawings *drawings,
                char message[KESCO_GRAPHVIZ_ERROR_SIZE]) {
    struct kesco_report report = {.source = "", .function_count = list->count};
    struct kesco_report_function *functions = calloc(list->count + 1, sizeof(*functions));
    int err = functions ? 0 : -ENOMEM;
    *message = '\0';
    for (size_t i = 0; i < list->count && !err; i++)
        if (shown[i] == i)
            functions[i] = list->functions[i];
    report.functions = functions;
    if (!err && kesco_graphviz_draw(&report, drawings, message)) {
        *drawings = (struct kesco_drawings){.list = calloc(list->count + 1, sizeof(*drawings->list))};
        err = drawings->list ? 0 : -ENOMEM;
    }
    free(functions);
    return err;
}

int kesco_page_write(const struct kesco_report *reports, size_t count,
                     const struct kesco_page_options *options, FILE *out,
                     char message[KESCO_GRAPHVIZ_ERROR_SIZE]) {
    struct kesco_page_list list;
    struct kesco_drawings drawings = {0};
    int err = kesco_page_list_create(reports, count, &list);
    size_t *shown = calloc(list.count + 1, sizeof(*shown));
    if (!shown)
        err = -ENOMEM;
    if (!err) {
        kesco_same_plans(list.functions, list.count, "", shown);
        err = draw(&list, shown, &drawings, message);
    }
    if (!err) {
        struct kesco_page page = {
            .writer.out = out,
            .reports = reports,
            .list = &list,
            .drawings = drawings.list,
            .shown = shown,
            .sources.folders = &options->folders,
        };
        put_page(&page, count, options->version, message);
        err = kesco_writer_finish(&page.writer);
        kesco_page_sources_free(&page.sources);
    }
    free(shown);
    kesco_drawings_free(&drawings);
    kesco_page_list_free(&list);
    return err;
}
