/*
 * What the programs say of options that they do not know.
 */
#ifndef KESCO_TOOL_LONG_OPTIONS_H
#define KESCO_TOOL_LONG_OPTIONS_H

#include <getopt.h>

/*
 * Prints to standard error which options `program` knows, and the one that was perhaps meant where `argument`
 * is none of them. `options` is as getopt_long takes it.
 */
void kesco_say_known_options(const char *program, const struct option *options, const char *argument);

#endif
