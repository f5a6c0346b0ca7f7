/*
 * Directed graphs in text files: one edge a line, "FROM TO", two node numbers from 0 on with blanks or tabs
 * between; lines that are empty or start with # are skipped. It is the form of the graphs of the Stanford
 * Network Analysis Project (SNAP).
 */
#ifndef KESCO_SAMPLES_EDGE_LIST_H
#define KESCO_SAMPLES_EDGE_LIST_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define EDGE_LIST_ERROR_SIZE 512
#define EDGE_LIST_MAX_NODE 0x7fffffffu
#define EDGE_LIST_MAX_EDGES ((size_t)0xfffffffeu)

struct edge {
    uint32_t from, to;
};

struct edge_list {
    struct edge *edges; /* owned */
    size_t count;
    size_t room; /* edges that there is memory for */
};

static inline void edge_list_destroy(struct edge_list *list) {
    free(list->edges);
    memset(list, 0, sizeof *list);
}

/* Returns 0 or -ENOMEM. */
static inline int edge_list_add(struct edge_list *list, uint32_t from, uint32_t to) {
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 1024;
        struct edge *edges = (struct edge *)realloc(list->edges, room * sizeof *edges);
        if (!edges)
            return -ENOMEM;
        list->edges = edges;
        list->room = room;
    }
    list->edges[list->count].from = from;
    list->edges[list->count].to = to;
    list->count++;
    return 0;
}

static inline const char *edge_list_skip_blanks(const char *text) {
    return text + strspn(text, " \t");
}

/* Reads a node's number at `text` and returns what is behind it, or NULL if there is none. */
static inline const char *edge_list_node(uint32_t *node, const char *text) {
    char *end;
    if (*text < '0' || *text > '9')
        return NULL;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno || number > EDGE_LIST_MAX_NODE)
        return NULL;
    *node = (uint32_t)number;
    return end;
}

/* Reads the edge of a whole line without its end. */
static inline bool edge_list_parse(struct edge *edge, const char *line) {
    const char *text = edge_list_node(&edge->from, edge_list_skip_blanks(line));
    if (!text || (*text != ' ' && *text != '\t'))
        return false;
    text = edge_list_node(&edge->to, edge_list_skip_blanks(text));
    return text && !*edge_list_skip_blanks(text);
}

/* Takes the line's end off, that of DOS files too. False: the line has a zero byte. */
static inline bool edge_list_chomp(char *line, size_t length) {
    if (strlen(line) != length)
        return false;
    if (length > 0 && line[length - 1] == '\n')
        line[--length] = 0;
    if (length > 0 && line[length - 1] == '\r')
        line[length - 1] = 0;
    return true;
}

static inline int edge_list_read_lines(struct edge_list *list, FILE *file, const char *path,
                                       char error[EDGE_LIST_ERROR_SIZE]) {
    char *line = NULL;
    size_t room = 0, number = 0;
    ssize_t length;
    int code = 0;
    while (code == 0 && (length = getline(&line, &room, file)) >= 0) {
        struct edge edge;
        number++;
        bool text = edge_list_chomp(line, (size_t)length);
        const char *start = edge_list_skip_blanks(line);
        if (text && (!*start || *start == '#'))
            continue;
        if (!text || !edge_list_parse(&edge, line)) {
            snprintf(error, EDGE_LIST_ERROR_SIZE,
                     "%s:%zu: '%.40s' is not an edge: two node numbers from 0 to %u", path, number, line,
                     EDGE_LIST_MAX_NODE);
            code = -EINVAL;
        } else if (list->count == EDGE_LIST_MAX_EDGES) {
            snprintf(error, EDGE_LIST_ERROR_SIZE, "%s:%zu: more than %zu edges", path, number,
                     EDGE_LIST_MAX_EDGES);
            code = -EINVAL;
        } else if ((code = edge_list_add(list, edge.from, edge.to)) != 0) {
            snprintf(error, EDGE_LIST_ERROR_SIZE, "%s:%zu: not enough memory", path, number);
        }
    }
    if (code == 0 && !feof(file)) {
        code = errno ? -errno : -EIO;
        snprintf(error, EDGE_LIST_ERROR_SIZE, "cannot read %s: %s", path, strerror(-code));
    }
    free(line);
    return code;
}

/*
 * Reads the graph in `path`, which must have an edge. Returns 0 or a negative errno; with the latter `error`
 * holds one line for people that names the file, and the line if one is at fault, and `list` is empty.
 */
static inline int edge_list_read(struct edge_list *list, const char *path, char error[EDGE_LIST_ERROR_SIZE]) {
    memset(list, 0, sizeof *list);
    FILE *file = fopen(path, "r");
    if (!file) {
        int code = -errno;
        snprintf(error, EDGE_LIST_ERROR_SIZE, "cannot read %s: %s", path, strerror(-code));
        return code;
    }
    int code = edge_list_read_lines(list, file, path, error);
    fclose(file);
    if (code == 0 && list->count == 0) {
        snprintf(error, EDGE_LIST_ERROR_SIZE, "%s: no edge in it", path);
        code = -EINVAL;
    }
    if (code)
        edge_list_destroy(list);
    return code;
}

#endif
