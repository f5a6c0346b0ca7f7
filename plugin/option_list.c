#include "plugin/option_list.h"

const struct kesco_option kesco_option_list[] = {
    {"report", "FILE",
     "write the plans as JSON; FOLDER/ or a pattern as plans/%s-%h.json\n"
     "for builds of many source files, see kesco-report"},
    {"dot", "FILE", "write the plans for Graphviz; FOLDER/ or a pattern likewise"},
    {"svg", "FILE", "write the plans as a picture; FOLDER/ or a pattern likewise"},
    {"policy", "fewest-predecessors|critical-path",
     "what is issued first: ops with fewer transitive predecessors (default), or\n"
     "ops that more microseconds of work depend on, which wants profile"},
    {"profile", "FILE", "the times of ops, from a run with KESCO_PROFILE=FILE"},
    {"max-lanes", "N", "use at most N lanes, 1 to 32; default 32"},
    {"only", "FUNCTION[,FUNCTION...]", "leave all other functions as they are"},
    {"exclude", "FILE", "leave the functions, source files and kernels that FILE lists as they are"},
    {"reorder", "on|off", "may launches change places where nothing can notice; default on"},
    {"across-calls", "on|off",
     "may launches of several functions overlap that are called one after the other;\n"
     "default on, off where only is given"},
    {"sync-elision", "on|unchecked|off",
     "leave out, move or put off calls that synchronise, where nothing can\n"
     "notice; unchecked: only those whose errors nothing looks for; default on,\n"
     "at -O0 off"},
    {"clocks", "observe|ignore", "does a host that reads a clock look at the device; default observe"},
    {"mode", "auto|lanes|serial|graph",
     "when regions have lanes or are replayed as graphs: once that pays\n"
     "(default; with profile, lanes where it says that they pay), lanes always,\n"
     "never, graphs from the second time on"},
    {"prefetch", "auto|on|off",
     "move managed memory ahead of its use; default auto: where that is found to pay"},
    {"show", "summaries|regions|ir",
     "print on stderr what a stage finds: what kernels access, which ops may be\n"
     "in flight together, the rewritten functions; several with commas between"},
    {"annotation-warnings", "on|off", "warn of annotations that claim too much; default on"},
    {"runtime", "embedded|shared", "put the runtime into the program (default), or link -lkesco_rt"},
    {"strip-summaries", NULL, "overwrite the access summaries in the finished object"},
    {"help", NULL, "print this list"},
    {"off", NULL, "do nothing"},
};

const size_t kesco_option_count = sizeof(kesco_option_list) / sizeof(*kesco_option_list);
