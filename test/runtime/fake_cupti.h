/* When the ops ran that fake_cupti.c tells of, in nanoseconds. */
#ifndef KESCO_TEST_RUNTIME_FAKE_CUPTI_H
#define KESCO_TEST_RUNTIME_FAKE_CUPTI_H

#define FAKE_CUPTI_START 1000 /* the first time that anybody asks for it */
#define FAKE_CUPTI_BEGIN(id) ((uint64_t)(id) * 10000)
#define FAKE_CUPTI_DURATION 8125

#endif
