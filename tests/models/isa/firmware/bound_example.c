/* Firmware that runs an assembled program with tensors at any addresses. */
#include "tensorloom.h"

/* The symbolic addresses in product.bin, as written by tensorloom-asm beside the program. */
static const tl_relocation places[] = {
#include "product.bin.rel"
};

/* C = A B on a FETTA. `bytes`: the contents of product.bin, which are modified; `program_at`: the program's address for
 * the device. */
tl_status run_product(tl_device* fetta, void* bytes, size_t size, uint64_t program_at, uint64_t a, uint64_t b,
                      uint64_t c, tl_result* result)
{
    tl_program program;
    tl_status status = tl_program_open(&program, bytes, size);
    if (status == tl_ok) { status = tl_program_bind(&program, places, "a", a); }
    if (status == tl_ok) { status = tl_program_bind(&program, places, "b", b); }
    if (status == tl_ok) { status = tl_program_bind(&program, places, "c", c); }
    if (status != tl_ok) { return status; }
    return tl_run(fetta, program.bytes, program.used, program_at, 1000000000, result);
}
