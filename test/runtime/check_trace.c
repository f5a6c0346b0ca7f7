/* check_trace FILE: checks a trace against the rules of its format (trace_rules.h), and prints what it says.
 */
#include "test/runtime/trace_rules.h"

int main(int argc, char **argv) {
    json_t *trace = argc == 2 ? trace_rules_load(argv[1]) : NULL;

    if (trace == NULL)
        return 1;
    trace_rules_print(stdout, trace);
    json_decref(trace);
    return 0;
}
