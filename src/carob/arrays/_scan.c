/* One pass over plain lines of columns, and one over lists of tags: what the conll reader does with
   NumPy, and what scoring in memory does with a dict, several times faster.

   Plain means: every line is blank, or opens a document (-DOCSTART-), or has the expected number of
   fields, with one space or tab between them and no other control character. At the first line that
   is anything else the pass ends with None, and NumPy reads the chunk instead. So every rule and
   every message lives in one place, in Python. Reads stay within the buffer and writes within the
   given room, whatever the bytes are. The hashes are those of arrays/hashing.py. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

enum { BLANK, MARKED, WHOLE };                  /* what opens a document: MODES in scan.py */
enum { ROW, LINE, CODE, START, END, COLUMNS };  /* the columns of `tagged` ... */
enum { OPENS = 3 };                             /* ... and how many `docs` has */
enum { PAD = 16, LEAST = 4, WIDEST = 256 };     /* LEAST: bytes of a line with two fields */

static const char DOCSTART[] = "-DOCSTART-";
enum { MARK = sizeof DOCSTART - 1 };

static const uint64_t MULTIPLIER = 0x9E3779B97F4A7C15u, MIX = 0xBF58476D1CE4E5B9u;

/* Eight bytes, the first one lowest on every machine. */
static inline uint64_t load(const uint8_t *p) {
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
           (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 |
           (uint64_t)p[7] << 56;
}

/* The lowest `size` bytes of a word, for sizes from 1 to 8. */
static inline uint64_t cut(uint64_t word, int64_t size) {
    return word << 8 * (8 - size) >> 8 * (8 - size);
}

static inline uint64_t mixed(uint64_t value) {
    value *= MULTIPLIER;
    value ^= value >> 32;
    value *= MIX;
    return value ^ value >> 32;
}

/* hash_stretches of arrays/hashing.py, for one byte or more with PAD bytes after them. The length of
   a token cannot be predicted, so up to 16 bytes there is no branch on it. */
static inline uint64_t hashed(const uint8_t *p, int64_t size) {
    if (size <= 16) {
        uint64_t first = cut(load(p), size < 8 ? size : 8);
        uint64_t both = mixed(first) + cut(load(p + 8), ((size - 1) & 7) + 1);
        return first ^ ((first ^ both) & -(uint64_t)(size > 8));
    }
    uint64_t value = load(p);
    for (int64_t done = 8; done < size; done += 8)
        value = mixed(value) + cut(load(p + done), size - done < 8 ? size - done : 8);
    return value;
}

/* The number of the lowest byte that is not zero, of a word that is not zero. */
static inline int lowest_byte(uint64_t word) {
#if defined(__GNUC__)
    return __builtin_ctzll(word) / 8;
#else
    int place = 0;
    for (; !(word & 0xff); word >>= 8)
        place++;
    return place;
#endif
}

/* The first byte from `p` on that is a space or a control character, eight at a time. */
static inline const uint8_t *field_end(const uint8_t *p) {
    for (;; p += 8) {
        uint64_t word = load(p);
        /* The top bit of each byte of `above` says whether that byte is above the space. */
        uint64_t above = ((word & 0x7f7f7f7f7f7f7f7fu) + 0x5f5f5f5f5f5f5f5fu) | word;
        uint64_t low = ~above & 0x8080808080808080u;
        if (low)
            return p + lowest_byte(low);
    }
}

static inline int is_blank(uint8_t byte) { return byte == ' ' || byte == '\t'; }

typedef struct {
    const uint8_t *bytes;
    int64_t size;
    int width, token, tag, mode; /* how many columns; which ones; what opens a document */
    uint64_t place, sum;         /* of the next token in its document; of the tokens before it */
    int open;                    /* does a sentence go on? */
    const uint64_t *keys;        /* hashes of known tags, each in the slot of its hash ... */
    const int32_t *codes;        /* ... and their numbers */
    int shift;                   /* a slot is the highest 64 - shift bits */
    int32_t *tagged, *sentences, *docs; /* columns, one after the other */
    uint64_t *sums;
    int64_t room;                /* of a column */
    int64_t lines, rows, n_tagged, n_sentences, n_docs;
} Scan;

static void open_document(Scan *s, const uint8_t *line) {
    int32_t *doc = s->docs + s->n_docs;
    doc[0] = (int32_t)s->rows, doc[s->room] = (int32_t)s->lines;
    doc[2 * s->room] = (int32_t)(line - s->bytes);
    s->sums[s->n_docs++] = s->sum;
    s->sum = s->place = 0;
}

static inline void add_tag(Scan *s, const uint8_t *tag, const uint8_t *end) {
    uint64_t key = hashed(tag, end - tag), slot = key * MULTIPLIER >> s->shift;
    int32_t *out = s->tagged + s->n_tagged++;
    out[ROW * s->room] = (int32_t)s->rows, out[LINE * s->room] = (int32_t)s->lines;
    out[START * s->room] = (int32_t)(tag - s->bytes), out[END * s->room] = (int32_t)(end - s->bytes);
    out[CODE * s->room] = s->keys[slot] == key ? s->codes[slot] : -1;
}

/* A line of fields, the first of which ends at `end`; where the next line begins, or NULL. */
static inline const uint8_t *scan_row(Scan *s, const uint8_t *line, const uint8_t *end) {
    const uint8_t *token = line, *token_end = end, *tag = line, *tag_end = end;
    for (int k = 1; k < s->width; k++) {
        const uint8_t *field = end + 1;
        if (!is_blank(*end))
            return NULL;
        /* Most lines end here, so this field is not searched for its end. */
        end = field[0] == 'O' && field[1] == '\n' ? field + 1 : field_end(field);
        if (end == field)
            return NULL;
        if (k == s->token)
            token = field, token_end = end;
        if (k == s->tag)
            tag = field, tag_end = end;
    }
    if (*end != '\n')
        return NULL;
    s->sum += mixed(s->place++ * MULTIPLIER + hashed(token, token_end - token));
    if (tag_end - tag != 1 || *tag != 'O')
        add_tag(s, tag, tag_end);
    s->rows++;
    return end + 1;
}

/* Whether all lines are plain; the bytes begin and end with a line break. There are at most
   size / LEAST tokens, and not more sentences, documents and tags. */
static int scan_lines(Scan *s) {
    const uint8_t *line = s->bytes + 1, *const last = s->bytes + s->size;
    for (; line < last; s->lines++) {
        const uint8_t *end = field_end(line);
        int blank = end == line;
        int mark = end - line == MARK && !memcmp(line, DOCSTART, MARK);
        if (*line == '#' || (mark && s->mode == BLANK))
            return 0;
        if (mark ? s->mode == MARKED : s->mode == BLANK && !blank && !s->open)
            open_document(s, line);
        if (blank || mark) {
            while (mark && is_blank(*end))
                end = field_end(end + 1);
            if (*end != '\n')
                return 0;
            s->open = 0;
            line = end + 1;
            continue;
        }
        if (!s->open)
            s->sentences[s->n_sentences++] = (int32_t)s->rows;
        s->open = 1;
        line = scan_row(s, line, end);
        if (!line)
            return 0;
    }
    s->sums[s->n_docs] = s->sum;
    return 1;
}

/* scan(bytes, size, width, token, tag, mode, place, open, keys, codes, tagged, sentences, docs, sums)
   -> (lines, tokens, tagged, sentences, docs, open), or None if a line is not plain. */
static PyObject *scan(PyObject *module, PyObject *args) {
    enum { BYTES, KEYS, CODES, TAGGED, SENTENCES, DOCS, SUMS, BUFFERS };
    Py_buffer b[BUFFERS];
    Py_ssize_t size, slots;
    unsigned long long place;
    Scan s = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "y*niiiiKpy*y*w*w*w*w*", &b[BYTES], &size, &s.width, &s.token,
                          &s.tag, &s.mode, &place, &s.open, &b[KEYS], &b[CODES], &b[TAGGED],
                          &b[SENTENCES], &b[DOCS], &b[SUMS]))
        return NULL;
    s.bytes = b[BYTES].buf, s.size = size;
    s.place = place;
    s.keys = b[KEYS].buf, s.codes = b[CODES].buf;
    s.tagged = b[TAGGED].buf, s.sentences = b[SENTENCES].buf;
    s.docs = b[DOCS].buf, s.sums = b[SUMS].buf;
    for (slots = 2, s.shift = 63; slots < b[KEYS].len / 8 && slots < 1 << 20; slots *= 2)
        s.shift--;
    s.room = b[SENTENCES].len / 4;
    int plain = 0, fits = size >= 1 && size < INT32_MAX && b[BYTES].len >= size + PAD &&
                          s.bytes[0] == '\n' && s.bytes[size - 1] == '\n' && s.width >= 2 &&
                          s.token >= 0 && s.token < s.width && s.tag >= 0 && s.tag < s.width &&
                          b[KEYS].len == slots * 8 && b[CODES].len == slots * 4 &&
                          s.room >= size / LEAST + 2 && b[TAGGED].len >= s.room * COLUMNS * 4 &&
                          b[DOCS].len >= s.room * OPENS * 4 && b[SUMS].len >= s.room * 8;
    if (fits && s.width <= WIDEST) {
        Py_BEGIN_ALLOW_THREADS
        plain = scan_lines(&s);
        Py_END_ALLOW_THREADS
    }
    for (int k = 0; k < BUFFERS; k++)
        PyBuffer_Release(&b[k]);
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "buffers that do not fit together");
        return NULL;
    }
    if (!plain)
        Py_RETURN_NONE;
    return Py_BuildValue("LLLLLi", (long long)s.lines, (long long)s.rows, (long long)s.n_tagged,
                         (long long)s.n_sentences, (long long)s.n_docs, s.open);
}

