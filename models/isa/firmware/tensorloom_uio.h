/* TensorLoom devices from user space of Linux: a tl_port (tensorloom.h) over UIO.
 *
 * The kernel's uio_pdrv_genirq gives a device a file, /dev/uio0. Map 0 of it is the register block, a read() waits for
 * interrupts and returns their number, a write() of 1 enables the interrupt, which the kernel disables at each one. UIO
 * gives no memory that the device's DMA reaches: the caller maps it and passes it as a buffer.
 *
 * C99 with POSIX.1-2008 (open, mmap, poll, clock_gettime), no allocator. Unlike tensorloom.c it needs an operating
 * system. One caller drives a device at a time; several devices are independent.
 *
 * Example
 *
 *     tl_uio uio;
 *     tl_device device;
 *     tl_uio_buffer buffer = {mapped, 0x80000000u, 0x100000u};
 *     tl_status status = tl_uio_open(&uio, "/dev/uio0", &buffer);
 *     if (status == tl_ok) {
 *         const tl_port port = tl_uio_port(&uio);
 *         status = tl_probe(&device, &port, TL_UIO_REGISTERS, TL_TRIADA_ID);
 *         ...
 *         tl_uio_close(&uio);
 *     }
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TENSORLOOM_UIO_H
#define TENSORLOOM_UIO_H

#include "tensorloom.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The base of the registers for tl_probe: the port counts the addresses of words from the register block. */
#define TL_UIO_REGISTERS 0u

/* Memory that processor and device access: contiguous for the device, and coherent or mapped without a cache. */
typedef struct tl_uio_buffer {
    void* at;         /* where the process has mapped it */
    uint64_t address; /* the same byte for the device's DMA */
    size_t bytes;
} tl_uio_buffer;

/* An open device. Its members belong to the functions below. */
typedef struct tl_uio {
    int file;
    volatile uint32_t* registers;
    tl_uio_buffer buffer;
} tl_uio;

/* Opens the file and maps the registers. tl_no_device, with the reason in errno, when the system refuses either. */
tl_status tl_uio_open(tl_uio* uio, const char* path, const tl_uio_buffer* buffer);

/* Unmaps the registers and closes the file. A program that runs continues to run. The buffer remains the caller's. */
void tl_uio_close(tl_uio* uio);

/* The port of an open device; `uio` must outlive it.
 *
 * Words    registers, at multiples of 4 below TL_REGISTER_BLOCK_BYTES; other addresses fail
 * Blocks   bytes of the buffer, by their addresses for the device; others fail
 * Wait     enables the interrupt and waits until one has come and IRQ_STATUS & IRQ_ENABLE is not 0: an interrupt that
 *          came before, or of another device on the line, does not end the wait. Time-outs have steps of 1 ms
 */
tl_port tl_uio_port(tl_uio* uio);

#ifdef __cplusplus
}
#endif

#endif
