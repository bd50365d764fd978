/* One pass over plain lines of columns: what formats/_tagged.py finds with NumPy, ten times faster.

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

enum { BLANK, MARKED, WHOLE };                  /* what opens a document: see MODES in scan.py */
enum { ROW, LINE, START, END, CODE, COLUMNS };  /* the columns of `tagged` */

static const char DOCSTART[] = "-DOCSTART-";
enum { MARK = sizeof DOCSTART - 1 };

static const uint64_t MULTIPLIER = 0x9E3779B97F4A7C15u, MIX = 0xBF58476D1CE4E5B9u;

/* Eight bytes, the first one lowest on every machine. */
static inline uint64_t load(const uint8_t *p) {
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
           (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 |
           (uint64_t)p[7] << 56;
}

static inline uint64_t mixed(uint64_t value) {
    value *= MULTIPLIER;
    value ^= value >> 32;
    value *= MIX;
    return value ^ value >> 32;
}

/* hash_stretches, of one byte or more; 16 bytes from `p` on, and 8 from its last word on, must be
   readable. Up to 16 bytes it does not branch: lengths cannot be predicted. */
static inline uint64_t hashed(const uint8_t *p, int64_t size) {
    const uint64_t full = ~(uint64_t)0;
    uint64_t value = load(p) & full >> (64 - 8 * (size < 8 ? size : 8));
    uint64_t second = load(p + 8) & full >> (56 - 8 * ((size - 9) & 7));
    if (size > 16)
        second = load(p + 8);
    uint64_t more = mixed(mixed(value) ^ second);
    value ^= (value ^ more) & -(uint64_t)(size > 8);
    for (int64_t done = 16; done < size; done += 8) {
        int64_t left = size - done;
        value = mixed(mixed(value) ^ (load(p + done) & full >> (64 - 8 * (left < 8 ? left : 8))));
    }
    return value;
}

/* Places of bytes up to the space, one after the other, from 64 bits for 64 bytes. */
typedef struct {
    const uint8_t *bytes;
    int64_t size, base;
    uint64_t bits;
} Cursor;

static uint64_t low_bytes(const uint8_t *p) {
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

/* The next place; the bytes end with a line break, and behind them there is none. */
static inline int64_t next(Cursor *at) {
    while (!at->bits) {
        at->base += 64;
        if (at->base >= at->size)
            return at->size;
        if (at->base + 64 <= at->size) {
            at->bits = low_bytes(at->bytes + at->base);
        } else {
            uint8_t rest[64];
            memset(rest, 'x', sizeof rest);
            memcpy(rest, at->bytes + at->base, (size_t)(at->size - at->base));
            at->bits = low_bytes(rest);
        }
    }
    int64_t place = at->base + lowest(at->bits);
    at->bits &= at->bits - 1;
    return place;
}

typedef struct {
    int width, token, tag, mode;      /* how many columns; which ones; what opens a document */
    uint64_t place;                   /* of the next token in its document */
    int open;                         /* does a sentence go on? */
    const uint64_t *keys;             /* hashes of known tags, each in the slot of its hash ... */
    const int32_t *codes;             /* ... and their numbers */
    int shift;                        /* a slot is the highest 64 - shift bits */
    int32_t *tagged, *sentences, *docs;
    uint64_t *sums;
    int64_t rooms, tagged_room;       /* of sentences, docs and sums; of tagged */
    int64_t lines, rows, n_tagged, n_sentences, n_docs;
} Scan;

/* Whether all lines are plain; `bytes` begin and end with a line break, 16 more follow. */
static int scan_lines(Scan *s, const uint8_t *restrict bytes, int64_t size) {
    const int width = s->width, token_field = s->token, tag_field = s->tag, mode = s->mode;
    Cursor at = {bytes, size, -64, 0};
    int64_t start = next(&at) + 1;  /* behind the line break at the beginning */
    int64_t row = 0, line = 0, sentences = 0, docs = 0, tagged = 0;
    uint64_t place = s->place, sum = 0;
    int open = s->open;
    for (; start < size; line++) {
        int64_t end = next(&at), low = start, token = start, tag = start;
        int64_t token_end = end, tag_end = end;
        int blank = end == start;
        int mark = end - start == MARK && !memcmp(bytes + start, DOCSTART, MARK);
        if (sentences == s->rooms || docs + 1 == s->rooms || bytes[start] == '#' ||
            (mark && mode == BLANK))
            return 0;
        if (mark ? mode == MARKED : mode == BLANK && !blank && !open) {
            int32_t *doc = s->docs + 3 * docs;
            doc[0] = (int32_t)row, doc[1] = (int32_t)line, doc[2] = (int32_t)start;
            s->sums[docs++] = sum;
            sum = place = 0;
        }
        if (blank || mark) {
            while (mark && (bytes[end] == ' ' || bytes[end] == '\t'))
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
            if (bytes[end] != ' ' && bytes[end] != '\t')
                return 0;
            low = end + 1;
            end = next(&at);
            if (end == low)
                return 0;
        }
        if (bytes[end] != '\n')
            return 0;
        if (!open)
            s->sentences[sentences++] = (int32_t)row;
        open = 1;
        uint64_t term = place++ * MULTIPLIER + hashed(bytes + token, token_end - token);
        term *= MIX;
        sum += term ^ term >> 32;
        if (tag_end - tag != 1 || bytes[tag] != 'O') {
            if (tagged == s->tagged_room)
                return 0;
            uint64_t key = hashed(bytes + tag, tag_end - tag);
            uint64_t slot = key * MULTIPLIER >> s->shift;
            int32_t *found = s->tagged + COLUMNS * tagged++;
            found[ROW] = (int32_t)row, found[LINE] = (int32_t)line;
            found[START] = (int32_t)tag, found[END] = (int32_t)tag_end;
            found[CODE] = s->keys[slot] == key ? s->codes[slot] : -1;
        }
        row++;
        start = end + 1;
    }
    s->sums[docs] = sum;
    s->rows = row, s->lines = line, s->open = open;
    s->n_tagged = tagged, s->n_sentences = sentences, s->n_docs = docs;
    return 1;
}

/* scan(bytes, size, width, token, tag, mode, place, open, keys, codes,
        tagged, sentences, docs, sums)
   -> (lines, tokens, tagged, sentences, docs, open) or None if a line is not plain. */
static PyObject *scan(PyObject *module, PyObject *args) {
    Py_buffer bytes, keys, codes, tagged, sentences, docs, sums;
    Py_ssize_t size;
    unsigned long long place;
    Scan s = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "y*niiiiKpy*y*w*w*w*w*", &bytes, &size, &s.width, &s.token, &s.tag,
                          &s.mode, &place, &s.open, &keys, &codes, &tagged, &sentences, &docs,
                          &sums))
        return NULL;
    s.place = place;
    s.keys = keys.buf, s.codes = codes.buf;
    s.tagged = tagged.buf, s.sentences = sentences.buf, s.docs = docs.buf, s.sums = sums.buf;
    s.tagged_room = tagged.len / (COLUMNS * (Py_ssize_t)sizeof *s.tagged);
    s.rooms = sums.len / (Py_ssize_t)sizeof *s.sums;
    Py_ssize_t slots = keys.len / (Py_ssize_t)sizeof *s.keys;
    for (s.shift = 64; (Py_ssize_t)1 << (64 - s.shift) < slots && s.shift > 32; s.shift--)
        ;
    const uint8_t *text = bytes.buf;
    int fits = size >= 1 && size <= INT32_MAX && bytes.len >= size + 16 && text[0] == '\n' &&
               text[size - 1] == '\n' && s.width >= 1 && slots >= 2 &&
               (Py_ssize_t)1 << (64 - s.shift) == slots &&
               codes.len >= slots * (Py_ssize_t)sizeof *s.codes && s.rooms >= 1 &&
               sentences.len >= s.rooms * (Py_ssize_t)sizeof *s.sentences &&
               docs.len >= 3 * s.rooms * (Py_ssize_t)sizeof *s.docs;
    int plain = 0;
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        plain = scan_lines(&s, text, size);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&bytes), PyBuffer_Release(&keys), PyBuffer_Release(&codes);
    PyBuffer_Release(&tagged), PyBuffer_Release(&sentences);
    PyBuffer_Release(&docs), PyBuffer_Release(&sums);
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
