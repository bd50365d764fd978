/* Lines of small whole numbers times weights, which is what resampling does most: in the arithmetic
   of bytes, many times faster than NumPy where the processor can.

   Lines are from -128 to 127 and weights from 0 to 127, so two products add up to 16 bits and those
   of a block to 32: nothing is rounded and nothing overflows. On a processor without the
   instructions (and with a compiler that does not know them) there is no kernel, `weigh` says
   so, and arrays/weigh.py does the same with NumPy, to the same numbers. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define KERNELS 1
#include <immintrin.h>
#if defined(__linux__) && (defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 11)
#define MATRICES 1
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif
#endif

/* Lines come in groups: for four units at a time, four numbers of each of GROUP lines. Units are
   filled up with zeros to a multiple of STEP. */
enum { LONGEST = 1 << 16, GROUP = 16, FOUR = 4, STEP = 64 };

typedef struct {
    const int8_t *lines;    /* groups x padded / FOUR x GROUP x FOUR */
    const uint8_t *weights; /* draws x stride, of which `units` count: bytes, or bits */
    int32_t *out;           /* draws x groups * GROUP */
    Py_ssize_t groups, draws, units, padded, stride;
    int bits;
} Task;

#ifdef KERNELS

static uint8_t bits_of[256][8];  /* the bits of each byte, the highest first; filled when loaded */

static inline Py_ssize_t least(Py_ssize_t a, Py_ssize_t b) { return a < b ? a : b; }

/* The weights of up to four units; what is over the edge counts nothing. */
static inline int32_t four(const uint8_t *weights, Py_ssize_t unit, Py_ssize_t units) {
    int32_t found = 0;
    memcpy(&found, weights + unit, units - unit < FOUR ? (size_t)(units - unit) : FOUR);
    return found;
}

/* STEP weights of one draw; what is over the edge is 0. */
static inline void some(const Task *t, Py_ssize_t draw, Py_ssize_t unit, uint8_t *out) {
    Py_ssize_t there = draw < t->draws ? least(t->units - unit, STEP) : 0;
    const uint8_t *weights = t->weights + draw * t->stride + (t->bits ? unit / 8 : unit);
    if (there < STEP)
        memset(out, 0, STEP);
    if (there == STEP && t->bits)
        for (int k = 0; k < STEP / 8; k++)
            memcpy(out + 8 * k, bits_of[weights[k]], 8);
    else if (there == STEP)
        memcpy(out, weights, STEP);
    else
        for (Py_ssize_t k = 0; k < there; k++)
            out[k] = t->bits ? bits_of[weights[k / 8]][k % 8] : weights[k];
}

/* Written out, so that the compiler keeps the sums of a tile in registers. */
#define EACH(i, N) _Pragma("GCC unroll 8") for (int i = 0; i < N; i++)

/* A tile of D draws and L groups. What is over the edge is the last one again, and is not kept. */
#define TILE(D, L)                                                                              \
    const uint8_t *w[D];                                                                        \
    const int8_t *l[L];                                                                         \
    for (int i = 0; i < D; i++)                                                                 \
        w[i] = t->weights + least(draw + i, t->draws - 1) * t->stride;                          \
    for (int k = 0; k < L; k++)                                                                 \
        l[k] = t->lines + least(group + k, t->groups - 1) * t->padded * GROUP;                  \
    Py_ssize_t u = 0, whole = t->units / FOUR * FOUR

/* The sums of a tile over its units: four at a time by ADD, then what is left of the last four. */
#define OVER_UNITS                                                                              \
    for (; u < whole; u += FOUR) {                                                              \
        ADD(four(w[i], u, u + FOUR))                                                            \
    }                                                                                           \
    for (; u < t->units; u += FOUR) {                                                           \
        ADD(four(w[i], u, t->units))                                                            \
    }

/* Where the sums of a draw and a group stand, and which of them are kept. */
#define OUT(i, k) (t->out + ((draw + i) * t->groups + group + k) * GROUP)
#define KEPT(D, L)                                                                              \
    for (int k = 0; k < L && group + k < t->groups; k++)                                        \
        for (int i = 0; i < D && draw + i < t->draws; i++)