/* The tokens of lists of tags whose number is not below `outside`, as rows of int32; the length of
   each list goes to a buffer of int32. None, with nothing raised, unless everything is a list of
   lists of str: then Python looks up the tags one by one, and says what is wrong. A new tag is
   looked up with [], since the dict numbers it. */

typedef struct {
    int32_t doc, within, code, place; /* Tagged in tags.py */
} Token;

typedef struct {
    PyObject *numbers;
    long outside;
    Token *tokens;
    Py_ssize_t size, room, place;
} Numbered;

static long number_of(PyObject *numbers, PyObject *tag) {
    PyObject *known = PyDict_GetItemWithError(numbers, tag);
    if (known)
        return PyLong_AsLong(known);
    if (PyErr_Occurred() || !(known = PyObject_GetItem(numbers, tag)))
        return -1;
    long number = PyLong_AsLong(known);
    Py_DECREF(known);
    return number;
}

static int add_list(Numbered *n, PyObject *tags, Py_ssize_t doc, int32_t *length) {
    if (!PyList_CheckExact(tags))
        return 0;
    Py_ssize_t size = PyList_Size(tags);
    if (size >= INT32_MAX - n->place)
        return 0;
    if (n->room - n->size < size) {
        Py_ssize_t room = 2 * (n->size + size);
        Token *tokens = PyMem_Realloc(n->tokens, room * sizeof(Token));
        if (!tokens)
            return 0;
        n->tokens = tokens, n->room = room;
    }
    PyObject *last = NULL;
    long number = -1;
    for (Py_ssize_t k = 0; k < size; k++) {
        PyObject *tag = PyList_GetItem(tags, k);
        if (tag != last) {
            if (!tag || !PyUnicode_CheckExact(tag))
                return 0;
            number = number_of(n->numbers, tag);
            if (number < 0 || number > INT32_MAX)
                return 0;
            last = tag;
        }
        if (number >= n->outside)
            n->tokens[n->size++] = (Token){(int32_t)doc, (int32_t)k, (int32_t)number,
                                           (int32_t)(n->place + k)};
    }
    *length = (int32_t)size;
    n->place += size + 1;
    return 1;
}

