/*
 * FNV-1a, for what needs no other hash: tables of names, and damage to what is embedded.
 */
#ifndef KESCO_SUMMARY_HASH_H
#define KESCO_SUMMARY_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t kesco_hash(const char *bytes, size_t length) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
