/* Weights of resamples from random bytes: what arrays/draw.py does with NumPy, several times faster.

   A byte stands for a small number: how many of the rising limits it reaches. The few bytes that
   reach the last limit stand for numbers that random fractions tell (`settle`). Then balls are
   thrown into cells, one by one (`throw`). Reads and writes stay within the buffers, whatever is in
   them. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define KERNELS 1
#include <immintrin.h>
#endif

enum { ROOM = 16, UNKNOWN = 255 };  /* places are written so many at a time; as in draw.py */

typedef struct {
    const uint8_t *random, *limits;
    Py_ssize_t n, rows, bytes;  /* how many limits, rows, and bytes in each */
    uint8_t *out;
    int32_t *places, *sums;  /* of the bytes that reach the last limit; of each row without them */
} Draw;

#ifdef KERNELS

static inline Py_ssize_t placed(const Draw *d, Py_ssize_t at, uint64_t bits, Py_ssize_t found) {
    for (; bits; bits &= bits - 1)
        d->places[found++] = (int32_t)at + __builtin_ctzll(bits);
    return found;
}

/* A table of 256 numbers is four registers; looking up 64 of them takes three instructions. */
__attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vbmi2"))) static Py_ssize_t
wide(const Draw *d) {
    uint8_t table[4][64], order[64];
    for (int byte = 0; byte < 256; byte++) {
        uint8_t number = 0;
        for (Py_ssize_t k = 0; k < d->n; k++)
            number += byte >= d->limits[k];
        table[byte / 64][byte % 64] = number == d->n ? 0 : number;
        order[byte % 64] = (uint8_t)(byte % 64);
    }
    __m512i part[4], every = _mm512_loadu_si512(order), none = _mm512_setzero_si512();
    for (int i = 0; i < 4; i++)
        part[i] = _mm512_loadu_si512(table[i]);
    const __m512i last = _mm512_set1_epi8((char)d->limits[d->n - 1]);
    Py_ssize_t found = 0, at = 0;
    for (Py_ssize_t row = 0; row < d->rows; row++) {
        __m512i sum = none;
        for (Py_ssize_t end = (row + 1) * d->bytes, next; at < end; at = next) {
            next = at + 64 < end ? at + 64 : end;
            __mmask64 there = ~(__mmask64)0 >> (64 - (next - at));
            __m512i own = _mm512_maskz_loadu_epi8(there, d->random + at);
            __m512i low = _mm512_permutex2var_epi8(part[0], own, part[1]);
            __m512i high = _mm512_permutex2var_epi8(part[2], own, part[3]);
            __m512i number = _mm512_mask_blend_epi8(_mm512_movepi8_mask(own), low, high);
            _mm512_mask_storeu_epi8(d->out + at, there, number);
            sum = _mm512_add_epi64(sum, _mm512_sad_epu8(_mm512_maskz_mov_epi8(there, number), none));
            __mmask64 over = _mm512_mask_cmpge_epu8_mask(there, own, last);
            int many = __builtin_popcountll(over);
            if (many <= ROOM) {  /* whether there are any cannot be predicted, so no branch */
                __m512i some = _mm512_maskz_compress_epi8(over, every);
                some = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(some));
                _mm512_storeu_si512(d->places + found,
                                    _mm512_add_epi32(some, _mm512_set1_epi32((int)at)));
                found += many;
            } else
                found = placed(d, at, over, found);
        }
        d->sums[row] = (int32_t)_mm512_reduce_add_epi64(sum);
    }
    return found;
}

__attribute__((target("avx2"))) static Py_ssize_t narrow(const Draw *d) {
    Py_ssize_t found = 0, at = 0;
    const __m256i none = _mm256_setzero_si256();
    for (Py_ssize_t row = 0; row < d->rows; row++) {
        __m256i sum = none;
        Py_ssize_t end = at + d->bytes;
        for (; at + 32 <= end; at += 32) {
            __m256i own = _mm256_loadu_si256((const __m256i *)(d->random + at));
            __m256i number = none, reached = none;
            for (Py_ssize_t k = 0; k < d->n; k++) {
                __m256i limit = _mm256_set1_epi8((char)d->limits[k]);
                reached = _mm256_cmpeq_epi8(_mm256_max_epu8(own, limit), own);
                number = _mm256_sub_epi8(number, reached);
            }
            number = _mm256_andnot_si256(reached, number);
            _mm256_storeu_si256((__m256i *)(d->out + at), number);
            sum = _mm256_add_epi64(sum, _mm256_sad_epu8(number, none));
            found = placed(d, at, (uint32_t)_mm256_movemask_epi8(reached), found);
        }
        int64_t sums[4];
        _mm256_storeu_si256((__m256i *)sums, sum);
        int32_t total = (int32_t)(sums[0] + sums[1] + sums[2] + sums[3]);
        for (; at < end; at++) {
            uint8_t number = 0;
            for (Py_ssize_t k = 0; k < d->n; k++)
                number += d->random[at] >= d->limits[k];
            found = placed(d, at, number == d->n, found);
            total += d->out[at] = number == d->n ? 0 : number;
        }
        d->sums[row] = total;
    }
    return found;
}

