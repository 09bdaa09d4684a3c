#include "jobs.h"
#include <string.h>
#include "board.h"
#include "memory_map.h"

static const uint64_t timeout_ns = 10000000; /* 10 ms */
static uint8_t program_bytes[1024] __attribute__((aligned(16)));

static tl_status probe(tl_device* device, uint32_t registers, uint32_t id, unsigned source)
{
    const tl_port port = board_port(source);
    return tl_probe(device, &port, registers, id);
}

static tl_status run(tl_device* device, tl_program* program, tl_result* result)
{
    const tl_status status = tl_program_end(program, NULL);
    if (status != tl_ok) { return status; }
    /* The device reads the program where it was built. */
    return tl_run(device, program->bytes, program->used, (uintptr_t)program->bytes, timeout_ns, result);
}

/* ---- Walsh-Hadamard transforms ---- */

/* In three modes of `side` elements each, a power of two. */
typedef struct cubes {
    uint32_t side;
    double* x;
    double* y;
    double* matrix; /* side x side */
} cubes;

static uint64_t address_of(const void* object) { return (uintptr_t)object; }

static int is_odd(uint32_t bits) { return __builtin_parity(bits); }

/* X counts 0, 1, 2, ..., and the matrix has the entries (-1)^(number of common bits of row and column). */
static void fill(const cubes* c)
{
    const uint32_t elements = c->side * c->side * c->side;
    uint32_t i;
    for (i = 0; i < elements; ++i) { c->x[i] = i; }
    for (i = 0; i < c->side * c->side; ++i) { c->matrix[i] = is_odd(i / c->side & i % c->side) ? -1.0 : 1.0; }
    memset(c->y, 0, elements * sizeof(double));
}

/* The transform of 0 .. N - 1 is N (N - 1) / 2 at index 0, -N 2^k / 2 at index 2^k, and 0 everywhere else. */
static int is_transform_of_count(const cubes* c)
{
    const uint32_t elements = c->side * c->side * c->side;
    uint32_t i;
    for (i = 0; i < elements; ++i) {
        const double half = elements / 2;
        const double expected = i == 0 ? half * (elements - 1) : (i & (i - 1)) == 0 ? -half * i : 0.0;
        if (c->y[i] != expected) { return 0; }
    }
    return 1;
}

static void describe(const cubes* c, tl_tensor* x, tl_tensor* y, tl_tensor matrix[3])
{
    const uint32_t size[3] = {c->side, c->side, c->side};
    unsigned mode;
    tl_dense_tensor(x, address_of(c->x), TL_TYPE_F64, 3, size);
    tl_dense_tensor(y, address_of(c->y), TL_TYPE_F64, 3, size);
    for (mode = 0; mode < 3; ++mode) { tl_dense_tensor(&matrix[mode], address_of(c->matrix), TL_TYPE_F64, 2, size); }
}

static void gemt_program(tl_program* program, const cubes* c)
{
    tl_gemt gemt;
    tl_gemt_init(&gemt);
    describe(c, &gemt.x, &gemt.y, gemt.matrix);
    tl_program_begin(program, program_bytes, sizeof program_bytes);
    tl_program_gemt(program, &gemt, 1);
}

tl_status transform_on_triada(int* right, tl_result* result)
{
    static double x[8 * 8 * 8], y[8 * 8 * 8], matrix[8 * 8];
    const cubes c = {8, x, y, matrix};
    tl_device device;
    tl_program program;
    tl_status status = probe(&device, triada_at, TL_TRIADA_ID, source_triada);
    if (status != tl_ok) { return status; }
    fill(&c);
    gemt_program(&program, &c);
    status = run(&device, &program, result);
    *right = is_transform_of_count(&c);
    return status;
}

tl_status transform_on_torus(int* right, tl_result* result)
{
    static double x[4 * 4 * 4], y[4 * 4 * 4], matrix[4 * 4];
    const cubes c = {4, x, y, matrix}; /* an element for each node */
    tl_device device;
    tl_program program;
    tl_orbit orbit;
    tl_status status = probe(&device, torus_at, TL_TORUS_ID, source_torus);
    if (status != tl_ok) { return status; }
    fill(&c);
    tl_orbit_init(&orbit);
    describe(&c, &orbit.x, &orbit.y, orbit.matrix);
    tl_program_begin(&program, program_bytes, sizeof program_bytes);
    tl_program_orbit(&program, &orbit, 1);
    status = run(&device, &program, result);
    *right = is_transform_of_count(&c);
    return status;
}

static struct {
    tl_device device;
    unsigned ended;
} busy;

