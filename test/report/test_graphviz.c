/* Graphviz as a process: drawings, and one clear line for all that may go wrong with it (graphviz.h). */
#include "plugin/report/graphviz.h"
#include "test/cmocka.h"
#include "test/report/sample_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Draws a small report with nothing on PATH but a program `dot` that is this shell script; NULL for none. */
static int draw_with(const char *script, struct kesco_drawings *drawings, char *message) {
    static const char *const texts[] = {"op a w=x\nop b r=x\n", NULL};
    char folder[] = "/tmp/test_graphviz.XXXXXX", path[64], *before = strdup(getenv("PATH"));
    struct kesco_report report;
    struct kesco_report_builder *builder = report_of_texts("f", texts, &report);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/dot", folder);
    if (script) {
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fprintf(out, "#!/bin/sh\n%s\n", script);
        fclose(out);
        assert_int_equal(chmod(path, 0700), 0);
    }
    setenv("PATH", folder, 1);
    int err = kesco_graphviz_draw(&report, drawings, message);
    setenv("PATH", before, 1);
    unlink(path);
    rmdir(folder);
    free(before);
    kesco_report_builder_destroy(builder);
    return err;
}

static void expect_failure(const char *script, int err, const char *message) {
    struct kesco_drawings drawings;
    char said[KESCO_GRAPHVIZ_ERROR_SIZE] = "";
    assert_int_equal(draw_with(script, &drawings, said), err);
    assert_string_equal(said, message);
    assert_null(drawings.list);
}

static void a_missing_program_names_its_package(void **state) {
    (void)state;
    expect_failure(NULL, -ENOENT,
                   "there is no program 'dot' on PATH; it comes with Graphviz (package graphviz)");
}

static void a_failing_program_is_an_error(void **state) {
    (void)state;
    expect_failure("exit 3", -EIO, "Graphviz's program 'dot' ended with status 3");
    expect_failure("echo no fonts >&2; echo at all >&2; exit 1", -EIO,
                   "Graphviz's program 'dot' ended with status 1: no fonts");
    expect_failure("kill -9 $$", -EIO, "Graphviz's program 'dot' was ended by a signal");
}

static void a_program_that_reads_nothing_is_an_error(void **state) {
    (void)state;
    expect_failure("exit 0", -EIO, "Graphviz's program 'dot' printed no drawing");
    expect_failure("echo '<svg width=\"8pt\" height=\"8pt\">'", -EIO,
                   "Graphviz's program 'dot' printed no drawing");
    expect_failure("echo '<svg width=\"8pt\" height=\"8pt\"></svg>'", -EIO,
                   "Graphviz's program 'dot' printed no drawing");
}

static void a_drawing_is_what_the_program_prints(void **state) {
    (void)state;
    struct kesco_drawings drawings;
    char said[KESCO_GRAPHVIZ_ERROR_SIZE];
    assert_int_equal(
        draw_with("echo '<?xml?><svg width=\"8pt\" height=\"9.5pt\" viewBox=\"0 0 8 9\"><g/></svg>'",
                  &drawings, said),
        0);
    assert_string_equal(drawings.list[0].view, "0 0 8 9");
    assert_string_equal(drawings.list[0].body, "<g/>");
    assert_int_equal(drawings.list[0].width, 8);
    assert_int_equal(drawings.list[0].height, 9);
    kesco_drawings_free(&drawings);
}

static void without_ops_no_program_is_run(void **state) {
    (void)state;
    const struct kesco_report_function function = {.name = "f"};
    const struct kesco_report report = {.source = "s.cu", .functions = &function, .function_count = 1};
    struct kesco_drawings drawings;
    char said[KESCO_GRAPHVIZ_ERROR_SIZE], *before = strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    assert_int_equal(kesco_graphviz_draw(&report, &drawings, said), 0);
    setenv("PATH", before, 1);
    assert_null(drawings.list[0].view);
    kesco_drawings_free(&drawings);
    kesco_drawings_free(&drawings);
    free(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_program_names_its_package),
        cmocka_unit_test(a_failing_program_is_an_error),
        cmocka_unit_test(a_program_that_reads_nothing_is_an_error),
        cmocka_unit_test(a_drawing_is_what_the_program_prints),
        cmocka_unit_test(without_ops_no_program_is_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
