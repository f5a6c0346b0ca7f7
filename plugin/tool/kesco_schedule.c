/*
 * kesco-schedule: reads a graph as text (text.h) and prints its plan: as JSON (plugin/report/report.h), as a
 * graph in the DOT language (plugin/report/dot.h), or as a picture (plugin/report/svg.h).
 *
 * Status: 0, 1 for input or output that fails, 2 for a bad command line.
 */
#include "plugin/report/dot.h"
#include "plugin/report/graphviz.h"
#include "plugin/report/plan_report.h"
#include "plugin/report/svg.h"
#include "plugin/schedule/plan.h"
#include "plugin/schedule/text.h"
#include "plugin/tool/long_options.h"
#include "runtime/nearest.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum status {
    STATUS_OK = 0,
    STATUS_FAILED = 1, /* bad input, or input or output that cannot be read or written */
    STATUS_USAGE = 2,  /* bad command line */
};

#define COMMA ,
#define POLICIES KESCO_POLICY_NAMES("|")

static const char usage[] =
    "usage: kesco-schedule [--policy=POLICY] [--max-lanes=N] [--reorder=on|off]\n"
    "                      [--machine=LAUNCH,CALL,WAIT,REGION] [--dot | --svg] [FILE]\n"
    "\n"
    "Reads a graph of GPU operations, from standard input when FILE is - or left out, and prints\n"
    "its plan as JSON: lanes, issue order, waits and records. A graph has one op a line:\n"
    "\n"
    "  op NAME [cost=MICROSECONDS] [fill=SHARE] [priority=P] [engine=ENGINE] [blocks] [r=OBJ,OBJ...]\n"
    "          [w=OBJ,OBJ...]\n"
    "\n"
    "SHARE is how much of the device the op fills, above 0 and at most 1. ENGINE is compute, to-device,\n"
    "to-host or none; the host waits for an op that blocks. Tasks, between which there is no\n"
    "dependence, have the highest priority of their ops; those of higher priority go first.\n"
    "\n"
    "  --policy=" POLICIES "\n"
    "                    what is issued first: fewest-predecessors is what has the fewest ops before\n"
    "                    it; predecessor-bands, where not given, the same by eights; critical-path\n"
    "                    is what starts the longest path of costs\n"
    "  --max-lanes=N     use at most N lanes, 1 to 256; 32 where not given\n"
    "  --reorder=on|off  off: issue the ops in the order of the file; on where not given\n"
    "  --machine=LAUNCH,CALL,WAIT,REGION\n"
    "                    microseconds that the host takes to issue an op and to record or wait, that the\n"
    "                    device takes to wait for another lane, and that the host takes for a region with\n"
    "                    lanes: one lane where, all costs being known, several could not be faster\n"
    "  --dot             print the plan in the DOT language of Graphviz instead\n"
    "  --svg             print a picture of the plan instead; Graphviz's program dot does its layout\n"
    "  --help            print this text\n"
    "  --version         print the version\n";

enum form {
    FORM_JSON,
    FORM_DOT,
    FORM_SVG,
};

struct command {
    struct kesco_plan_options options; /* how to plan */
    enum form form;                    /* how to print the plan */
    struct kesco_machine machine;      /* what the options' machine points at, if given */
    const char *path;                  /* graph to read; "-" is standard input */
    bool done;                         /* --help or --version was answered */
};

static bool parse_policy(const char *value, enum kesco_policy *policy) {
    static const char *const policies[KESCO_POLICIES] = {KESCO_POLICY_NAMES(COMMA)};
    for (size_t i = 0; i < KESCO_POLICIES; i++)
        if (strcmp(policies[i], value) == 0) {
            *policy = (enum kesco_policy)i;
            return true;
        }
    const char *nearest = kesco_nearest(value, strlen(value), policies, KESCO_POLICIES);
    fprintf(stderr, "kesco-schedule: unknown policy '%s'; ", value);
    if (nearest)
        fprintf(stderr, "did you mean '%s'? ", nearest);
    fputs("known policies: " KESCO_POLICY_NAMES(", ") "\n", stderr);
    return false;
}

