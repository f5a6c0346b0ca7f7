/*
 * count_tokens FILE: prints how many lines of code and how many tokens a CUDA source file has, by Clang's
 * lexer: "LINES TOKENS". Comments are no tokens; a line counts when a token begins in it; directives count as
 * any other line; what they include does not count. Exit status: 0, 1 for a file that cannot be read, 2 for
 * wrong arguments.
 */
#include <clang-c/Index.h>
#include <stdio.h>
#include <stdlib.h>

/* Tokens come in the order of the file. */
static void count(CXTranslationUnit unit, const CXToken *tokens, unsigned token_count) {
    unsigned lines = 0, counted = 0, last_line = 0;
    for (unsigned i = 0; i < token_count; i++) {
        unsigned line;
        if (clang_getTokenKind(tokens[i]) == CXToken_Comment)
            continue;
        clang_getFileLocation(clang_getTokenLocation(unit, tokens[i]), NULL, &line, NULL, NULL);
        lines += line != last_line;
        last_line = line;
        counted++;
    }
    printf("%u %u\n", lines, counted);
}

/* All of the file, from its first byte to its last. */
static CXSourceRange whole(CXTranslationUnit unit, const char *path) {
    size_t size;
    CXFile file = clang_getFile(unit, path);
    clang_getFileContents(unit, file, &size);
    return clang_getRange(clang_getLocationForOffset(unit, file, 0),
                          clang_getLocationForOffset(unit, file, (unsigned)size));
}

int main(int argc, char **argv) {
    const char *const options[] = {"-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib"};
    if (argc != 2) {
        fputs("usage: count_tokens FILE\n", stderr);
        return 2;
    }
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit unit =
        clang_parseTranslationUnit(index, argv[1], options, sizeof(options) / sizeof(*options), NULL, 0,
                                   CXTranslationUnit_SingleFileParse | CXTranslationUnit_KeepGoing);
    int status = EXIT_FAILURE;
    if (unit) {
        CXToken *tokens = NULL;
        unsigned token_count = 0;
        clang_tokenize(unit, whole(unit, argv[1]), &tokens, &token_count);
        count(unit, tokens, token_count);
        clang_disposeTokens(unit, tokens, token_count);
        clang_disposeTranslationUnit(unit);
        status = EXIT_SUCCESS;
    } else {
        fprintf(stderr, "count_tokens: cannot read %s\n", argv[1]);
    }
    clang_disposeIndex(index);
    return status;
}
