/* The arithmetic of bytes that resampling needs, several times faster than NumPy where the
   processor can: lines of small whole numbers times weights, and the numbers that random bytes
   stand for.

   Lines are from -128 to 127 and weights from 0 to 127, so two products add up to 16 bits and those
   of a block to 32: nothing is rounded and nothing overflows. On a processor without the
   instructions (and with a compiler that does not know them) there is no kernel, the functions say
   so, and arrays/weigh.py does the same with NumPy, to the same numbers. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define KERNELS 1
#include <immintrin.h>
#endif

enum { LONGEST = 1 << 16, STRETCH = 4096 }; /* STRETCH: so many units stay in the nearest cache */

typedef struct {
    const int8_t *lines;    /* height x units */
    const uint8_t *weights; /* draws x stride, of which `units` count */
    int32_t *out;           /* height x draws */
    Py_ssize_t height, draws, units, stride;
} Task;

#ifdef KERNELS

/* Written out, so that the compiler keeps the sums of a tile in registers. */
#define EACH(i, N) _Pragma("GCC unroll 8") for (int i = 0; i < N; i++)

/* A tile of D draws and L lines over some units. What is over the edge is the last one again, and
   is not kept. */
#define TILE(D, L)                                                                              \
    const uint8_t *w[D];                                                                        \
    const int8_t *l[L];                                                                         \
    for (int i = 0; i < D; i++)                                                                 \
        w[i] = t->weights + (draw + i < t->draws ? draw + i : t->draws - 1) * t->stride;        \
    for (int k = 0; k < L; k++)                                                                 \
        l[k] = t->lines + (line + k < t->height ? line + k : t->height - 1) * t->units

#define KEEP(D, L, ACROSS)                                                                      \
    int32_t found[L][D];                                                                        \
    EACH(k, L)                                                                                  \
        EACH(i, D)                                                                              \
            found[k][i] = ACROSS(sum[k][i]);                                                    \
    for (int k = 0; k < L && line + k < t->height; k++)                                         \
        for (int i = 0; i < D && draw + i < t->draws; i++)                                      \
            t->out[(line + k) * t->draws + draw + i] += found[k][i]

enum { WIDE_D = 8, WIDE_L = 3, NARROW_D = 4, NARROW_L = 2 };

__attribute__((target("avx512f,avx512bw,avx512vnni"))) static void
wide(const Task *t, Py_ssize_t draw, Py_ssize_t line, Py_ssize_t first, Py_ssize_t end) {
    TILE(WIDE_D, WIDE_L);
    __m512i sum[WIDE_L][WIDE_D];
    EACH(k, WIDE_L)
        EACH(i, WIDE_D)
            sum[k][i] = _mm512_setzero_si512();
    for (Py_ssize_t u = first; u < end; u += 64) {
        __mmask64 there = end - u >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << (end - u)) - 1;
        __m512i own[WIDE_L];
        EACH(k, WIDE_L)
            own[k] = _mm512_maskz_loadu_epi8(there, l[k] + u);
        EACH(i, WIDE_D) {
            __m512i weight = _mm512_maskz_loadu_epi8(there, w[i] + u);
            EACH(k, WIDE_L)
                sum[k][i] = _mm512_dpbusd_epi32(sum[k][i], weight, own[k]);
        }
    }
    KEEP(WIDE_D, WIDE_L, _mm512_reduce_add_epi32);
}

__attribute__((target("avx2"))) static int32_t across(__m256i sum) {
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xB1)));
}

