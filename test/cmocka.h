/*
 * cmocka, with the headers that its own needs before it.
 */
#ifndef KESCO_TEST_CMOCKA_H
#define KESCO_TEST_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