enum { WIDE_D = 8, WIDE_L = 3, NARROW_D = 4, NARROW_L = 1, SOME = 1024, MANY = 64 };

__attribute__((target("avx512f,avx512bw,avx512vnni"))) static void
wide(const Task *t, Py_ssize_t draw, Py_ssize_t group) {
    TILE(WIDE_D, WIDE_L);
    __m512i sum[WIDE_L][WIDE_D];
    EACH(k, WIDE_L) EACH(i, WIDE_D) sum[k][i] = _mm512_setzero_si512();
#define ADD(WEIGHTS)                                                                            \
    __m512i own[WIDE_L];                                                                        \
    EACH(k, WIDE_L) own[k] = _mm512_loadu_si512(l[k] + u * GROUP);                              \
    EACH(i, WIDE_D) {                                                                           \
        __m512i weight = _mm512_set1_epi32(WEIGHTS);                                            \
        EACH(k, WIDE_L) sum[k][i] = _mm512_dpbusd_epi32(sum[k][i], weight, own[k]);             \
    }
    OVER_UNITS
#undef ADD
    __m512i found[WIDE_L][WIDE_D];
    EACH(k, WIDE_L) EACH(i, WIDE_D) found[k][i] = sum[k][i];
    KEPT(WIDE_D, WIDE_L)
        _mm512_storeu_si512(OUT(i, k),
                            _mm512_add_epi32(_mm512_loadu_si512(OUT(i, k)), found[k][i]));
}

__attribute__((target("avx2"))) static void
narrow(const Task *t, Py_ssize_t draw, Py_ssize_t group) {
    TILE(NARROW_D, NARROW_L);
    __m256i sum[2][NARROW_D], one = _mm256_set1_epi16(1);
    EACH(k, 2) EACH(i, NARROW_D) sum[k][i] = _mm256_setzero_si256();
#define ADD(WEIGHTS)                                                                            \
    __m256i own[2];                                                                             \
    EACH(k, 2) own[k] = _mm256_loadu_si256((const __m256i *)(l[0] + u * GROUP) + k);            \
    EACH(i, NARROW_D) {                                                                         \
        __m256i weight = _mm256_set1_epi32(WEIGHTS);                                            \
        EACH(k, 2) {                                                                            \
            __m256i two = _mm256_maddubs_epi16(weight, own[k]);                                 \
            sum[k][i] = _mm256_add_epi32(sum[k][i], _mm256_madd_epi16(two, one));               \
        }                                                                                       \
    }
    OVER_UNITS
#undef ADD
    __m256i found[2][NARROW_D];
    EACH(k, 2) EACH(i, NARROW_D) found[k][i] = sum[k][i];
    KEPT(NARROW_D, NARROW_L)
        for (int half = 0; half < 2; half++) {
            __m256i *place = (__m256i *)OUT(i, k) + half;
            _mm256_storeu_si256(place, _mm256_add_epi32(_mm256_loadu_si256(place), found[half][i]));
        }
}

#ifdef MATRICES

/* Whether the processor multiplies matrices (AMX), and the system lets us: it wants to be asked. */
static int matrices(void) {
    static int known = -1;
    unsigned a, b, c, d;
    if (known < 0) {
        enum { TILES = 1 << 24, BYTES = 1 << 25, ASK = 0x1023, TILE_DATA = 18 };
        known = __get_cpuid_count(7, 0, &a, &b, &c, &d) && d & TILES && d & BYTES &&
                !syscall(SYS_arch_prctl, ASK, TILE_DATA);
    }
    return known;
}

/* Compilers do not know that the instructions for tiles read memory: all has to be there by now. */
#define WRITTEN __asm__ volatile("" ::: "memory")

/* Tiles are 16 rows of 64 bytes: 0 to 3 are the sums of four times 16 draws with a group, 4 holds
   lines, 5 to 7 weights. */