tl_status start_long_transform(void)
{
    static double x[32 * 32 * 32], y[32 * 32 * 32], matrix[32 * 32];
    const cubes c = {32, x, y, matrix};
    unsigned i;
    tl_program program;
    tl_status status = probe(&busy.device, triada_at, TL_TRIADA_ID, source_triada);
    if (status != tl_ok) { return status; }
    for (i = 0; i < 32 * 32 * 32; ++i) { x[i] = 1.0; } /* any numbers: the result is not looked at */
    for (i = 0; i < 32 * 32; ++i) { matrix[i] = 0.5; }
    gemt_program(&program, &c);
    status = tl_program_end(&program, NULL);
    board_expect_interrupt(source_triada);
    return status == tl_ok ? tl_start(&busy.device, address_of(program_bytes)) : status;
}

tl_status repeat_long_transform(void)
{
    tl_status status;
    if (!board_has_interrupted(source_triada)) { return tl_ok; }
    status = tl_finish(&busy.device, timeout_ns, NULL);
    if (status != tl_ok) { return status; }
    ++busy.ended;
    board_expect_interrupt(source_triada);
    return tl_start(&busy.device, address_of(program_bytes));
}

unsigned long_transforms(void) { return busy.ended; }

/* ---- matrix products ---- */

enum { side = 16 };

/* Small integers: exact in every format. */
static int a_element(unsigned i, unsigned k) { return (int)(i + 2 * k) % 7 - 3; }
static int b_element(unsigned k, unsigned j) { return (int)(3 * k + j) % 5 - 2; }

static int product_element(unsigned i, unsigned j)
{
    int sum = 0;
    unsigned k;
    for (k = 0; k < side; ++k) { sum += a_element(i, k) * b_element(k, j); }
    return sum;
}

/* A LOAD or a STORE of dense matrices. */
static tl_transfer transfer(const void* matrices, uint8_t type, uint32_t count, uint64_t local)
{
    const uint32_t size[3] = {count, side, side};
    tl_transfer t;
    memset(&t, 0, sizeof t);
    tl_dense_tensor(&t.tensor, address_of(matrices), type, 3, size);
    t.local = local;
    return t;
}

tl_status product_on_mmv(int* right, tl_result* result)
{
    static int64_t operands[2][side][side], c[side][side];
    const uint32_t bytes = sizeof c; /* of a matrix, in the scratchpad as in memory */
    const tl_transfer in = transfer(operands, TL_TYPE_INT64, 2, 0);
    const tl_transfer out = transfer(c, TL_TYPE_INT64, 1, 2 * bytes);
    tl_device device;
    tl_program program;
    tl_product product;
    unsigned i, j;
    tl_status status = probe(&device, mmv_at, TL_MMV_ID, source_mmv);
    if (status != tl_ok) { return status; }
    for (i = 0; i < side; ++i) {
        for (j = 0; j < side; ++j) {
            operands[0][i][j] = a_element(i, j);
            operands[1][i][j] = b_element(i, j);
        }
    }
    memset(&product, 0, sizeof product);
    product.rows = product.depth = product.columns = side;
    product.weights.address = bytes;
    product.result.address = 2 * bytes;
    product.left.row_stride = product.weights.row_stride = product.result.row_stride = side;
    tl_program_begin(&program, program_bytes, sizeof program_bytes);
    tl_program_load(&program, &in, 1);
    tl_program_product(&program, &product, 2);
    tl_program_store(&program, &out, 3);
    status = run(&device, &program, result);
    *right = 1;
    for (i = 0; i < side; ++i) {
        for (j = 0; j < side; ++j) { *right = *right && c[i][j] == product_element(i, j); }
    }
    return status;
}

/* ---- a program of the assembler ---- */

extern uint8_t product_program[], product_program_end[]; /* product.S */

static const tl_relocation product_addresses[] = {
#include "product.bin.rel"
};

static uint16_t bf16(int value)
{
    const float wide = (float)value;
    uint32_t bits;
    memcpy(&bits, &wide, sizeof bits);
    return (uint16_t)(bits >> 16);
}

tl_status product_on_fetta(int* right, tl_result* result)
{
    static uint16_t a[side][side], b[side][side];
    static float c[side][side];
    tl_device device;
    tl_program program;
    unsigned i, j;
    tl_status status = probe(&device, fetta_at, TL_FETTA_ID, source_fetta);
    if (status != tl_ok) { return status; }
    for (i = 0; i < side; ++i) {
        for (j = 0; j < side; ++j) {
            a[i][j] = bf16(a_element(i, j));
            b[i][j] = bf16(b_element(i, j));
        }
    }
    tl_program_open(&program, product_program, (size_t)(product_program_end - product_program));
    tl_program_bind(&program, product_addresses, "a", address_of(a));
    tl_program_bind(&program, product_addresses, "b", address_of(b));
    status = tl_program_bind(&program, product_addresses, "c", address_of(c));
    if (status != tl_ok) { return status; }
    status = tl_run(&device, program.bytes, program.used, address_of(program_bytes), timeout_ns, result);
    *right = 1;
    for (i = 0; i < side; ++i) {
        for (j = 0; j < side; ++j) { *right = *right && c[i][j] == (float)product_element(i, j); }
    }
    return status;
}