static bool parse_max_lanes(const char *value, uint32_t *max_lanes) {
    char *end;
    errno = 0;
    unsigned long number = strtoul(value, &end, 10);
    *max_lanes = (uint32_t)number;
    if (isdigit((unsigned char)*value) && !*end && !errno && number >= 1 && number <= KESCO_PLAN_MAX_LANES)
        return true;
    fprintf(stderr, "kesco-schedule: --max-lanes=%s is not a whole number from 1 to %d\n", value,
            KESCO_PLAN_MAX_LANES);
    return false;
}

static bool parse_reorder(const char *value, bool *reorder) {
    *reorder = strcmp(value, "on") == 0;
    if (*reorder || strcmp(value, "off") == 0)
        return true;
    fprintf(stderr, "kesco-schedule: --reorder=%s is neither on nor off\n", value);
    return false;
}

/* Reads one of the numbers of a machine and what separates it from the next; false if there is none. */
static bool parse_time(const char **value, char separator, double *time) {
    char *end;
    *time = strtod(*value, &end);
    bool valid = end != *value && !isspace((unsigned char)**value) && *end == separator;
    *value = end + 1;
    return valid && isfinite(*time) && *time >= 0;
}

static bool parse_machine(const char *value, struct command *command) {
    struct kesco_machine *machine = &command->machine;
    const char *rest = value;
    command->options.machine = machine;
    if (parse_time(&rest, ',', &machine->launch_us) && parse_time(&rest, ',', &machine->call_us) &&
        parse_time(&rest, ',', &machine->wait_us) && parse_time(&rest, '\0', &machine->region_us))
        return true;
    fprintf(stderr,
            "kesco-schedule: --machine=%s is not LAUNCH,CALL,WAIT,REGION, four numbers of microseconds, "
            "0 or more\n",
            value);
    return false;
}

static bool set_form(enum form form, struct command *command) {
    bool first = command->form == FORM_JSON || command->form == form;
    command->form = form;
    if (!first)
        fprintf(stderr, "kesco-schedule: --dot and --svg cannot be asked for together\n");
    return first;
}

static bool parse_option(int option, struct command *command) {
    switch (option) {
    case 'p':
        return parse_policy(optarg, &command->options.policy);
    case 'l':
        return parse_max_lanes(optarg, &command->options.max_lanes);
    case 'r':
        return parse_reorder(optarg, &command->options.reorder);
    case 'm':
        return parse_machine(optarg, command);
    case 'd':
        return set_form(FORM_DOT, command);
    case 's':
        return set_form(FORM_SVG, command);
    case 'h':
        fputs(usage, stdout);
        command->done = true;
        return true;
    case 'v':
        puts("kesco-schedule " KESCO_VERSION);
        command->done = true;
        return true;
    default: /* getopt_long has said what is wrong */
        return false;
    }
}

static bool parse_command(int argc, char **argv, struct command *command) {
    static const struct option options[] = {
        {"policy", required_argument, NULL, 'p'},
        {"max-lanes", required_argument, NULL, 'l'},
        {"reorder", required_argument, NULL, 'r'},
        {"machine", required_argument, NULL, 'm'},
        {"dot", no_argument, NULL, 'd'},
        {"svg", no_argument, NULL, 's'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},
        {NULL, 0, NULL, 0},
    };
    int option;
    *command =
        (struct command){.options = {.policy = KESCO_POLICY_PREDECESSOR_BANDS, .reorder = true}, .path = "-"};
    while (!command->done && (option = getopt_long(argc, argv, "", options, NULL)) != -1)
        if (!parse_option(option, command)) {
            if (option == '?')
                kesco_say_known_options("kesco-schedule", options, argv[optind - 1]);
            return false;
        }
    if (optind < argc)
        command->path = argv[optind++];
    if (optind < argc && !command->done) {
        fprintf(stderr, "kesco-schedule: one FILE at most, '%s' is one more\n", argv[optind]);
        return false;
    }
    return true;
}

