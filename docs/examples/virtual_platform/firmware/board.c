#include "board.h"
#include <stdio.h>
#include <string.h>
#include "memory_map.h"

/* ---- processor.S ---- */

void enable_interrupts(uint32_t sources);
void mask_interrupts(void);
void unmask_interrupts(void);
void wait_for_interrupt(void);

enum { timer_interrupts = 1 << 7, external_interrupts = 1 << 11 };
static const uint32_t timer_cause = 0x80000007, external_cause = 0x8000000b, load_fault = 5, store_fault = 7;

/* ---- registers ---- */

static volatile uint32_t* word(uint32_t address) { return (volatile uint32_t*)(uintptr_t)address; }

static int put_character(char character, FILE* file)
{
    (void)file;
    *word(console_at + console_data) = (uint8_t)character;
    return 0;
}

static FILE console = FDEV_SETUP_STREAM(put_character, NULL, NULL, _FDEV_SETUP_WRITE);
FILE* const stdout = &console;

void end_simulation(uint32_t status)
{
    *word(exit_at) = status;
    while (1) { wait_for_interrupt(); }
}

uint64_t board_now_ns(void)
{
    uint32_t high, low;
    do {
        high = *word(timer_at + timer_time_high);
        low = *word(timer_at + timer_time_low);
    } while (high != *word(timer_at + timer_time_high));
    return (uint64_t)high << 32 | low;
}

static void set_alarm(uint64_t at_ns)
{
    *word(timer_at + timer_compare_high) = UINT32_MAX; /* not in between */
    *word(timer_at + timer_compare_low) = (uint32_t)at_ns;
    *word(timer_at + timer_compare_high) = (uint32_t)(at_ns >> 32);
}

/* ---- traps ---- */

static volatile int access_failed;
static volatile uint32_t interrupted; /* a bit for each source */
static volatile int alarm_rang;

static void external_interrupt(void)
{
    const uint32_t source = *word(interrupt_controller_at + interrupt_claim);
    if (source == 0) { return; }
    interrupted |= 1u << source;
    /* The line stays high until the driver has read the result: the source is off until it is expected again. */
    *word(interrupt_controller_at + interrupt_enable) &= ~(1u << source);
    *word(interrupt_controller_at + interrupt_claim) = source;
}

/* Returns the address at which execution continues. */
uint32_t trap(uint32_t cause, uint32_t pc)
{
    if (cause == external_cause) {
        external_interrupt();
    } else if (cause == timer_cause) {
        alarm_rang = 1;
        set_alarm(UINT64_MAX);
    } else if (cause == load_fault || cause == store_fault) {
        access_failed = 1;
        pc += (*(const uint16_t*)(uintptr_t)pc & 3u) == 3u ? 4u : 2u; /* after the instruction */
    } else {
        printf("trap %lx at %lx\n", (unsigned long)cause, (unsigned long)pc);
        end_simulation(1);
    }
    return pc;
}

/* ---- the driver's port ---- */

static int read_word(void* context, uint64_t address, uint32_t* value)
{
    (void)context;
    access_failed = 0;
    *value = *word((uint32_t)address);
    return access_failed;
}

static int write_word(void* context, uint64_t address, uint32_t value)
{
    (void)context;
    access_failed = 0;
    *word((uint32_t)address) = value;
    return access_failed;
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
    const unsigned source = (unsigned)(uintptr_t)context;
    if (!board_has_interrupted(source)) {
        board_expect_interrupt(source);
        alarm_rang = 0;
        set_alarm(board_now_ns() + timeout_ns);
        mask_interrupts(); /* one that is taken between the check and WFI would not wake the processor */
        while (!board_has_interrupted(source) && !alarm_rang) {
            wait_for_interrupt();
            unmask_interrupts();
            mask_interrupts();
        }
        unmask_interrupts();
        set_alarm(UINT64_MAX);
    }
    if (!board_has_interrupted(source)) { return tl_port_timeout; }
    interrupted &= ~(1u << source);
    return 0;
}

static int fence(void* context)
{
    (void)context;
    __sync_synchronize();
    return 0;
}

tl_port board_port(unsigned source)
{
    const tl_port port = {
        read_word, write_word, read_block, write_block, wait_interrupt, fence, (void*)(uintptr_t)source};
    return port;
}

void board_expect_interrupt(unsigned source)
{
    mask_interrupts(); /* the handler changes the same register */
    *word(interrupt_controller_at + interrupt_enable) |= 1u << source;
    unmask_interrupts();
}

int board_has_interrupted(unsigned source) { return (interrupted >> source & 1u) != 0; }

void board_start(void) { enable_interrupts(timer_interrupts | external_interrupts); }