__attribute__((target("avx2"))) static void
narrow(const Task *t, Py_ssize_t draw, Py_ssize_t line, Py_ssize_t first, Py_ssize_t end) {
    TILE(NARROW_D, NARROW_L);
    __m256i sum[NARROW_L][NARROW_D], one = _mm256_set1_epi16(1);
    EACH(k, NARROW_L)
        EACH(i, NARROW_D)
            sum[k][i] = _mm256_setzero_si256();
    Py_ssize_t u = first;
    for (; u + 32 <= end; u += 32) {
        __m256i own[NARROW_L];
        EACH(k, NARROW_L)
            own[k] = _mm256_loadu_si256((const __m256i *)(l[k] + u));
        EACH(i, NARROW_D) {
            __m256i weight = _mm256_loadu_si256((const __m256i *)(w[i] + u));
            EACH(k, NARROW_L) {
                __m256i two = _mm256_maddubs_epi16(weight, own[k]);
                sum[k][i] = _mm256_add_epi32(sum[k][i], _mm256_madd_epi16(two, one));
            }
        }
    }
    for (; u < end; u++)
        EACH(k, NARROW_L)
            EACH(i, NARROW_D)
                sum[k][i] = _mm256_add_epi32(
                    sum[k][i], _mm256_set_epi32(0, 0, 0, 0, 0, 0, 0, (int32_t)w[i][u] * l[k][u]));
    KEEP(NARROW_D, NARROW_L, across);
}

typedef void (*Kernel)(const Task *, Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t);

static Kernel kernel(int level, int *draws, int *lines) {
    __builtin_cpu_init();
    if (level >= 2 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni")) {
        *draws = WIDE_D, *lines = WIDE_L;
        return wide;
    }
    if (level >= 1 && __builtin_cpu_supports("avx2")) {
        *draws = NARROW_D, *lines = NARROW_L;
        return narrow;
    }
    return NULL;
}

static int weighed(const Task *t, int level) {
    int draws = 0, lines = 0;
    Kernel tile = kernel(level, &draws, &lines);
    if (!tile)
        return 0;
    for (Py_ssize_t i = 0; i < t->height * t->draws; i++)
        t->out[i] = 0;
    for (Py_ssize_t first = 0; first < t->units; first += STRETCH) {
        Py_ssize_t end = first + STRETCH < t->units ? first + STRETCH : t->units;
        for (Py_ssize_t draw = 0; draw < t->draws; draw += draws)
            for (Py_ssize_t line = 0; line < t->height; line += lines)
                tile(t, draw, line, first, end);
    }
    return 1;
}

__attribute__((target("avx2"))) static Py_ssize_t
counted(const uint8_t *bytes, Py_ssize_t size, const uint8_t *limits, Py_ssize_t n, uint8_t *out,
        int64_t *places) {
    Py_ssize_t found = 0, at = 0;
    for (; at + 32 <= size; at += 32) {
        __m256i own = _mm256_loadu_si256((const __m256i *)(bytes + at));
        __m256i sum = _mm256_setzero_si256(), reached = sum;
        for (Py_ssize_t k = 0; k < n; k++) {
            __m256i limit = _mm256_set1_epi8((char)limits[k]);
            reached = _mm256_cmpeq_epi8(_mm256_max_epu8(own, limit), own);
            sum = _mm256_sub_epi8(sum, reached);
        }
        _mm256_storeu_si256((__m256i *)(out + at), sum);
        for (uint32_t bits = (uint32_t)_mm256_movemask_epi8(reached); bits; bits &= bits - 1)
            places[found++] = at + __builtin_ctz(bits);
    }
    for (; at < size; at++) {
        uint8_t sum = 0;
        for (Py_ssize_t k = 0; k < n; k++)
            sum += bytes[at] >= limits[k];
        out[at] = sum;
        if (n && bytes[at] >= limits[n - 1])
            places[found++] = at;
    }
    return found;
}

/* How many bytes reach the last limit, or -1 without a kernel. */
static Py_ssize_t steps_of(const uint8_t *bytes, Py_ssize_t size, const uint8_t *limits,
                           Py_ssize_t n, uint8_t *out, int64_t *places, int level) {
    __builtin_cpu_init();
    if (level < 1 || !__builtin_cpu_supports("avx2"))
        return -1;
    return counted(bytes, size, limits, n, out, places);
}

