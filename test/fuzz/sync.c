/* Waits that nobody needs, unless what follows does. */
#include "test/fuzz/generator.h"

static const char *sync_call(struct generator *g) {
    if (random_percent(&g->random, 60))
        return "cudaDeviceSynchronize()";
    return writer_text(&g->writer, "cudaStreamSynchronize(%s)", any_stream(g));
}

/* What stands behind many a wait. */
static void write_behind_sync(struct generator *g) {
    switch (random_below(&g->random, g->scope.holds.quiet ? 4 : 7)) {
    case 0:
        writer_line(&g->writer, "cudaGetLastError();");
        break;
    case 1:
        writer_line(&g->writer, "clock();");
        break;
    case 4:
        writer_line(&g->writer, "CHECK(cudaGetLastError());");
        break;
    case 5:
        writer_line(&g->writer, "printf(\"%%u\\n\", %s);", variable(g));
        break;
    default:
        break;
    }
}

static void write_sync(struct generator *g) {
    writer_line(&g->writer, "{");
    if (!g->scope.holds.straight && random_percent(&g->random, 25))
        writer_line(&g->writer, "k_tell<<<%s>>>(%s);", configuration(g), number(g));
    write_api_call(g, sync_call(g));
    write_behind_sync(g);
    writer_line(&g->writer, "}");
}

/* Each launch with a wait of its own, timed. */
static void write_synced_launches(struct generator *g) {
    const char *begin = writer_text(&g->writer, "begin_%u", g->writer.next);

    writer_line(&g->writer, "{");
    writer_line(&g->writer, "clock_t %s = clock();", begin);
    for (unsigned count = 2 + random_below(&g->random, 3); count > 0; count--) {
        write_launches(g, 1);
        write_api_call(g, sync_call(g));
    }
    writer_line(&g->writer, "milliseconds = (float)(clock() - %s);", begin);
    writer_line(&g->writer, "}");
}

const struct kind sync_kinds[] = {
    {write_sync, 4, NEEDS_LIVE},
    {write_synced_launches, 2, NEEDS_LIVE | NEEDS_LOUD},
};
const unsigned sync_kind_count = sizeof sync_kinds / sizeof *sync_kinds;
