/*
 * Reports for tests, what is written of them, and what all pictures must be.
 */
#ifndef KESCO_TEST_REPORT_SAMPLE_REPORT_H
#define KESCO_TEST_REPORT_SAMPLE_REPORT_H

#include "plugin/report/graphviz.h"
#include "plugin/report/plan_report.h"
#include "test/schedule/model.h"

/*
 * The report of one function `name` of 'sample.cu' with a region for each of `texts`, graphs in the text
 * format and NULL behind the last. It lives as long as the builder, which the caller destroys.
 */
struct kesco_report_builder *report_of_texts(const char *name, const char *const *texts,
                                             struct kesco_report *report);

/* The same of one region, the model's. */
struct kesco_report_builder *report_of_model(const struct model *model, struct kesco_report *report);

/* A chain of `count` ops, each reading what the one before wrote, as text that the caller frees. */
char *chain_text(unsigned count);

/* The picture, which the caller frees: with drawings of Graphviz, or without them where `drawn` is false. */
char *svg_of(const struct kesco_report *report, bool drawn);

/* The report as it is written, which the caller frees. */
char *json_of(const struct kesco_report *report);

/* The report in the DOT language, which the caller frees. */
char *dot_of(const struct kesco_report *report);

/* Fails the test unless `text` is well-formed XML of only the SVG elements that pictures have. */
void expect_svg(const char *text);

/* Fails the test unless `text` has `part`, and as often as `count`. */
void expect_count(const char *text, const char *part, size_t count);

#endif
