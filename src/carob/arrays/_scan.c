/* One pass over plain lines of columns: what formats/_tagged.py finds with NumPy, several times faster.

   Plain means: every line is blank, or opens a document (-DOCSTART-), or has the expected number
   of fields, one space or tab between them and nothing else below "!". The first line that is
   anything else ends the pass with None, and NumPy reads the chunk instead, so that every rule and
   every error lives in one place. Reads stay within the buffer and writes within the room given,
   whatever the bytes are. The hashes are those of arrays/hashing.py.

   Bytes are looked at in windows: first for the places of all that is up to the space, then for
   lines among these places, and last the tokens of these lines are hashed. The first and the last
   step take eight bytes or one token at a time, or more where the processor has AVX-512. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define KERNELS 1
#include <immintrin.h>
#endif

enum { BLANK, MARKED, WHOLE };                  /* what opens a document: MODES in scan.py */
enum { ROW, LINE, CODE, START, END, COLUMNS };  /* the columns of `tagged`, ... */
enum { OPENS = 3 };                             /* ... and how many `docs` has */
enum { PAD = 16, LEAST = 4 };                   /* LEAST: bytes of a line with two fields */

/* WIDEST: lines of more fields are not plain. STEP: bytes that are looked at together, LANES: places
   that are written together, perhaps behind the last one. */
enum { WINDOW = 2048, WIDEST = 256, STEP = 64, LANES = 16 };

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

typedef struct {
    const uint8_t *bytes;
    int64_t size;
    int width, token, tag, mode;  /* how many columns; which ones; what opens a document */
    int wide;                     /* does the processor do much at a time? */
    uint64_t place, sum;          /* of the next token in its document; of the tokens before it */
    int open;                     /* does a sentence go on? */
    const uint64_t *keys;         /* hashes of known tags, each in the slot of its hash ... */
    const int32_t *codes;         /* ... and their numbers */
    int shift;                    /* a slot is the highest 64 - shift bits */
    int32_t *tagged, *sentences, *docs;  /* columns are end to end */
    uint64_t *sums;
    int64_t room;                 /* of a column */
    int64_t lines, rows, n_tagged, n_sentences, n_docs;
} Scan;

/* The places of bytes up to the space that have been found and not been passed by (before them the
   last that has), and the rows between them: where their tokens are, and for those with a tag other
   than O what they are and where among the places. A row takes two places or more. */
typedef struct {
    int64_t base; /* where to look for more */
    int count, n_rows, n_tagged;
    int32_t places[WIDEST + WINDOW + LANES];
    int32_t start[(WIDEST + WINDOW) / 2], end[(WIDEST + WINDOW) / 2];
    int32_t row[(WIDEST + WINDOW) / 2], line[(WIDEST + WINDOW) / 2], at[(WIDEST + WINDOW) / 2];
} Window;

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

/* The places of all bytes up to the space in some steps, the first of which is at `base`; how many
   there are. */
static int found(const uint8_t *bytes, int64_t base, int64_t steps, int32_t *places) {
    int count = 0;
    for (; steps--; bytes += STEP, base += STEP)
        for (uint64_t bits = low_bytes(bytes); bits; bits &= bits - 1)
            places[count++] = (int32_t)base + lowest(bits);
    return count;
}

/* The sum of the hashes of all rows, each in its place. */
static uint64_t summed(const Scan *s, const Window *w) {
    uint64_t sum = 0, place = s->place * MULTIPLIER;
    for (int k = 0; k < w->n_rows; k++, place += MULTIPLIER)
        sum += mixed(place + hashed(s->bytes + w->start[k], w->end[k] - w->start[k]));
    return sum;
}

#ifdef KERNELS
#define WIDE __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,popcnt")))

