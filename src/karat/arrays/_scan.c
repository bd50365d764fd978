/* One pass over plain lines of columns: what formats/_rows.py finds with NumPy, several times faster.

   Plain means: every line is blank, or opens a document (-DOCSTART-), or has the expected number
   of fields, one space or tab between them and nothing else below "!". The first line that is
   anything else ends the pass with None, and NumPy reads the chunk instead, so that every rule and
   every error lives in one place. Reads stay within the buffer and writes within the room given,
   whatever the bytes are. The hashes are those of arrays/hashing.py. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

enum { BLANK, MARKED, WHOLE };                  /* what opens a document: MODES in scan.py */
enum { ROW, LINE, START, END, CODE, COLUMNS };  /* the columns of `tagged` */
enum { PAD = 16, LEAST = 4, WINDOW = 4096 };    /* LEAST: bytes of a line with two fields */

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

/* hash_stretches, of one byte or more, PAD bytes behind it. Lengths cannot be predicted, so up to
   16 bytes it does not branch. */
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

/* The places of bytes up to the space, found for a window of bytes at a time. */
typedef struct {
    const uint8_t *bytes;
    int64_t size, base;
    int next, count;
    int32_t places[WINDOW];
} Cursor;

static inline uint64_t low_bytes(const uint8_t *p) {
    uint64_t bits = 0;
    for (int k = 0; k < 8; k++) {
        uint64_t word = load(p + 8 * k);
        /* The top bit of each byte says whether it is above the space. */
        uint64_t above = ((word & 0x7f7f7f7f7f7f7f7fu) + 0x5f5f5f5f5f5f5f5fu) | word;
        uint64_t low = ~above >> 7 & 0x0101010101010101u;
        bits |= (low * 0x0102040810204080u >> 56) << 8 * k;
    }
    return bits;
}

static inline int lowest(uint64_t bits) {
#if defined(__GNUC__)
    return __builtin_ctzll(bits);
#else
    int place = 0;
    for (; !(bits & 1); bits >>= 1)
        place++;
    return place;
#endif
}

static void refill(Cursor *at) {
    int count = 0;
    int64_t base = at->base, stop = base + WINDOW < at->size ? base + WINDOW : at->size;
    for (; base < stop; base += 64) {
        uint8_t last[64];
        const uint8_t *part = at->bytes + base;
        if (base + 64 > at->size) {
            memset(last, 'x', sizeof last);
            part = memcpy(last, part, (size_t)(at->size - base));
        }
        for (uint64_t bits = low_bytes(part); bits; bits &= bits - 1)
            at->places[count++] = (int32_t)base + lowest(bits);
    }
    at->base = base, at->next = 0, at->count = count;
}

/* The next place. The last byte is a line break, behind which nobody looks for another. */
static inline int64_t next(Cursor *at) {
    while (at->next == at->count)
        refill(at);
    return at->places[at->next++];
}

typedef struct {
    int width, token, tag, mode;  /* how many columns; which ones; what opens a document */
    uint64_t place;               /* of the next token in its document */
    int open;                     /* does a sentence go on? */
    const uint64_t *keys;         /* hashes of known tags, each in the slot of its hash ... */
    const int32_t *codes;         /* ... and their numbers */
    int shift;                    /* a slot is the highest 64 - shift bits */
    int32_t *tagged, *sentences, *docs;
    uint64_t *sums;
    int64_t lines, rows, n_tagged, n_sentences, n_docs;
} Scan;

static inline int is_blank(uint8_t byte) { return byte == ' ' || byte == '\t'; }

/* Whether all lines are plain; `bytes` begin and end with a line break. Of tokens there are at most
   size / LEAST, and not more sentences, documents and tags. */