__attribute__((target("amx-tile"))) static void shaped(void) {
    struct {
        uint8_t palette, start, none[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } shape;
    memset(&shape, 0, sizeof shape);
    shape.palette = 1;
    for (int i = 0; i < 8; i++)
        shape.bytes[i] = STEP, shape.rows[i] = GROUP;
    WRITTEN;
    _tile_loadconfig(&shape);
}

/* The weights of a few units of four times 16 draws, tile by tile: they stay in the nearest cache. */
enum { FEW = 512, DRAWS = 4 * GROUP };
typedef uint8_t Near[FEW / STEP][4][GROUP][STEP];

static void copied(const Task *t, Py_ssize_t draw, Py_ssize_t first, Py_ssize_t end, Near near) {
    for (Py_ssize_t i = 0; i < DRAWS; i++)
        for (Py_ssize_t u = first; u < end; u += STEP)
            some(t, draw + i, u, near[(u - first) / STEP][i / GROUP][i % GROUP]);
}

/* Add the products of these weights with one group to the sums, whose rows are so many bytes
   apart. */
__attribute__((target("amx-tile,amx-int8"))) static void
multiplied(const int8_t *lines, Near near, Py_ssize_t units, int32_t *sums, Py_ssize_t row) {
    Py_ssize_t part = GROUP * row / (Py_ssize_t)sizeof *sums;
    _tile_loadd(0, sums, row);
    _tile_loadd(1, sums + part, row);
    _tile_loadd(2, sums + 2 * part, row);
    _tile_loadd(3, sums + 3 * part, row);
    for (Py_ssize_t u = 0; u < units; u += STEP) {
        uint8_t(*own)[GROUP][STEP] = near[u / STEP];
        _tile_loadd(4, lines + u * GROUP, STEP);
        _tile_loadd(5, own[0], STEP);
        _tile_dpbusd(0, 5, 4);
        _tile_loadd(6, own[1], STEP);
        _tile_dpbusd(1, 6, 4);
        _tile_loadd(7, own[2], STEP);
        _tile_dpbusd(2, 7, 4);
        _tile_loadd(5, own[3], STEP);
        _tile_dpbusd(3, 5, 4);
    }
    _tile_stored(0, sums, row);
    _tile_stored(1, sums + part, row);
    _tile_stored(2, sums + 2 * part, row);
    _tile_stored(3, sums + 3 * part, row);
}

/* The same for the last draws, of which there are fewer. */
static void added(const Task *t, Py_ssize_t draw, Py_ssize_t group, Near near, Py_ssize_t first,
                  Py_ssize_t units) {
    _Alignas(64) int32_t sums[DRAWS][GROUP];
    memset(sums, 0, sizeof sums);
    multiplied(t->lines + (group * t->padded + first) * GROUP, near, units, sums[0], sizeof sums[0]);
    WRITTEN;
    for (int i = 0; draw + i < t->draws; i++)
        for (int k = 0; k < GROUP; k++)
            t->out[((draw + i) * t->groups + group) * GROUP + k] += sums[i][k];
}

__attribute__((target("amx-tile"))) static void by_matrices(const Task *t) {
    _Alignas(64) Near near;
    shaped();
    for (Py_ssize_t first = 0; first < t->padded; first += FEW)
        for (Py_ssize_t draw = 0; draw < t->draws; draw += DRAWS) {
            Py_ssize_t end = least(first + FEW, t->padded);
            copied(t, draw, first, end, near);
            WRITTEN;
            for (Py_ssize_t group = 0; group < t->groups; group++)
                if (draw + DRAWS <= t->draws)
                    multiplied(t->lines + (group * t->padded + first) * GROUP, near, end - first,
                               t->out + (draw * t->groups + group) * GROUP,
                               t->groups * GROUP * (Py_ssize_t)sizeof *t->out);
                else
                    added(t, draw, group, near, first, end - first);
        }
    _tile_release();
}

#else
static int matrices(void) { return 0; }
static void by_matrices(const Task *t) { (void)t; }
#endif

static void ready(void) {
    for (int byte = 0; byte < 256; byte++)
        for (int k = 0; k < 8; k++)
            bits_of[byte][k] = byte >> (7 - k) & 1;
}

typedef void (*Kernel)(const Task *, Py_ssize_t, Py_ssize_t);

/* How much there is: 0 nothing, 1 AVX2, 2 AVX-512, 3 AMX. */
static int there(void) {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2"))
        return 0;
    if (!__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512vnni"))
        return 1;
    return matrices() ? 3 : 2;
}

static int weighed(const Task *t, int level) {
    level = level < there() ? level : there();
    if (level < 1)
        return 0;
    if (level == 3) {
        by_matrices(t);
        return 1;
    }
    int wider = level == 2;
    Kernel tile = wider ? wide : narrow;
    int draws = wider ? WIDE_D : NARROW_D, groups = wider ? WIDE_L : NARROW_L;
    Py_ssize_t most = t->bits ? MANY : t->draws;
    uint8_t near[MANY][SOME];
    for (Py_ssize_t first = 0; first < t->padded; first += SOME)
        for (Py_ssize_t start = 0; start < t->draws; start += most) {
            Task own = *t;
            own.lines += first * GROUP, own.out += start * t->groups * GROUP;
            own.draws = least(most, t->draws - start), own.units = least(SOME, t->units - first);
            own.weights += start * t->stride + first;
            if (t->bits) {
                for (Py_ssize_t i = 0; i < own.draws; i++)
                    for (Py_ssize_t u = 0; u < own.units; u += STEP)
                        some(t, start + i, first + u, near[i] + u);
                own.weights = near[0], own.stride = SOME;
            }
            for (Py_ssize_t group = 0; group < t->groups; group += groups)
                for (Py_ssize_t draw = 0; draw < own.draws; draw += draws)
                    tile(&own, draw, group);
        }
    return 1;
}

#else

static int there(void) { return 0; }

static int weighed(const Task *t, int level) {
    (void)t, (void)level;
    return 0;
}

static void ready(void) {}

#endif

/* A table whose rows need not follow each other. */
static int table(PyObject *given, Py_buffer *found, int flags) {
    if (PyObject_GetBuffer(given, found, flags | PyBUF_STRIDES) < 0)
        return 0;
    Py_ssize_t size = found->itemsize;
    if (found->ndim == 2 && size > 0 && found->shape[0] > 0 && found->shape[1] > 0 &&
        found->strides[1] == size && found->strides[0] >= found->shape[1] * size &&
        found->strides[0] % size == 0)
        return 1;
    PyBuffer_Release(found);
    PyErr_SetString(PyExc_ValueError, "not a table, or an empty one");
    return 0;
}

/* weigh(lines, weights, units, out, level) -> whether there is a kernel for it.
   Lines (int8) are in groups as above, weights are draws x units: bytes, or the bits of words of
   eight bytes. The products are added to out, draws x lines of all groups (int32). `level` is the
   most that is used of the processor: 0 nothing, 1 AVX2, 2 AVX-512, 3 AMX. */
static PyObject *weigh(PyObject *module, PyObject *args) {
    PyObject *given[2], *answer = NULL;
    Py_buffer lines, weights, out;
    Py_ssize_t units;
    int level, done;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*OnOi", &lines, &given[0], &units, &given[1], &level))
        return NULL;
    if (table(given[0], &weights, 0)) {
        if (table(given[1], &out, PyBUF_WRITABLE)) {
            units = units < 1 || units > LONGEST ? 0 : units;
            Py_ssize_t padded = (units + STEP - 1) / STEP * STEP;
            int bits = weights.itemsize == 8;
            Task t = {lines.buf, weights.buf, out.buf, out.shape[1] / GROUP, out.shape[0],
                      units, padded, weights.strides[0], bits};
            if (units && weights.shape[0] == t.draws &&
                weights.shape[1] == (bits ? padded / STEP : units) &&
                (bits || weights.itemsize == 1) && out.itemsize == 4 &&
                out.shape[1] % GROUP == 0 && out.strides[0] == out.shape[1] * 4 &&
                lines.len == t.groups * padded * GROUP) {
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

/* level() -> the most that can be used of the processor. */
static PyObject *level(PyObject *module, PyObject *none) {
    (void)module, (void)none;
    return PyLong_FromLong(there());
}

static PyMethodDef methods[] = {{"weigh", weigh, METH_VARARGS, NULL},
                                {"level", level, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static PyModuleDef_Slot slots[] = {{0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "carob.arrays._weigh", NULL, 0, methods,
                                    slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__weigh(void) {
    ready();
    return PyModuleDef_Init(&module);
}
