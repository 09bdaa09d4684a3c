/* The platform's functions for the driver: ports of devices, interrupts, time, the end. */
#ifndef VIRTUAL_PLATFORM_BOARD_H
#define VIRTUAL_PLATFORM_BOARD_H

#include <stdint.h>
#include "tensorloom.h"

void board_start(void);

/* The port of the device whose interrupt is this source of the interrupt controller. */
tl_port board_port(unsigned source);

/* From here on the source may interrupt; its next interrupt is recorded until wait_interrupt of its port. */
void board_expect_interrupt(unsigned source);
int board_has_interrupted(unsigned source);

uint64_t board_now_ns(void);

/* Ends the simulation. */
void end_simulation(uint32_t status);

#endif