static int is_wide(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

WIDE static int wide_found(const uint8_t *bytes, int64_t base, int64_t steps, int32_t *places) {
    const __m512i space = _mm512_set1_epi8(' '), lanes = _mm512_set1_epi32(LANES);
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i at = _mm512_add_epi32(_mm512_set1_epi32((int32_t)base), lane);
    int32_t *next = places;
    for (; steps--; bytes += STEP) {
        uint64_t bits = _mm512_cmple_epu8_mask(_mm512_loadu_si512(bytes), space);
        for (int k = 0; k < STEP / LANES; k++, bits >>= LANES) {
            _mm512_storeu_si512(next, _mm512_maskz_compress_epi32((__mmask16)bits, at));
            next += __builtin_popcountll((__mmask16)bits);
            at = _mm512_add_epi32(at, lanes);
        }
    }
    return (int)(next - places);
}

WIDE static inline __m512i wide_cut(__m512i words, __m512i size) {
    const __m512i eight = _mm512_set1_epi64(8);
    __m512i bits = _mm512_slli_epi64(_mm512_sub_epi64(eight, _mm512_min_epi64(size, eight)), 3);
    return _mm512_srlv_epi64(_mm512_sllv_epi64(words, bits), bits);
}

WIDE static inline __m512i wide_mixed(__m512i value) {
    value = _mm512_mullo_epi64(value, _mm512_set1_epi64((int64_t)MULTIPLIER));
    value = _mm512_xor_si512(value, _mm512_srli_epi64(value, 32));
    value = _mm512_mullo_epi64(value, _mm512_set1_epi64((int64_t)MIX));
    return _mm512_xor_si512(value, _mm512_srli_epi64(value, 32));
}

/* Eight tokens at a time; bytes that do not belong to them are read within PAD, and cut off. */
WIDE static uint64_t wide_summed(const Scan *s, const Window *w) {
    const __m512i none = _mm512_setzero_si512(), eight = _mm512_set1_epi64(8);
    const __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    __m512i sum = none, place = _mm512_add_epi64(_mm512_set1_epi64((int64_t)s->place), lane);
    place = _mm512_mullo_epi64(place, _mm512_set1_epi64((int64_t)MULTIPLIER));
    for (int k = 0; k < w->n_rows; k += 8) {
        int left = w->n_rows - k;
        __mmask8 there = (__mmask8)(left < 8 ? (1 << left) - 1 : 255), more;
        __m256i start = _mm256_maskz_loadu_epi32(there, w->start + k);
        __m256i end = _mm256_maskz_loadu_epi32(there, w->end + k);
        __m512i at = _mm512_cvtepi32_epi64(start);
        __m512i size = _mm512_cvtepi32_epi64(_mm256_sub_epi32(end, start));
        __m512i value = wide_cut(_mm512_mask_i64gather_epi64(none, there, at, s->bytes, 1), size);
        while ((more = _mm512_cmpgt_epi64_mask(size, eight))) {
            size = _mm512_sub_epi64(size, eight);
            at = _mm512_add_epi64(at, eight);
            __m512i next = wide_cut(_mm512_mask_i64gather_epi64(none, more, at, s->bytes, 1), size);
            value = _mm512_mask_add_epi64(value, more, wide_mixed(value), next);
        }
        sum = _mm512_mask_add_epi64(sum, there, sum, wide_mixed(_mm512_add_epi64(place, value)));
        place = _mm512_add_epi64(place, _mm512_set1_epi64((int64_t)(8 * MULTIPLIER)));
    }
    uint64_t parts[8], whole = 0;
    _mm512_storeu_si512(parts, sum);
    for (int k = 0; k < 8; k++)
        whole += parts[k];
    return whole;
}

#else
static int is_wide(void) { return 0; }
#define wide_found found
#define wide_summed summed
#endif

/* Hashes the rows of a window and looks up their tags: nobody needs its places any more. */
static void finish(Scan *s, Window *w) {
    s->sum += s->wide ? wide_summed(s, w) : summed(s, w);
    s->place += (uint64_t)w->n_rows;
    for (int k = 0; k < w->n_tagged; k++) {
        const int32_t *place = w->places + w->at[k] + s->tag - s->width;
        int32_t start = place[-1] + 1, end = place[0];
        uint64_t key = hashed(s->bytes + start, end - start);
        uint64_t slot = key * MULTIPLIER >> s->shift;
        int32_t *out = s->tagged + s->n_tagged++;
        out[ROW * s->room] = w->row[k], out[LINE * s->room] = w->line[k];
        out[START * s->room] = start, out[END * s->room] = end;
        out[CODE * s->room] = s->keys[slot] == key ? s->codes[slot] : -1;
    }
    w->n_rows = w->n_tagged = 0;
}

/* Goes on to the place `next`, with as many from there on as a row has. Behind the last byte, which
   is a line break, there is always this one again: no row goes on there. */
static void refill(Scan *s, Window *w, int next) {
    int (*find)(const uint8_t *, int64_t, int64_t, int32_t *) = s->wide ? wide_found : found;
    finish(s, w);
    w->count -= next - 1;
    memmove(w->places, w->places + next - 1, (size_t)w->count * sizeof *w->places);
    while (w->count <= s->width && w->base < s->size) {
        int64_t left = s->size - w->base, steps = (left < WINDOW ? left : WINDOW) / STEP;
        w->count += find(s->bytes + w->base, w->base, steps, w->places + w->count);
        w->base += steps * STEP;
        if (left < STEP) {
            uint8_t last[STEP];
            memset(last, 'x', sizeof last);
            memcpy(last, s->bytes + w->base, (size_t)left);
            w->count += find(last, w->base, 1, w->places + w->count);
            w->base = s->size;
        }
    }
    for (int k = w->count; k <= s->width; k++)
        w->places[k] = (int32_t)(s->size - 1);
}

static inline int is_blank(uint8_t byte) { return byte == ' ' || byte == '\t'; }

/* Whether all lines are plain; the bytes begin and end with a line break. Of tokens there are at
   most size / LEAST, and not more sentences, documents and tags. */
static int scan_lines(Scan *s) {
    const uint8_t *const bytes = s->bytes;
    const int mode = s->mode;
    const int64_t width = s->width, token = s->token - width, tag = s->tag - width;
    Window w;
    w.base = w.count = w.n_rows = w.n_tagged = 0;
    refill(s, &w, 1);  /* the place before is that of the line break at the beginning */
    const int32_t *p = w.places + 1, *last = w.places + w.count - width;
    int64_t row = 0, line = 0, sentences = 0, docs = 0;
    int open = s->open;
    for (;;) {
        if (p > last) {
            refill(s, &w, (int)(p - w.places));
            p = w.places + 1, last = w.places + w.count - width;
        }
        int64_t start = p[-1] + 1, end = p[0];
        if (start == s->size)
            break;
        int blank = end == start, mark = 0;
        if (bytes[start] == '#')
            return 0;
        if (bytes[start] == '-')
            mark = end - start == MARK && !memcmp(bytes + start, DOCSTART, MARK);
        if (mark && mode == BLANK)
            return 0;
        if (mark ? mode == MARKED : mode == BLANK && !blank && !open) {
            int32_t *doc = s->docs + docs;
            doc[0] = (int32_t)row, doc[s->room] = (int32_t)line, doc[2 * s->room] = (int32_t)start;
            finish(s, &w);
            s->sums[docs++] = s->sum;
            s->sum = s->place = 0;
        }
        if (blank || mark) {
            while (mark && is_blank(bytes[*p]))
                if (++p == w.places + w.count) {
                    refill(s, &w, w.count);
                    p = w.places + 1, last = w.places + w.count - width;
                }
            if (bytes[*p++] != '\n')
                return 0;
            open = 0;
            line++;
            continue;
        }
        if (!open)
            s->sentences[sentences++] = (int32_t)row;
        open = 1;
        /* This line and those behind it that can be nothing but tokens with tags. */
        const int64_t ahead = line - row, before = w.n_rows - row;
        int64_t tagged = w.n_tagged;
        do {
            const uint8_t *at = bytes + *p;
            for (const int32_t *end = p + width - 1; p < end; at = bytes + *++p)
                if (!is_blank(*at) || p[1] - p[0] == 1)
                    return 0;
            if (*at != '\n')
                return 0;
            p++;
            w.start[before + row] = p[token - 1] + 1, w.end[before + row] = p[token];
            /* Written always and counted if it is one: that costs less than a branch. */
            w.row[tagged] = (int32_t)row, w.line[tagged] = (int32_t)(row + ahead);
            w.at[tagged] = (int32_t)(p - w.places);
            tagged += (p[tag] - p[tag - 1] != 2) | (bytes[p[tag - 1] + (int64_t)1] != 'O');
            row++;
            start = *(p - 1) + (int64_t)1;
        } while (p <= last && *p != start && bytes[start] != '#' && bytes[start] != '-');
        w.n_rows = (int)(before + row), w.n_tagged = (int)tagged;
        line = row + ahead;
    }
    finish(s, &w);
    s->sums[docs] = s->sum;
    s->rows = row, s->lines = line, s->open = open;
    s->n_sentences = sentences, s->n_docs = docs;
    return 1;
}

/* scan(bytes, size, width, token, tag, mode, place, open, wide, keys, codes,
        tagged, sentences, docs, sums)
   -> (lines, tokens, tagged, sentences, docs, open), or None if a line is not plain. */
static PyObject *scan(PyObject *module, PyObject *args) {
    enum { BYTES, KEYS, CODES, TAGGED, SENTENCES, DOCS, SUMS, BUFFERS };
    Py_buffer b[BUFFERS];
    Py_ssize_t size, slots;
    int wide;
    unsigned long long place;
    Scan s = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "y*niiiiKppy*y*w*w*w*w*", &b[BYTES], &size, &s.width, &s.token,
                          &s.tag, &s.mode, &place, &s.open, &wide, &b[KEYS], &b[CODES],
                          &b[TAGGED], &b[SENTENCES], &b[DOCS], &b[SUMS]))
        return NULL;
    s.bytes = b[BYTES].buf, s.size = size;
    s.place = place;
    s.wide = wide && is_wide();
    s.keys = b[KEYS].buf, s.codes = b[CODES].buf;
    s.tagged = b[TAGGED].buf, s.sentences = b[SENTENCES].buf;
    s.docs = b[DOCS].buf, s.sums = b[SUMS].buf;
    for (slots = 2, s.shift = 63; slots < b[KEYS].len / 8 && slots < 1 << 20; slots *= 2)
        s.shift--;
    s.room = b[SENTENCES].len / 4;
    int plain = 0, fits = size >= 1 && size < INT32_MAX - WINDOW && b[BYTES].len >= size + PAD &&
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

static PyMethodDef methods[] = {{"scan", scan, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static PyModuleDef_Slot slots[] = {{0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "carob.arrays._scan", NULL, 0, methods,
                                    slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__scan(void) { return PyModuleDef_Init(&module); }
