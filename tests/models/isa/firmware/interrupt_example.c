/* Firmware that runs three devices in parallel, whose interrupts share one line. Each computes C = A B for dense,
 * contiguous matrices of n x n elements in its format. */
#include <string.h>
#include "tensorloom.h"

/* ---- provided by the board ---- */

/* Returns when the handler below has run since the last call: at once when it has run already. */
extern void sleep_until_interrupt(void);
/* The handler does not run between these two; interrupts stay pending meanwhile. */
extern void mask_interrupts(void);
extern void unmask_interrupts(void);

/* ---- jobs and their interrupts ---- */

enum { job_count = 3 };

typedef struct job {
    tl_device device;
    volatile int running;
    volatile tl_status status; /* of a job that has ended */
    tl_result result;
} job;

static job jobs[job_count];

/* The handler is called when the line is high: it need not wait. */
static int line_is_high(void* context, uint64_t timeout_ns)
{
    (void)context;
    (void)timeout_ns;
    return 0;
}

/* The handler. The line is high while any device interrupts, and one pending bit may represent several devices: the
 * handler polls all of them until none has ended. tl_finish clears a device's interrupt, and returns tl_spurious for a
 * device that is still running. */
void device_interrupt(void)
{
    int ended = 1;
    while (ended) {
        unsigned j;
        ended = 0;
        for (j = 0; j < job_count; ++j) {
            if (!jobs[j].running) { continue; }
            jobs[j].status = tl_finish(&jobs[j].device, 0, &jobs[j].result);
            if (jobs[j].status == tl_spurious) { continue; }
            jobs[j].running = 0;
            ended = 1;
        }
    }
}

/* ---- the programs ---- */

/* Y = X x2 B for a tensor of n x n x 1: one stage of three. */
static void product_on_triada(tl_program* program, const tl_device* device, uint64_t data, uint32_t n)
{
    const uint32_t cube[3] = {n, n, 1};
    const uint64_t bytes = (uint64_t)TL_TYPE_F64_BYTES * n * n;
    tl_gemt gemt;
    (void)device;
    tl_gemt_init(&gemt);
    gemt.order[0] = 2;
    gemt.order[1] = 1;
    gemt.order[2] = 3;
    gemt.stage_mask = 1;
    tl_dense_tensor(&gemt.x, data, TL_TYPE_F64, 3, cube);
    tl_dense_tensor(&gemt.matrix[1], data + bytes, TL_TYPE_F64, 2, cube);
    tl_dense_tensor(&gemt.y, data + 2 * bytes, TL_TYPE_F64, 3, cube);
    tl_program_gemt(program, &gemt, 1);
}

/* Loads A and B into the scratchpad, multiplies row by row in a loop, stores C. */
static void product_on_mmv(tl_program* program, const tl_device* device, uint64_t data, uint32_t n)
{
    const uint32_t row = TL_TYPE_INT64_BYTES * n;
    const uint32_t both[3] = {2, n, n};
    tl_transfer in;
    tl_transfer out;
    tl_matmul matmul;
    memset(&in, 0, sizeof in);
    memset(&out, 0, sizeof out);
    memset(&matmul, 0, sizeof matmul);
    tl_dense_tensor(&in.tensor, data, TL_TYPE_INT64, 3, both);
    tl_dense_tensor(&out.tensor, data + 2u * row * n, TL_TYPE_INT64, 2, both + 1);
    out.local = 2u * row * n;
    matmul.left.step[0] = (int32_t)row; /* the next row in each iteration */
    matmul.weights.address = row * n;
    matmul.weights.row_stride = (int32_t)n;
    matmul.result.address = (uint32_t)out.local;
    matmul.result.step[0] = (int32_t)row;
    matmul.words = device->size[0]; /* one row of s words */
    matmul.left_columns = n;
    matmul.result_columns = n;
    tl_program_load(program, &in, 1);
    tl_program_loop(program, n, 2);
    tl_program_matmul(program, &matmul, 3);
    tl_program_loop_end(program, 4);
    tl_program_store(program, &out, 5);
}