static int read_graph(const char *path, const char *source, struct kesco_text *text) {
    struct kesco_text_error error;
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (!in) {
        int err = -errno;
        fprintf(stderr, "kesco-schedule: %s: %s\n", source, strerror(errno));
        return err;
    }
    int err = kesco_text_read(in, text, &error);
    if (err && error.line)
        fprintf(stderr, "kesco-schedule: %s:%u: %s\n", source, error.line, error.message);
    else if (err)
        fprintf(stderr, "kesco-schedule: %s: %s\n", source, error.message);
    if (in != stdin)
        fclose(in);
    return err;
}

/* Makes the report's one function of the graph and its plan. */
static int report_graph(struct kesco_report_builder *builder, const struct kesco_text *text,
                        const struct kesco_plan *plan) {
    uint32_t ops = text->graph->op_count;
    struct kesco_report_site *sites = calloc((size_t)ops + 1, sizeof(*sites));
    if (!sites)
        return -ENOMEM;
    for (uint32_t op = 0; op < ops; op++)
        sites[op] = (struct kesco_report_site){.line = text->lines[op]};
    int err = kesco_report_begin_function(builder, "graph");
    if (!err)
        err = kesco_report_append_region(builder, text->graph, plan, sites);
    if (!err)
        err = kesco_report_end_function(builder);
    free(sites);
    return err;
}

static int print_svg(const struct kesco_report *report) {
    struct kesco_drawings drawings;
    char message[KESCO_GRAPHVIZ_ERROR_SIZE];
    int err = kesco_graphviz_draw(report, &drawings, message);
    if (err) {
        fprintf(stderr, "kesco-schedule: --svg: %s\n", message);
        return err;
    }
    err = kesco_svg_write(report, &drawings, stdout);
    kesco_drawings_free(&drawings);
    return err;
}

static int print_report(const struct kesco_report *report, enum form form) {
    switch (form) {
    case FORM_DOT:
        return kesco_dot_write(report, stdout);
    case FORM_SVG:
        return print_svg(report);
    default:
        return kesco_report_write(report, stdout);
    }
}

static int print_plan(const struct kesco_text *text, const struct kesco_plan *plan, const char *source,
                      enum form form) {
    struct kesco_report report;
    struct kesco_report_builder *builder = kesco_report_builder_create();
    if (!builder)
        return -ENOMEM;
    int err = report_graph(builder, text, plan);
    if (!err)
        err = kesco_report_finish(builder, source, &report);
    if (!err)
        err = print_report(&report, form);
    kesco_report_builder_destroy(builder);
    return err;
}

static int schedule(const struct kesco_text *text, const struct command *command, const char *source) {
    struct kesco_plan *plan;
    int err = kesco_graph_build_edges(text->graph);
    if (!err)
        err = kesco_plan_create(text->graph, &command->options, &plan);
    if (err) {
        const char *why = err == -EOVERFLOW ? "too many edges" : strerror(-err);
        fprintf(stderr, "kesco-schedule: %s: cannot be planned: %s\n", source, why);
        return err;
    }
    err = print_plan(text, plan, source, command->form);
    if (err)
        fprintf(stderr, "kesco-schedule: cannot print the plan: %s\n", strerror(-err));
    kesco_plan_destroy(plan);
    return err;
}

int main(int argc, char **argv) {
    struct command command;
    struct kesco_text text = {0};
    if (!parse_command(argc, argv, &command))
        return STATUS_USAGE;
    if (command.done)
        return STATUS_OK;
    const char *source = strcmp(command.path, "-") == 0 ? "<stdin>" : command.path;
    int err = read_graph(command.path, source, &text);
    if (err)
        return STATUS_FAILED;
    err = schedule(&text, &command, source);
    kesco_text_free(&text);
    return err ? STATUS_FAILED : STATUS_OK;
}
