/* The arithmetic of bytes that resampling needs, many times faster than NumPy where the processor
   can: lines of small whole numbers times weights, and the numbers that random bytes stand for.

   Lines are from -128 to 127 and weights from 0 to 127, so two products add up to 16 bits and those
   of a block to 32: nothing is rounded and nothing overflows. On a processor without the
   instructions (and with a compiler that does not know them) there is no kernel, the functions say
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
    const uint8_t *weights; /* draws x stride, of which `units` count */
    int32_t *out;           /* draws x groups * GROUP */
    Py_ssize_t groups, draws, units, padded, stride;
} Task;

/* Random bytes, how many of them, and the rising limits; for each byte how many limits it reaches
   goes to `out`, and to `places` where those are that reach the last. */
typedef struct {
    const uint8_t *bytes, *limits;
    Py_ssize_t size, n;
    uint8_t *out;
    int64_t *places;
} Steps;

#ifdef KERNELS

static inline Py_ssize_t least(Py_ssize_t a, Py_ssize_t b) { return a < b ? a : b; }

/* The weights of up to four units; what is over the edge counts nothing. */
static inline int32_t four(const uint8_t *weights, Py_ssize_t unit, Py_ssize_t units) {
    int32_t found = 0;
    memcpy(&found, weights + unit, units - unit < FOUR ? (size_t)(units - unit) : FOUR);
    return found;
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
    Py_ssize_t u = first, whole = least(end, t->units / FOUR * FOUR)

/* The sums of a tile over its units: four at a time by ADD, then what is left of the last four. */
#define OVER_UNITS                                                                              \
    for (; u < whole; u += FOUR) {                                                              \
        ADD(four(w[i], u, u + FOUR))                                                            \
    }                                                                                           \
    for (; u < least(end, t->units); u += FOUR) {                                               \
        ADD(four(w[i], u, t->units))                                                            \
    }

/* Where the sums of a draw and a group stand, and which of them are kept. */
#define OUT(i, k) (t->out + ((draw + i) * t->groups + group + k) * GROUP)
#define KEPT(D, L)                                                                              \
    for (int k = 0; k < L && group + k < t->groups; k++)                                        \
        for (int i = 0; i < D && draw + i < t->draws; i++)

enum { WIDE_D = 8, WIDE_L = 3, NARROW_D = 4, NARROW_L = 1, SOME = 1024 };

__attribute__((target("avx512f,avx512bw,avx512vnni"))) static void
wide(const Task *t, Py_ssize_t draw, Py_ssize_t group, Py_ssize_t first, Py_ssize_t end) {
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
narrow(const Task *t, Py_ssize_t draw, Py_ssize_t group, Py_ssize_t first, Py_ssize_t end) {
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

/* Tiles 0 to 3 are the sums of two times 16 draws and two groups, 4 and 5 hold weights, 6 and 7
   lines. A tile is up to 16 rows of 64 bytes. */
__attribute__((target("amx-tile"))) static void shaped(Py_ssize_t one, Py_ssize_t other) {
    struct {
        uint8_t palette, start, none[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } shape;
    memset(&shape, 0, sizeof shape);
    shape.palette = 1;
    for (int i = 0; i < 8; i++) {
        shape.bytes[i] = STEP;
        shape.rows[i] = (uint8_t)(i >= 6 ? GROUP : i % 2 ? other : one);
    }
    WRITTEN;
    _tile_loadconfig(&shape);
}

/* The weights of some units of two times 16 draws, tile by tile; what is over the edge is 0. */
typedef uint8_t Near[SOME / STEP][2][GROUP][STEP];

static void copied(const Task *t, Py_ssize_t draw, Py_ssize_t first, Py_ssize_t end, Near near) {
    for (Py_ssize_t i = 0; i < 2 * GROUP; i++) {
        const uint8_t *weights = t->weights + (draw + i) * t->stride;
        Py_ssize_t units = draw + i < t->draws ? t->units : 0;
        for (Py_ssize_t u = first; u < end; u += STEP) {
            uint8_t *row = near[(u - first) / STEP][i / GROUP][i % GROUP];
            if (u + STEP <= units)
                memcpy(row, weights + u, STEP);
            else {
                memset(row, 0, STEP);
                if (u < units)
                    memcpy(row, weights + u, (size_t)(units - u));
            }
        }
    }
}

/* Some units of two times 16 draws with all groups. */
__attribute__((target("amx-tile,amx-int8"))) static void
multiplied(const Task *t, Py_ssize_t draw, Py_ssize_t first, Py_ssize_t end, Near near) {
    int more = draw + GROUP < t->draws;
    Py_ssize_t row = t->groups * GROUP * (Py_ssize_t)sizeof(int32_t);
    for (Py_ssize_t group = 0; group < t->groups; group += 2) {
        int both = group + 1 < t->groups;
        int32_t *sums = t->out + (draw * t->groups + group) * GROUP;
        int32_t *below = sums + GROUP * t->groups * GROUP;
        const int8_t *lines = t->lines + group * t->padded * GROUP;
        const int8_t *others = both ? lines + t->padded * GROUP : lines;
        _tile_loadd(0, sums, row);
        if (more)
            _tile_loadd(1, below, row);
        if (both)
            _tile_loadd(2, sums + GROUP, row);
        if (more && both)
            _tile_loadd(3, below + GROUP, row);
        for (Py_ssize_t u = first; u < end; u += STEP) {
            _tile_loadd(4, near[(u - first) / STEP][0], STEP);
            _tile_loadd(6, lines + u * GROUP, STEP);
            _tile_dpbusd(0, 4, 6);
            _tile_loadd(7, others + u * GROUP, STEP);
            _tile_dpbusd(2, 4, 7);
            if (more) {
                _tile_loadd(5, near[(u - first) / STEP][1], STEP);
                _tile_dpbusd(1, 5, 6);
                _tile_dpbusd(3, 5, 7);
            }
        }
        _tile_stored(0, sums, row);
        if (more)
            _tile_stored(1, below, row);
        if (both)
            _tile_stored(2, sums + GROUP, row);
        if (more && both)
            _tile_stored(3, below + GROUP, row);
    }
}

__attribute__((target("amx-tile"))) static void by_matrices(const Task *t) {
    _Alignas(64) Near near;
    for (Py_ssize_t first = 0; first < t->padded; first += SOME)
        for (Py_ssize_t draw = 0; draw < t->draws; draw += 2 * GROUP) {
            Py_ssize_t left = t->draws - draw, end = least(first + SOME, t->padded);
            shaped(least(left, GROUP), left > GROUP ? least(left - GROUP, GROUP) : 1);
            copied(t, draw, first, end, near);
            WRITTEN;
            multiplied(t, draw, first, end, near);
        }
    _tile_release();
}

#else
static int matrices(void) { return 0; }
static void by_matrices(const Task *t) { (void)t; }
#endif

typedef void (*Kernel)(const Task *, Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t);

static int weighed(const Task *t, int level) {
    __builtin_cpu_init();
    int wider = level >= 2 && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512vnni");
    if (level < 1 || !__builtin_cpu_supports("avx2"))
        return 0;
    if (level >= 3 && matrices()) {
        by_matrices(t);
        return 1;
    }
    Kernel tile = wider ? wide : narrow;
    int draws = wider ? WIDE_D : NARROW_D, groups = wider ? WIDE_L : NARROW_L;
    for (Py_ssize_t first = 0; first < t->padded; first += SOME)
        for (Py_ssize_t group = 0; group < t->groups; group += groups)
            for (Py_ssize_t draw = 0; draw < t->draws; draw += draws)
                tile(t, draw, group, first, least(first + SOME, t->padded));
    return 1;
}

/* The bytes from `at` on, one by one; how many of all reach the last limit. */
static Py_ssize_t one_by_one(const Steps *s, Py_ssize_t at, Py_ssize_t found) {
    for (; at < s->size; at++) {
        uint8_t sum = 0;
        for (Py_ssize_t k = 0; k < s->n; k++)
            sum += s->bytes[at] >= s->limits[k];
        s->out[at] = sum;
        if (s->n && s->bytes[at] >= s->limits[s->n - 1])
            s->places[found++] = at;
    }
    return found;
}

static inline Py_ssize_t placed(const Steps *s, Py_ssize_t at, uint64_t bits, Py_ssize_t found) {
    for (; bits; bits &= bits - 1)
        s->places[found++] = at + __builtin_ctzll(bits);
    return found;
}

__attribute__((target("avx512f,avx512bw"))) static Py_ssize_t wide_steps(const Steps *s) {
    Py_ssize_t found = 0, at = 0;
    const __m512i one = _mm512_set1_epi8(1);
    for (; at + 64 <= s->size; at += 64) {
        __m512i own = _mm512_loadu_si512(s->bytes + at), sum = _mm512_setzero_si512();
        __mmask64 reached = 0;
        for (Py_ssize_t k = 0; k < s->n; k++) {
            reached = _mm512_cmpge_epu8_mask(own, _mm512_set1_epi8((char)s->limits[k]));
            sum = _mm512_mask_add_epi8(sum, reached, sum, one);
        }
        _mm512_storeu_si512(s->out + at, sum);
        found = placed(s, at, reached, found);
    }
    return one_by_one(s, at, found);
}

__attribute__((target("avx2"))) static Py_ssize_t narrow_steps(const Steps *s) {
    Py_ssize_t found = 0, at = 0;
    for (; at + 32 <= s->size; at += 32) {
        __m256i own = _mm256_loadu_si256((const __m256i *)(s->bytes + at));
        __m256i sum = _mm256_setzero_si256(), reached = sum;
        for (Py_ssize_t k = 0; k < s->n; k++) {
            __m256i limit = _mm256_set1_epi8((char)s->limits[k]);
            reached = _mm256_cmpeq_epi8(_mm256_max_epu8(own, limit), own);
            sum = _mm256_sub_epi8(sum, reached);
        }
        _mm256_storeu_si256((__m256i *)(s->out + at), sum);
        found = placed(s, at, (uint32_t)_mm256_movemask_epi8(reached), found);
    }
    return one_by_one(s, at, found);
}

/* How many bytes reach the last limit, or -1 without a kernel. */
static Py_ssize_t stepped(const Steps *s, int level) {
    __builtin_cpu_init();
    if (level >= 2 && __builtin_cpu_supports("avx512bw"))
        return wide_steps(s);
    return level >= 1 && __builtin_cpu_supports("avx2") ? narrow_steps(s) : -1;
}

#else

static int weighed(const Task *t, int level) {
    (void)t, (void)level;
    return 0;
}

static Py_ssize_t stepped(const Steps *s, int level) {
    (void)s, (void)level;
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
   Lines (int8) are in groups as above, weights are draws x units (uint8), and the
   products are added to out, draws x lines of all groups (int32). `level` is the most that is used of the processor:
   0 nothing, 1 AVX2, 2 AVX-512, 3 AMX. */
static PyObject *weigh(PyObject *module, PyObject *args) {
    PyObject *given[2], *answer = NULL;
    Py_buffer lines, weights, out;
    int level, done;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*OOi", &lines, &given[0], &given[1], &level))
        return NULL;
    if (table(given[0], &weights, 0, 1)) {
        if (table(given[1], &out, PyBUF_WRITABLE, 4)) {
            Py_ssize_t units = weights.shape[1], padded = (units + STEP - 1) / STEP * STEP;
            Task t = {lines.buf, weights.buf, out.buf, out.shape[1] / GROUP, out.shape[0],
                      units, padded, weights.strides[0]};
            if (units <= LONGEST && weights.shape[0] == t.draws && out.shape[1] % GROUP == 0 &&
                out.strides[0] == out.shape[1] * 4 && lines.len == t.groups * padded * GROUP) {
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
    Steps s = {bytes.buf, limits.buf, bytes.len, limits.len, out.buf, places.buf};
    int fits = out.len == bytes.len && places.len / 8 >= bytes.len;
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        found = stepped(&s, level);
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