static PyObject *number_tags(PyObject *self, PyObject *args) {
    PyObject *lists, *numbers, *found = NULL;
    long outside;
    Py_buffer lengths;
    if (!PyArg_ParseTuple(args, "OOlw*", &lists, &numbers, &outside, &lengths))
        return NULL;
    Numbered n = {numbers, outside, NULL, 0, 0, 0};
    int plain = PyList_CheckExact(lists) && PyDict_Check(numbers) &&
                lengths.len / 4 == PyList_Size(lists);
    for (Py_ssize_t k = 0; plain && k < lengths.len / 4; k++) {
        PyObject *tags = PyList_GetItem(lists, k);
        plain = tags && add_list(&n, tags, k, (int32_t *)lengths.buf + k);
    }
    PyErr_Clear();
    if (plain)
        found = PyBytes_FromStringAndSize((const char *)n.tokens, n.size * sizeof(Token));
    PyMem_Free(n.tokens);
    PyBuffer_Release(&lengths);
    if (plain)
        return found;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"scan", scan, METH_VARARGS, NULL},
                                {"number_tags", number_tags, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static PyModuleDef_Slot slots[] = {{0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "carob.arrays._scan", NULL, 0, methods,
                                    slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__scan(void) { return PyModuleDef_Init(&module); }
