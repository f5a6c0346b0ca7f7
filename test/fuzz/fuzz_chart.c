/* libFuzzer: bytes as a report, printed as a chart. */
#include "samples/chart.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    json_t *report = json_loadb((const char *)data, size, JSON_DECODE_ANY, NULL);
    char error[CHART_ERROR_SIZE] = "", *text = NULL;
    size_t length;
    FILE *out;

    if (report == NULL)
        return 0;
    out = open_memstream(&text, &length);
    if (out == NULL || (chart_print(report, out, size % 2 == 0, error) != 0) != (*error != '\0'))
        abort();
    fclose(out);
    free(text);
    json_decref(report);
    return 0;
}
