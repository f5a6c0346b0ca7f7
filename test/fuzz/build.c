#include "test/fuzz/build.h"

void choose_build(struct random *random, struct build *build) {
    static const enum build_link links[] = {LINK_OBJECTS, LINK_OBJECTS, LINK_OBJECTS,
                                            LINK_OBJECTS, LINK_OBJECTS, LINK_ARCHIVE,
                                            LINK_SHARED,  LINK_FULL,    LINK_THIN};

    build->unit_count = 1 + random_below(random, MOST_UNITS);
    build->link = links[random_below(random, sizeof links / sizeof *links)];
    for (unsigned i = 0; i < build->unit_count; i++) {
        struct build_unit *unit = &build->units[i];
        unsigned level = random_below(random, 8);
        unit->level = level < 4 ? level : level < 5 ? 0 : 2;
        unit->per_thread = random_percent(random, 20);
        unit->of_link_time = random_percent(random, 80);
    }
    if (build->unit_count == 1 && (build->link == LINK_ARCHIVE || build->link == LINK_SHARED))
        build->link = LINK_OBJECTS;
    if (build->unit_count > 1 && random_percent(random, 25))
        build->units[build->unit_count - 1].plain = true;
}

static void write_build(struct writer *writer, const struct build *build) {
    static const char *const links[] = {"objects", "archive", "shared", "full", "thin"};
    bool link_time = build->link == LINK_FULL || build->link == LINK_THIN;

    fprintf(writer->out, "link %s\n", links[build->link]);
    for (unsigned i = 0; i < build->unit_count; i++) {
        const struct build_unit *unit = &build->units[i];
        fprintf(writer->out, "unit unit_%u %s -O%u%s", i, unit->plain ? "plain" : "kesco", unit->level,
                unit->per_thread ? " -fgpu-default-stream=per-thread" : "");
        if (build->link == LINK_SHARED)
            fputs(" -fPIC", writer->out);
        if (link_time && unit->of_link_time)
            fprintf(writer->out, " -Xclang -flto%s -Xclang -emit-llvm-bc",
                    build->link == LINK_THIN ? "=thin" : "");
        fputc('\n', writer->out);
    }
}

/* Without a folder, a file that goes. */
static bool begin_file(struct writer *writer, const char *folder, const char *name) {
    if (folder == NULL)
        writer->out = tmpfile();
    else
        writer->out = fopen(writer_text(writer, "%s/%s", folder, name), "w");
    return writer->out != NULL;
}

static bool end_file(struct writer *writer) {
    bool failed = ferror(writer->out) != 0;

    return fclose(writer->out) == 0 && !failed;
}

bool write_program_files(struct generator *g, const struct program_parts *parts, const void *program,
                         const struct build *build, const char *folder) {
    if (!begin_file(&g->writer, folder, parts->header))
        return false;
    parts->write_header(g, program);
    if (!end_file(&g->writer))
        return false;
    for (unsigned i = 0; i < build->unit_count; i++) {
        if (!begin_file(&g->writer, folder, writer_text(&g->writer, "unit_%u.cu", i)))
            return false;
        parts->write_unit(g, program, i);
        if (!end_file(&g->writer))
            return false;
    }
    if (!begin_file(&g->writer, folder, "build"))
        return false;
    write_build(&g->writer, build);
    return end_file(&g->writer);
}
