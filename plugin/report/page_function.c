#include "plugin/report/page_function.h"

#include "plugin/report/picture.h"
#include "plugin/report/svg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PICTURE_WIDTH 1060 /* what lanes fill before they go on below, in pixels */
#define MOST_OPEN 2        /* functions of a page that need no list */

static void put_text(struct kesco_page *page, const char *text) {
    kesco_put_xml(&page->writer, text, KESCO_UNCUT);
}

/* FILE:LINE of the place, with its link. */
static void put_place(struct kesco_page *page, const char *file, size_t length, unsigned long line) {
    const struct kesco_source_text *source = kesco_page_source(&page->sources, file, length);
    if (source)
        kesco_page_put_place(&page->writer, &page->sources, source, line);
    else
        page->writer.err = -ENOMEM;
}

static void put_op_place(struct kesco_page *page, const struct kesco_report_function *function,
                         const struct kesco_report_op *op) {
    const char *colon = op->source ? strrchr(op->source, ':') : NULL;
    if (colon)
        put_place(page, op->source, (size_t)(colon - op->source), strtoul(colon + 1, NULL, 10));
    else
        put_place(page, function->file, strlen(function->file), op->line);
}

/* A mark in the summary of a function. */
static void put_chip(struct kesco_page *page, size_t count, const char *noun) {
    if (count == 0)
        return;
    kesco_put(&page->writer, "<span class=\"chip\">");
    kesco_put_count(&page->writer, count, noun);
    kesco_put(&page->writer, "</span>");
}

static void put_chips(struct kesco_page *page, const struct kesco_report_function *function, size_t gain) {
    kesco_put(&page->writer, "<span class=\"chips\">");
    if (gain > 0) {
        kesco_put(&page->writer, "<span class=\"chip hot\">up to ");
        kesco_put_count(&page->writer, gain, "step");
        kesco_put(&page->writer, " to gain</span>");
    }
    put_chip(page, function->op_count, "op");
    if (!function->regions.placed_count || function->lanes > 1)
        put_chip(page, function->lanes, "lane");
    put_chip(page, function->plan.wait_count, "wait");
    put_chip(page, function->assumed.guard_count, "guard");
    put_chip(page, function->stops.barrier_count, "barrier");
    if (function->regions.placed_count)
        kesco_put(&page->writer, "<span class=\"chip\">placed by the run</span>");
    if (function->regions.join_count)
        kesco_put(&page->writer, "<span class=\"chip\">joins callers' regions</span>");
    put_chip(page, function->lend_count, "lending call");
    kesco_put(&page->writer, "</span>");
}

/* The steps as a bar; nothing where there are no ops. */
static void put_meter(struct kesco_page *page, const struct kesco_gain *gain) {
    size_t all = gain->serial;
    if (all == 0)
        return;
    kesco_put(&page->writer,
              "<span class=\"measure\"><span class=\"meter\"><i class=\"need\" style=\"width:%zu%%\"></i>"
              "<i class=\"more\" style=\"width:%zu%%\"></i></span><span class=\"steps\">%zu serial, "
              "<b>%zu planned</b>, %zu free</span></span>",
              gain->free * 100 / all, (gain->planned - gain->free) * 100 / all, gain->serial, gain->planned,
              gain->free);
}

static void put_tags(struct kesco_page *page, const struct kesco_report_function *function, size_t gain) {
    kesco_put(&page->writer, "%s%s%s%s", gain > 0 ? "gain " : "",
              function->lanes > 1 || function->regions.placed_count ? "lanes" : "serial",
              function->stops.barrier_count ? " barriers" : "",
              function->assumed.guard_count ? " guards" : "");
}

static void put_summary(struct kesco_page *page, size_t index) {
    const struct kesco_report_function *function = &page->list->functions[index];
    const struct kesco_page_function *about = &page->list->about[index];
    kesco_put(&page->writer, "<summary><span class=\"title\"><span class=\"name\">");
    put_text(page, function->name);
    kesco_put(&page->writer, "</span><span class=\"where\">");
    put_text(page, kesco_source_title(function->file, page->sources.folders));
    if (about->unit_count > 1)
        kesco_put(&page->writer, ", the same in %zu source files", about->unit_count);
    else if (strcmp(function->file, page->reports[about->unit].source) != 0) {
        kesco_put(&page->writer, " in ");
        put_text(page, kesco_source_title(page->reports[about->unit].source, page->sources.folders));
    }
    kesco_put(&page->writer, "</span></span>");
    put_chips(page, function, about->gain.planned - about->gain.free);
    put_meter(page, &about->gain);
    kesco_put(&page->writer, "</summary>\n");
}

