/* The same job from a program of Linux, through UIO. */
#include "tensorloom_uio.h"

/* the example above */
tl_status transform_cube(const tl_port* port, uint64_t registers, uint64_t memory, uint32_t n, const double* x,
                         const double* const c[3], double* y, uint64_t* cycles);

/* `path`: "/dev/uio0". `buffer`: memory that the device's DMA reaches, mapped by the program. */
tl_status transform_from_linux(const char* path, const tl_uio_buffer* buffer, uint32_t n, const double* x,
                               const double* const c[3], double* y, uint64_t* cycles)
{
    tl_uio uio;
    tl_port port;
    tl_status status = tl_uio_open(&uio, path, buffer);
    if (status != tl_ok) { return status; } /* errno says why */
    port = tl_uio_port(&uio);
    status = transform_cube(&port, TL_UIO_REGISTERS, buffer->address, n, x, c, y, cycles);
    tl_uio_close(&uio);
    return status;
}
