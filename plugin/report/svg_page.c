#include "plugin/report/svg_page.h"

void kesco_svg_widen(struct kesco_svg_page *page, unsigned width) {
    if (page->width < width)
        page->width = width;
}

void kesco_svg_start_text(struct kesco_svg_page *page, const char *class) {
    kesco_put(&page->writer, "<text class=\"%s\" x=\"%d\" y=\"%u\" xml:space=\"preserve\">", class, MARGIN,
              page->y);
}

void kesco_svg_end_text(struct kesco_svg_page *page) {
    kesco_put(&page->writer, "</text>\n");
}