static Py_ssize_t drawn(const Draw *d, int level) {
    __builtin_cpu_init();
    if (level >= 2 && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2"))
        return wide(d);
    return level >= 1 && __builtin_cpu_supports("avx2") ? narrow(d) : -1;
}

#else

static Py_ssize_t drawn(const Draw *d, int level) {
    (void)d, (void)level;
    return -1;
}

#endif

static PyObject *released(Py_buffer *b, int count, PyObject *answer) {
    for (int k = 0; k < count; k++)
        PyBuffer_Release(&b[k]);
    if (!answer && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "buffers that do not fit together");
    return answer;
}

/* numbers(random, limits, out, places, sums, level) -> how many bytes reach the last limit, or -1
   without a kernel. `random` has as many rows as `sums` (int32) has numbers; `out` gets the number
   of each byte, 0 if it reaches the last limit, and `places` (int32, ROOM more than bytes) where
   those are. */
static PyObject *numbers(PyObject *module, PyObject *args) {
    enum { RANDOM, LIMITS, OUT, PLACES, SUMS, BUFFERS };
    Py_buffer b[BUFFERS];
    int level;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*y*w*w*w*i", &b[RANDOM], &b[LIMITS], &b[OUT], &b[PLACES],
                          &b[SUMS], &level))
        return NULL;
    Py_ssize_t size = b[RANDOM].len, rows = b[SUMS].len / 4, found;
    if (!rows || size % rows || size > INT32_MAX - 64 || !b[LIMITS].len || b[OUT].len != size ||
        b[PLACES].len / 4 < size + ROOM)
        return released(b, BUFFERS, NULL);
    Draw d = {b[RANDOM].buf, b[LIMITS].buf, b[LIMITS].len, rows, size / rows,
              b[OUT].buf, b[PLACES].buf, b[SUMS].buf};
    Py_BEGIN_ALLOW_THREADS
    found = drawn(&d, level);
    Py_END_ALLOW_THREADS
    return released(b, BUFFERS, PyLong_FromSsize_t(found));
}

/* settle(numbers, places, fractions, known, remains, sums): put at each place (int32, rising) the
   number of its fraction, and add it to the sum of its row. `known` has the number for each of its
   equal parts of 0..1, or UNKNOWN; then it is how many of `remains` are not above the fraction. */
static PyObject *settle(PyObject *module, PyObject *args) {
    enum { NUMBERS, PLACES, FRACTIONS, KNOWN, REMAINS, SUMS, BUFFERS };
    Py_buffer b[BUFFERS];
    (void)module;
    if (!PyArg_ParseTuple(args, "w*y*y*y*y*w*", &b[NUMBERS], &b[PLACES], &b[FRACTIONS], &b[KNOWN],
                          &b[REMAINS], &b[SUMS]))
        return NULL;
    uint8_t *numbers = b[NUMBERS].buf;
    const uint8_t *known = b[KNOWN].buf;
    const int32_t *places = b[PLACES].buf;
    const double *fractions = b[FRACTIONS].buf, *remains = b[REMAINS].buf;
    int32_t *sums = b[SUMS].buf;
    Py_ssize_t count = b[PLACES].len / 4, rows = b[SUMS].len / 4, row = 0;
    Py_ssize_t bytes = rows ? b[NUMBERS].len / rows : 0, end = bytes, before = 0;
    int fits = bytes > 0 && b[NUMBERS].len % rows == 0 && b[FRACTIONS].len / 8 == count &&
               b[KNOWN].len > 0 && b[REMAINS].len / 8 < UNKNOWN;
    for (Py_ssize_t i = 0; fits && i < count; i++) {
        double fraction = fractions[i];
        fits = before <= places[i] && places[i] < b[NUMBERS].len && fraction >= 0 && fraction < 1;
        if (!fits)
            break;
        before = places[i];
        uint8_t number = known[(Py_ssize_t)(fraction * (double)b[KNOWN].len)];
        if (number == UNKNOWN)
            for (number = 0; number < b[REMAINS].len / 8 && remains[number] <= fraction;)
                number++;
        for (; before >= end; end += bytes)
            row++;
        numbers[before] = number;
        sums[row] += number;
    }
    return released(b, BUFFERS, fits ? Py_NewRef(Py_None) : NULL);
}

/* throw(cells, balls, weights): as many of the cells (int64) as there are balls (int64) for each
   row of weights get one more. */
static PyObject *throw(PyObject *module, PyObject *args) {
    enum { CELLS, BALLS, WEIGHTS, BUFFERS };
    Py_buffer b[BUFFERS];
    (void)module;
    if (!PyArg_ParseTuple(args, "y*y*w*", &b[CELLS], &b[BALLS], &b[WEIGHTS]))
        return NULL;
    const int64_t *cell = b[CELLS].buf, *balls = b[BALLS].buf, *stop = cell + b[CELLS].len / 8;
    Py_ssize_t rows = b[BALLS].len / 8, bytes = rows ? b[WEIGHTS].len / rows : 0;
    int fits = rows && b[WEIGHTS].len % rows == 0;
    for (Py_ssize_t row = 0; fits && row < rows; row++) {
        uint8_t *weights = (uint8_t *)b[WEIGHTS].buf + row * bytes;
        fits = balls[row] >= 0 && balls[row] <= stop - cell;
        for (const int64_t *end = cell + (fits ? balls[row] : 0); fits && cell < end; cell++) {
            fits = (uint64_t)*cell < (uint64_t)bytes;
            if (fits)
                weights[*cell]++;
        }
    }
    return released(b, BUFFERS, fits && cell == stop ? Py_NewRef(Py_None) : NULL);
}

static PyMethodDef methods[] = {{"numbers", numbers, METH_VARARGS, NULL},
                                {"settle", settle, METH_VARARGS, NULL},
                                {"throw", throw, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static PyModuleDef_Slot slots[] = {{0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "carob.arrays._draw", NULL, 0, methods,
                                    slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__draw(void) { return PyModuleDef_Init(&module); }