/* What the steps mean here, in a sentence. */
static void put_verdict(struct kesco_page *page, size_t index) {
    const struct kesco_gain *gain = &page->list->about[index].gain;
    const struct kesco_report_function *function = &page->list->functions[index];
    if (function->op_count < 2)
        return;
    kesco_put(&page->writer, "<p>");
    kesco_put_count(&page->writer, gain->serial, "op");
    kesco_put(&page->writer, " one after another become %zu as planned. ", gain->planned);
    if (gain->planned > gain->free)
        kesco_put(
            &page->writer,
            "Dependences alone ask for %zu: up to <b>%zu</b> could be gained if the barriers%s did not stand "
            "in the way.",
            gain->free, gain->planned - gain->free,
            function->lanes > 1 ? "" : " and what else keeps it serial");
    else if (!function->stops.serial)
        kesco_put(&page->writer, "That is as few as the dependences allow.");
    if (function->regions.placed_count)
        kesco_put(&page->writer,
                  " Where the run places ops, it chooses their lanes when they are issued, by the "
                  "bytes that each accesses; dependences are counted for it here.");
    kesco_put(&page->writer, "</p>\n");
}

/* An entry of a list of reasons: its place, the words, and the line of code that stands there. */
static void put_reason(struct kesco_page *page, const struct kesco_report_function *function, unsigned line,
                       const char *const *words, size_t count) {
    const struct kesco_source_text *source =
        kesco_page_source(&page->sources, function->file, strlen(function->file));
    if (!source) {
        page->writer.err = -ENOMEM;
        return;
    }
    kesco_put(&page->writer, "<li>");
    kesco_page_put_place(&page->writer, &page->sources, source, line);
    for (size_t i = 0; i < count; i++) {
        kesco_put(&page->writer, i ? ", " : " ");
        put_text(page, words[i]);
    }
    if (line > 0 && line <= source->count) {
        const char *text = source->lines[line - 1];
        kesco_put(&page->writer, "<code>");
        kesco_page_put_line(&page->writer, text + strspn(text, " \t"));
        kesco_put(&page->writer, "</code>");
    }
    kesco_put(&page->writer, "</li>\n");
}

static void put_barriers(struct kesco_page *page, const struct kesco_report_function *function) {
    if (function->stops.barrier_count == 0)
        return;
    kesco_put(&page->writer, "<h3>Barriers</h3>\n<ul class=\"reasons\">\n");
    for (size_t i = 0; i < function->stops.barrier_count; i++)
        if (!kesco_barrier_is_repeated(function, i))
            put_reason(page, function, function->stops.barriers[i].line, &function->stops.barriers[i].why, 1);
    kesco_put(&page->writer, "</ul>\n");
}

static void put_guards(struct kesco_page *page, const struct kesco_report_function *function) {
    struct kesco_report_function guards = {.assumed.guards = function->assumed.guards,
                                           .assumed.guard_count = function->assumed.guard_count};
    char *text = function->assumed.guard_count ? kesco_limits_text(&guards, KESCO_UNCUT) : NULL;
    if (function->assumed.guard_count == 0)
        return;
    if (!text) {
        page->writer.err = -ENOMEM;
        return;
    }
    kesco_put(&page->writer,
              "<h3>Guards</h3>\n<p>Where ops may access the same bytes through two pointers of an entry, the "
              "rest of the region runs serially.</p>\n<ul>\n");
    char *rest = text;
    strsep(&rest, "\n"); /* says what stands above */
    for (char *line; (line = strsep(&rest, "\n"));)
        if (*line) {
            kesco_put(&page->writer, "<li class=\"mono\">");
            put_text(page, line + strspn(line, " -"));
            kesco_put(&page->writer, "</li>\n");
        }
    kesco_put(&page->writer, "</ul>\n");
    free(text);
}

static void put_claims(struct kesco_page *page, const struct kesco_report_function *function) {
    if (function->assumed.claim_count == 0)
        return;
    kesco_put(&page->writer, "<h3>Claims</h3>\n<p>That the plan relies on; <code>KESCO_CHECK=1</code> checks "
                             "them.</p>\n<ul class=\"reasons\">\n");
    for (size_t i = 0; i < function->assumed.claim_count; i++)
        put_reason(page, function, function->assumed.claims[i].line,
                   (const char *const[]){function->assumed.claims[i].a, function->assumed.claims[i].b}, 2);
    kesco_put(&page->writer, "</ul>\n");
}

static void put_serial(struct kesco_page *page, const struct kesco_report_function *function) {
    if (!function->stops.serial)
        return;
    kesco_put(&page->writer, "<h3>Why it is serial</h3>\n<ul class=\"reasons\">\n");
    put_reason(page, function, function->stops.serial->line, &function->stops.serial->why, 1);
    kesco_put(&page->writer, "</ul>\n");
}

