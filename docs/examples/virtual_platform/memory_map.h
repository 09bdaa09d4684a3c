/* The platform as its software sees it: addresses on the bus, registers, interrupt sources. For C and C++. */
#ifndef VIRTUAL_PLATFORM_MEMORY_MAP_H
#define VIRTUAL_PLATFORM_MEMORY_MAP_H

#include <stdint.h>

/* Blocks of registers, 4 KiB each. */
static const uint32_t block_bytes = 0x1000;
static const uint32_t console_at = 0x10000000;
static const uint32_t timer_at = 0x10001000;
static const uint32_t interrupt_controller_at = 0x10002000;
static const uint32_t exit_at = 0x10003000;
static const uint32_t triada_at = 0x40000000;
static const uint32_t torus_at = 0x40001000;
static const uint32_t mmv_at = 0x40002000;
static const uint32_t fetta_at = 0x40003000;
static const uint32_t nothing_at = 0x50000000; /* no target: a bus error */

/* RAM; the processor starts at its first byte. firmware/platform.ld has both numbers, too. */
static const uint32_t ram_at = 0x80000000;
static const uint32_t ram_bytes = 0x01000000;
/* The same bytes, which the processor accesses over the bus. */
static const uint32_t ram_on_bus_at = 0x70000000;

/* Registers of the console. */
static const uint32_t console_data = 0x0;   /* write: prints the character in bits 7..0 */
static const uint32_t console_status = 0x4; /* read: 1, always ready */

/* Registers of the timer, in ns of simulated time; pairs of low and high word. */
static const uint32_t timer_time_low = 0x0;
static const uint32_t timer_time_high = 0x4;
static const uint32_t timer_compare_low = 0x8; /* interrupts while time >= compare; all ones after reset */
static const uint32_t timer_compare_high = 0xc;

/* Registers of the interrupt controller; bit n of a mask is source n. */
static const uint32_t interrupt_pending = 0x0; /* read: sources that are high and not claimed */
static const uint32_t interrupt_enable = 0x4;
static const uint32_t interrupt_claim = 0x8; /* read: claims the lowest pending and enabled source, 0: none; */
                                             /* write: completes the source with this number */

/* Sources of the interrupt controller. */
enum { source_triada = 1, source_torus, source_mmv, source_fetta, source_end };

/* The register at exit_at ends the simulation with the status that is written. */

/* Work of the firmware, in register a0 at the start. */
enum firmware_work {
    work_jobs,    /* a job on every device */
    work_compute, /* a computation on the processor alone */
    work_on_bus,  /* the same computation, with its data over the bus */
    work_both     /* the same computation, while a TriADA device works without a pause */
};

#endif