/* Loads A and B, bfloat16, into the window of 16-bit elements; stores C, float32, from the other window, after them. */
static void product_on_fetta(tl_program* program, const tl_device* device, uint64_t data, uint32_t n)
{
    const uint32_t engines = device->size[0] & 0xffu;
    const uint32_t block =
        4u * engines * (device->size[0] >> 8 & 0xffu); /* bytes with the same layout in both windows */
    const uint32_t operands = 2u * TL_TYPE_BF16_BYTES * n * n;
    const uint32_t result = (operands + block - 1u) / block * block;
    const uint32_t both[3] = {2, n, n};
    tl_transfer in;
    tl_transfer out;
    tl_contract contract;
    memset(&in, 0, sizeof in);
    memset(&out, 0, sizeof out);
    tl_dense_tensor(&in.tensor, data, TL_TYPE_BF16, 3, both);
    tl_dense_tensor(&out.tensor, data + operands, TL_TYPE_F32, 2, both + 1);
    out.local = (uint64_t)engines * device->size[1] + result;
    tl_contract_init(&contract);
    contract.flags =
        TL_FETTA_CONTRACT_FLAG_LINEAR_IA | TL_FETTA_CONTRACT_FLAG_LINEAR_IB | TL_FETTA_CONTRACT_FLAG_LINEAR_RESULT;
    contract.contracted = n;
    contract.ia_free = n;
    contract.ib_free = n;
    contract.mask_ia = engines - 1u; /* engines share the rows of A */
    contract.ia.modes[1] = 1;        /* one contracted mode, then one free mode */
    contract.ia.modes[2] = 1;
    contract.ia.mode[0].size = n;
    contract.ia.mode[0].stride = 1;
    contract.ia.mode[1].size = n;
    contract.ia.mode[1].stride = (int32_t)n;
    contract.ib.base = n * n;
    contract.ib.modes[1] = 1;
    contract.ib.modes[2] = 1;
    contract.ib.mode[0].size = n;
    contract.ib.mode[0].stride = (int32_t)n;
    contract.ib.mode[1].size = n;
    contract.ib.mode[1].stride = 1;
    contract.result.base = result / TL_TYPE_F32_BYTES;
    contract.result.modes[1] = 1; /* IA's free mode, then IB's */
    contract.result.modes[2] = 1;
    contract.result.mode[0].size = n;
    contract.result.mode[0].stride = (int32_t)n;
    contract.result.mode[1].size = n;
    contract.result.mode[1].stride = 1;
    tl_program_load(program, &in, 1);
    tl_program_contract(program, &contract, 2);
    tl_program_store(program, &out, 3);
}

/* ---- all devices ---- */

/* Registers of a TriADA, an MMU/VCU pair and a FETTA; `data`: addresses of A and B for each, followed by C; `programs`:
 * 1 KiB for each, at a multiple of 16. Returns the first status other than tl_ok. */
tl_status run_three_products(const tl_port* port, const uint64_t registers[3], const uint64_t data[3],
                             uint64_t programs, uint32_t n)
{
    static const uint32_t ids[job_count] = {TL_TRIADA_ID, TL_MMV_ID, TL_FETTA_ID};
    static void (*const products[job_count])(tl_program*, const tl_device*, uint64_t,
                                             uint32_t) = {product_on_triada, product_on_mmv, product_on_fetta};
    static uint8_t bytes[1024];
    tl_port in_handler = *port;
    tl_status status = tl_ok;
    unsigned j;
    in_handler.wait_interrupt = line_is_high;
    for (j = 0; j < job_count && status == tl_ok; ++j) {
        job* const own = &jobs[j];
        tl_program program;
        size_t used = 0;
        status = tl_probe(&own->device, &in_handler, registers[j], ids[j]);
        if (status != tl_ok) { break; }
        tl_program_begin(&program, bytes, sizeof bytes);
        products[j](&program, &own->device, data[j], n);
        status = tl_program_end(&program, &used);
        if (status == tl_ok && port->write_block(port->context, programs, bytes, used) != 0) { status = tl_bus_error; }
        if (status == tl_ok) {
            mask_interrupts(); /* an earlier interrupt must not be taken for this program's end */
            status = tl_start(&own->device, programs);
            own->running = status == tl_ok;
            unmask_interrupts();
        }
        programs += sizeof bytes;
    }
    for (j = 0; j < job_count; ++j) {
        while (jobs[j].running) { sleep_until_interrupt(); }
        if (status == tl_ok) { status = jobs[j].status; }
    }
    return status;
}