static int scan_lines(Scan *s, const uint8_t *restrict bytes, int64_t size) {
    const int width = s->width, token_field = s->token, tag_field = s->tag, mode = s->mode;
    Cursor at;
    at.bytes = bytes, at.size = size, at.base = at.next = at.count = 0;
    int64_t start = next(&at) + 1;  /* behind the line break at the beginning */
    int64_t row = 0, line = 0, sentences = 0, docs = 0, tagged = 0;
    uint64_t place = s->place, sum = 0;
    int open = s->open;
    for (; start < size; line++) {
        int64_t end = next(&at), low = start, token = start, tag = start;
        int64_t token_end = end, tag_end = end;
        int blank = end == start, mark = 0;
        if (bytes[start] == '#')
            return 0;
        if (bytes[start] == '-')
            mark = end - start == MARK && !memcmp(bytes + start, DOCSTART, MARK);
        if (mark && mode == BLANK)
            return 0;
        if (mark ? mode == MARKED : mode == BLANK && !blank && !open) {
            int32_t *doc = s->docs + 3 * docs;
            doc[0] = (int32_t)row, doc[1] = (int32_t)line, doc[2] = (int32_t)start;
            s->sums[docs++] = sum;
            sum = place = 0;
        }
        if (blank || mark) {
            while (mark && is_blank(bytes[end]))
                end = next(&at);
            if (bytes[end] != '\n')
                return 0;
            open = 0;
            start = end + 1;
            continue;
        }
        for (int field = 0;;) {
            if (field == token_field)
                token = low, token_end = end;
            if (field == tag_field)
                tag = low, tag_end = end;
            if (++field == width)
                break;
            if (!is_blank(bytes[end]))
                return 0;
            low = end + 1;
            end = next(&at);
            if (end == low)
                return 0;
        }
        if (bytes[end] != '\n')
            return 0;
        sum += mixed(place++ * MULTIPLIER + hashed(bytes + token, token_end - token));
        /* Written always and counted if it is one: that costs less than a branch. */
        s->sentences[sentences] = (int32_t)row;
        sentences += !open;
        open = 1;
        int32_t *found = s->tagged + COLUMNS * tagged;
        found[ROW] = (int32_t)row, found[LINE] = (int32_t)line;
        found[START] = (int32_t)tag, found[END] = (int32_t)tag_end;
        tagged += (tag_end - tag != 1) | (bytes[tag] != 'O');
        row++;
        start = end + 1;
    }
    for (int32_t *found = s->tagged; found < s->tagged + COLUMNS * tagged; found += COLUMNS) {
        uint64_t key = hashed(bytes + found[START], found[END] - found[START]);
        uint64_t slot = key * MULTIPLIER >> s->shift;
        found[CODE] = s->keys[slot] == key ? s->codes[slot] : -1;
    }
    s->sums[docs] = sum;
    s->rows = row, s->lines = line, s->open = open;
    s->n_tagged = tagged, s->n_sentences = sentences, s->n_docs = docs;
    return 1;
}

/* scan(bytes, size, width, token, tag, mode, place, open, keys, codes,
        tagged, sentences, docs, sums)
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
    s.place = place;
    s.keys = b[KEYS].buf, s.codes = b[CODES].buf;
    s.tagged = b[TAGGED].buf, s.sentences = b[SENTENCES].buf;
    s.docs = b[DOCS].buf, s.sums = b[SUMS].buf;
    for (slots = 2, s.shift = 63; slots < b[KEYS].len / 8 && slots < 1 << 20; slots *= 2)
        s.shift--;
    const uint8_t *text = b[BYTES].buf;
    Py_ssize_t room = size / LEAST + 2;
    int plain = 0, fits = size >= 1 && size < INT32_MAX - WINDOW && b[BYTES].len >= size + PAD &&
                          text[0] == '\n' && text[size - 1] == '\n' && s.width >= 2 &&
                          b[KEYS].len == slots * 8 && b[CODES].len == slots * 4 &&
                          b[TAGGED].len >= room * COLUMNS * 4 && b[SENTENCES].len >= room * 4 &&
                          b[DOCS].len >= room * 3 * 4 && b[SUMS].len >= room * 8;
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        plain = scan_lines(&s, text, size);
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

static PyMethodDef methods[] = {{"scan", scan, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static PyModuleDef_Slot slots[] = {{0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "karat.arrays._scan", NULL, 0, methods,
                                    slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__scan(void) { return PyModuleDef_Init(&module); }