/* What regions that go through calls have to do with the function. */
static void put_calls(struct kesco_page *page, const struct kesco_report_function *function) {
    if (function->regions.join_count + function->lend_count == 0)
        return;
    kesco_put(&page->writer, "<h3>Regions through calls</h3>\n");
    if (function->regions.join_count)
        kesco_put(&page->writer, "<p>What it launches may overlap with what functions launch that are called "
                                 "before and behind it, where the caller is compiled with KeSCo, too.</p>\n");
    if (function->lend_count == 0)
        return;
    kesco_put(&page->writer, "<p>What these calls launch may overlap, where the functions are compiled with "
                             "KeSCo, too; <code>KESCO_LOG=1</code> tells what ends such a region.</p>\n"
                             "<ul class=\"reasons\">\n");
    for (size_t i = 0; i < function->lend_count; i++) {
        const char *callee = function->lends[i].callee;
        put_reason(page, function, function->lends[i].line,
                   (const char *const[]){*callee ? callee : "through a pointer"}, 1);
    }
    kesco_put(&page->writer, "</ul>\n");
}

static void put_picture(struct kesco_page *page, size_t index) {
    const struct kesco_report_function *function = &page->list->functions[index];
    size_t shown = page->shown[index];
    if (function->op_count == 0)
        return;
    kesco_put(&page->writer, "<h3>Plan</h3>\n");
    if (shown != index) {
        kesco_put(&page->writer, "<p>The same as that of <a href=\"#f%zu\"><code>", shown);
        put_text(page, page->list->functions[shown].name);
        kesco_put(&page->writer, "</code></a>.</p>\n");
        return;
    }
    kesco_put(&page->writer, "<div class=\"scroll\" tabindex=\"0\">\n");
    int err = kesco_svg_write_plan(function, &page->drawings[index], PICTURE_WIDTH, page->writer.out);
    if (err && !page->writer.err)
        page->writer.err = err;
    kesco_put(&page->writer, "</div>\n");
}

static void put_names(struct kesco_page *page, const char *const *names, size_t count) {
    kesco_put(&page->writer, "<td>");
    for (size_t i = 0; i < count; i++) {
        kesco_put(&page->writer, i ? ", " : "");
        put_text(page, names[i]);
    }
    kesco_put(&page->writer, "</td>");
}

static void put_op(struct kesco_page *page, const struct kesco_report_function *function, unsigned id) {
    const struct kesco_report_op *op = &function->ops[id];
    const char *before = "";
    kesco_put(&page->writer, "<tr><td>%u</td><td>", id);
    put_text(page, op->name);
    kesco_put(&page->writer, "</td><td>");
    put_op_place(page, function, op);
    kesco_put(&page->writer, "</td><td><span class=\"lane lane%u\">%u</span></td><td>",
              op->lane % KESCO_LANE_COLOURS, op->lane);
    for (size_t i = 0; i < function->plan.wait_count; i++)
        if (function->plan.waits[i].op == id) {
            kesco_put(&page->writer, "%s%u", before, function->plan.waits[i].on);
            before = ", ";
        }
    kesco_put(&page->writer, "</td>");
    put_names(page, op->touched.reads, op->touched.read_count);
    put_names(page, op->touched.writes, op->touched.write_count);
    kesco_put(&page->writer, "</tr>\n");
}

static void put_ops(struct kesco_page *page, const struct kesco_report_function *function) {
    if (function->op_count == 0)
        return;
    kesco_put(&page->writer,
              "<details class=\"more\"><summary>Ops as a table</summary>\n<div class=\"scroll ops\">"
              "<table><thead><tr><th>op</th><th>name</th><th>place</th><th>lane</th><th>waits for"
              "</th><th>reads</th><th>writes</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < function->op_count; i++)
        put_op(page, function, (unsigned)i);
    kesco_put(&page->writer, "</tbody></table></div></details>\n");
}

void kesco_page_put_function(struct kesco_page *page, size_t index) {
    const struct kesco_report_function *function = &page->list->functions[index];
    const struct kesco_gain *gain = &page->list->about[index].gain;
    kesco_put(&page->writer,
              "<details class=\"function\" id=\"f%zu\" data-ops=\"%zu\" data-barriers=\"%zu\" data-tags=\"",
              index, function->op_count, function->stops.barrier_count);
    put_tags(page, function, gain->planned - gain->free);
    kesco_put(&page->writer, "\"%s>\n", page->list->count <= MOST_OPEN ? " open=\"\"" : "");
    put_summary(page, index);
    kesco_put(&page->writer, "<div class=\"body\">\n");
    put_verdict(page, index);
    put_barriers(page, function);
    put_serial(page, function);
    put_picture(page, index);
    put_guards(page, function);
    put_claims(page, function);
    put_calls(page, function);
    kesco_page_put_code(page, function);
    put_ops(page, function);
    kesco_put(&page->writer, "</div></details>\n");
}