#else

static int weighed(const Task *t, int level) {
    (void)t, (void)level;
    return 0;
}

static Py_ssize_t steps_of(const uint8_t *bytes, Py_ssize_t size, const uint8_t *limits,
                           Py_ssize_t n, uint8_t *out, int64_t *places, int level) {
    (void)bytes, (void)size, (void)limits, (void)n, (void)out, (void)places, (void)level;
    return -1;
}

#endif

/* A table whose rows need not follow each other, if it has numbers of so many bytes. */
static int table(PyObject *given, Py_buffer *found, int flags, Py_ssize_t size) {
    if (PyObject_GetBuffer(given, found, flags | PyBUF_STRIDES) < 0)
        return 0;
    if (found->ndim == 2 && found->itemsize == size && found->shape[0] > 0 && found->shape[1] > 0 &&
        found->strides[1] == size && found->strides[0] >= found->shape[1] * size &&
        found->strides[0] % size == 0)
        return 1;
    PyBuffer_Release(found);
    PyErr_SetString(PyExc_ValueError, "not a table, or an empty one");
    return 0;
}

/* weigh(lines, weights, out, level) -> whether there is a kernel for it.
   Lines are height x units (int8), weights draws x units (uint8), and out gets the products,
   height x draws (int32). `level` is the most that is used of the processor: 0 nothing, 1 AVX2,
   2 AVX-512. */
static PyObject *weigh(PyObject *module, PyObject *args) {
    PyObject *given[3], *answer = NULL;
    Py_buffer lines, weights, out;
    int level, done;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOi", &given[0], &given[1], &given[2], &level) ||
        !table(given[0], &lines, 0, 1))
        return NULL;
    if (table(given[1], &weights, 0, 1)) {
        if (table(given[2], &out, PyBUF_WRITABLE, 4)) {
            Task t = {lines.buf, weights.buf, out.buf, lines.shape[0], weights.shape[0],
                      lines.shape[1], weights.strides[0]};
            if (lines.strides[0] == t.units && weights.shape[1] == t.units && t.units <= LONGEST &&
                out.shape[0] == t.height && out.shape[1] == t.draws &&
                out.strides[0] == t.draws * 4) {
                Py_BEGIN_ALLOW_THREADS
                done = weighed(&t, level);
                Py_END_ALLOW_THREADS
                answer = PyBool_FromLong(done);
            } else
                PyErr_SetString(PyExc_ValueError, "tables that do not fit together");
            PyBuffer_Release(&out);
        }
        PyBuffer_Release(&weights);
    }
    PyBuffer_Release(&lines);
    return answer;
}

/* steps(bytes, limits, out, places, level) -> how many bytes reach the last limit, or -1.
   `out` gets for each byte how many of the limits it reaches, `places` (int64) where those are that
   reach the last; there is room for all. */
static PyObject *steps(PyObject *module, PyObject *args) {
    Py_buffer bytes, limits, out, places;
    Py_ssize_t found = -1;
    int level;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*y*w*w*i", &bytes, &limits, &out, &places, &level))
        return NULL;
    int fits = out.len == bytes.len && places.len / 8 >= bytes.len;
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        found = steps_of(bytes.buf, bytes.len, limits.buf, limits.len, out.buf, places.buf, level);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&bytes);
    PyBuffer_Release(&limits);
    PyBuffer_Release(&out);
    PyBuffer_Release(&places);
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "buffers that do not fit together");
        return NULL;
    }
    return PyLong_FromSsize_t(found);
}

static PyMethodDef methods[] = {{"weigh", weigh, METH_VARARGS, NULL},
                                {"steps", steps, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static PyModuleDef_Slot slots[] = {{0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "karat.arrays._weigh", NULL, 0, methods,
                                    slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__weigh(void) { return PyModuleDef_Init(&module); }
