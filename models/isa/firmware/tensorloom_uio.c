/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "tensorloom_uio.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

tl_status tl_uio_open(tl_uio* uio, const char* path, const tl_uio_buffer* buffer)
{
    void* registers;
    memset(uio, 0, sizeof *uio);
    uio->buffer = *buffer;
    uio->file = open(path, O_RDWR | O_CLOEXEC);
    if (uio->file < 0) { return tl_no_device; }
    registers = mmap(NULL, TL_REGISTER_BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, uio->file, 0);
    if (registers == MAP_FAILED) {
        const int reason = errno;
        close(uio->file);
        errno = reason;
        return tl_no_device;
    }
    uio->registers = registers;
    return tl_ok;
}

void tl_uio_close(tl_uio* uio)
{
    munmap((void*)(uintptr_t)uio->registers, TL_REGISTER_BLOCK_BYTES);
    close(uio->file);
}

/* ---- registers ---- */

static int is_register(uint64_t address) { return address < TL_REGISTER_BLOCK_BYTES && address % 4u == 0u; }

static int read_word(void* context, uint64_t address, uint32_t* value)
{
    const tl_uio* uio = context;
    if (!is_register(address)) { return -1; }
    *value = uio->registers[address / 4u];
    return 0;
}

static int write_word(void* context, uint64_t address, uint32_t value)
{
    const tl_uio* uio = context;
    if (!is_register(address)) { return -1; }
    uio->registers[address / 4u] = value;
    return 0;
}

/* ---- memory ---- */

/* The bytes at the device's address, or null when some of them are outside the buffer. */
static uint8_t* in_buffer(const tl_uio* uio, uint64_t address, size_t bytes)
{
    const uint64_t offset = address - uio->buffer.address;
    if (address < uio->buffer.address || offset > uio->buffer.bytes || bytes > uio->buffer.bytes - offset) {
        return NULL;
    }
    return (uint8_t*)uio->buffer.at + offset;
}

static int read_block(void* context, uint64_t address, void* to, size_t bytes)
{
    const uint8_t* from = in_buffer(context, address, bytes);
    if (from == NULL) { return -1; }
    memcpy(to, from, bytes);
    return 0;
}

static int write_block(void* context, uint64_t address, const void* from, size_t bytes)
{
    uint8_t* to = in_buffer(context, address, bytes);
    if (to == NULL) { return -1; }
    memcpy(to, from, bytes);
    return 0;
}

static int fence(void* context)
{
    (void)context;
    __sync_synchronize();
    return 0;
}

/* ---- interrupts ---- */

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* As poll(): 1 the file can be read, 0 not within timeout_ns after `start`, -1 failed. */
static int poll_until(int file, uint64_t start, uint64_t timeout_ns)
{
    struct pollfd events;
    int ready;
    memset(&events, 0, sizeof events);
    events.fd = file;
    events.events = POLLIN;
    do {
        const uint64_t past = now_ns() - start;
        const uint64_t left_ms = past < timeout_ns ? (timeout_ns - past - 1u) / 1000000u + 1u : 0u;
        ready = poll(&events, 1, left_ms < (uint64_t)INT_MAX ? (int)left_ms : INT_MAX);
    } while (ready < 0 && errno == EINTR);
    if (ready > 0 && (events.revents & POLLIN) == 0) { return -1; }
    return ready;
}

static int wait_interrupt(void* context, uint64_t timeout_ns)
{
    const tl_uio* uio = context;
    const uint64_t start = now_ns();
    for (;;) {
        const int32_t enable = 1;
        int32_t interrupts;
        int ready;
        if (write(uio->file, &enable, sizeof enable) != (ssize_t)sizeof enable) { return -1; }
        ready = poll_until(uio->file, start, timeout_ns);
        if (ready == 0) { return tl_port_timeout; }
        if (ready < 0 || read(uio->file, &interrupts, sizeof interrupts) != (ssize_t)sizeof interrupts) { return -1; }
        if ((uio->registers[TL_REG_IRQ_STATUS / 4u] & uio->registers[TL_REG_IRQ_ENABLE / 4u]) != 0u) { return 0; }
        /* another device's interrupt, perhaps again and again */
        if (now_ns() - start >= timeout_ns) { return tl_port_timeout; }
    }
}

tl_port tl_uio_port(tl_uio* uio)
{
    tl_port port;
    port.read_word = read_word;
    port.write_word = write_word;
    port.read_block = read_block;
    port.write_block = write_block;
    port.wait_interrupt = wait_interrupt;
    port.fence = fence;
    port.context = uio;
    return port;
}
