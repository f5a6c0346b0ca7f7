/* libFuzzer: bytes as PTX, in LLVM's form. What is read must be whole: each part within what it belongs to.
 */
#include "plugin/assembly/ptx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
    if (!holds)
        abort();
}

static void check_term(const struct kesco_ptx *ptx, const struct kesco_ptx_term *term) {
    require(term >= ptx->terms && term < ptx->terms + ptx->term_count);
    require(term->name != NULL && term->part != NULL);
    switch (term->kind) {
    case KESCO_PTX_REGISTER:
        require(term->index < ptx->register_count && *ptx->registers[term->index].type != '\0');
        require(strcmp(term->name, ptx->registers[term->index].name) == 0);
        break;
    case KESCO_PTX_LABEL:
        require(term->index < ptx->statement_count);
        require(ptx->statements[term->index].kind == KESCO_PTX_LABEL_HERE);
        require(strcmp(term->name, ptx->statements[term->index].name) == 0);
        break;
    case KESCO_PTX_NAME:
        require(*term->name != '\0');
        break;
    default:
        require(*term->name == '\0');
    }
}

static size_t check_operand(const struct kesco_ptx *ptx, const struct kesco_ptx_operand *operand) {
    require(operand->elements > 0 && operand->term_count >= operand->elements);
    for (size_t i = 0; i < operand->term_count; i++) {
        check_term(ptx, &operand->terms[i]);
        require(operand->terms[i].element < operand->elements);
    }
    return operand->term_count;
}

static void check_all(const struct kesco_ptx *ptx) {
    size_t operands = 0, terms = 0;

    for (size_t i = 0; i < ptx->statement_count; i++) {
        const struct kesco_ptx_statement *statement = &ptx->statements[i];
        require(*statement->name != '\0');
        if (statement->guard != NULL)
            check_term(ptx, statement->guard);
        terms += statement->guard != NULL;
        operands += statement->operand_count;
        for (size_t k = 0; k < statement->operand_count; k++)
            terms += check_operand(ptx, &statement->operands[k]);
    }
    require(operands == ptx->operand_count && terms == ptx->term_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct kesco_ptx ptx;
    const char *problem = NULL;

    switch (kesco_ptx_read(&ptx, (const char *)data, size, &problem)) {
    case 0:
        require(problem == NULL);
        check_all(&ptx);
        kesco_ptx_free(&ptx);
        break;
    case -EBADMSG:
        require(problem != NULL && *problem != '\0');
        break;
    default:
        abort();
    }
    return 0;
}
