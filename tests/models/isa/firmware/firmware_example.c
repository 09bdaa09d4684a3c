/* Firmware that transforms a cube of numbers on a TriADA device: Y = X x1 C1 x2 C2 x3 C3. */
#include <string.h>
#include "tensorloom.h"

/* ---- the machine: a 64-bit processor without caches; the board provides two functions ---- */

extern int interrupt_is_high(void); /* the device's line, from the interrupt controller */
extern uint64_t now_ns(void);       /* a timer */

static int read_word(void* context, uint64_t address, uint32_t* value)
{
    (void)context;
    *value = *(volatile uint32_t*)(uintptr_t)address;
    return 0;
}

static int write_word(void* context, uint64_t address, uint32_t value)
{
    (void)context;
    *(volatile uint32_t*)(uintptr_t)address = value;
    return 0;
}

static int read_block(void* context, uint64_t address, void* to, size_t bytes)
{
    (void)context;
    memcpy(to, (const void*)(uintptr_t)address, bytes);
    return 0;
}

static int write_block(void* context, uint64_t address, const void* from, size_t bytes)
{
    (void)context;
    memcpy((void*)(uintptr_t)address, from, bytes);
    return 0;
}

static int wait_interrupt(void* context, uint64_t timeout_ns)
{
    const uint64_t start = now_ns();
    (void)context;
    while (!interrupt_is_high()) {
        if (now_ns() - start >= timeout_ns) { return tl_port_timeout; }
    }
    return 0;
}

static int fence(void* context)
{
    (void)context;
    __sync_synchronize(); /* your compiler's full memory barrier */
    return 0;
}

const tl_port machine = {read_word, write_word, read_block, write_block, wait_interrupt, fence, 0};

/* ---- the job ---- */

/* Cubes of n x n x n doubles and matrices C[row][column] of n x n. `memory`: address of memory that the device can
 * access, a multiple of 16. */
tl_status transform_cube(const tl_port* port, uint64_t registers, uint64_t memory, uint32_t n, const double* x,
                         const double* const c[3], double* y, uint64_t* cycles)
{
    static uint8_t bytes[1024];
    const uint32_t size[3] = {n, n, n};
    const size_t cube_bytes = sizeof(double) * n * n * n;
    const size_t matrix_bytes = sizeof(double) * n * n;
    uint64_t at = memory + sizeof bytes;
    unsigned mode;
    tl_device device;
    tl_gemt gemt;
    tl_program program;
    tl_result result;
    size_t used;
    tl_status status = tl_probe(&device, port, registers, TL_TRIADA_ID);
    if (status != tl_ok) { return status; }

    /* addresses of all data */
    tl_gemt_init(&gemt);
    gemt.flags = TL_GEMT_FLAG_ESOP;
    status = tl_dense_tensor(&gemt.x, at, TL_TYPE_F64, 3, size);
    at += cube_bytes;
    if (status == tl_ok) { status = tl_dense_tensor(&gemt.y, at, TL_TYPE_F64, 3, size); }
    at += cube_bytes;
    for (mode = 0; mode < 3 && status == tl_ok; ++mode) {
        status = tl_dense_tensor(&gemt.matrix[mode], at, TL_TYPE_F64, 2, size);
        if (status == tl_ok && port->write_block(port->context, at, c[mode], matrix_bytes) != 0) {
            return tl_bus_error;
        }
        at += matrix_bytes;
    }
    if (status != tl_ok) { return status; }
    if (port->write_block(port->context, gemt.x.base, x, cube_bytes) != 0) { return tl_bus_error; }

    /* the program: one product */
    tl_program_begin(&program, bytes, sizeof bytes);
    tl_program_gemt(&program, &gemt, 1);
    tl_program_halt(&program, 2);
    status = tl_program_end(&program, &used);
    if (status != tl_ok) { return status; }

    status = tl_run(&device, bytes, used, memory, 1000000000, &result); /* at most a second */
    if (status != tl_ok) { return status; }                             /* see tl_error_text(result.error) */
    *cycles = result.cycles;
    return port->read_block(port->context, gemt.y.base, y, cube_bytes) == 0 ? tl_ok : tl_bus_error;
}
