/* The firmware: one job on every device, or a computation whose speed is measured. */
#include <stdio.h>
#include "board.h"
#include "jobs.h"
#include "memory_map.h"

/* Prints a line; 1 when the result is right. */
static int report(const char* name, const char* detail, int right)
{
    printf("%-40s %-13s %s\n", name, detail, right ? "right" : "WRONG");
    return right;
}

/* A source that stays quiet: the timer ends the wait, and its interrupt is taken within a microsecond. */
static int check_alarm(void)
{
    const tl_port port = board_port(source_fetta);
    const uint64_t begin = board_now_ns();
    const int status = port.wait_interrupt(port.context, 10000);
    const uint64_t waited = board_now_ns() - begin;
    return report("timer, alarm after 10 us", "", status == tl_port_timeout && waited >= 10000 && waited < 11000);
}

/* No device is there: the processor takes an access fault, and the driver says so. */
static int check_bus_error(void)
{
    const tl_port port = board_port(source_fetta);
    tl_device device;
    return report("address without a device", "", tl_probe(&device, &port, nothing_at, TL_FETTA_ID) == tl_bus_error);
}

static int run_job(const char* name, tl_status (*job)(int*, tl_result*))
{
    char detail[32];
    tl_result result = {0};
    int right = 0;
    const tl_status status = job(&right, &result);
    if (status != tl_ok) {
        return report(name, status == tl_program_error ? tl_error_text(result.error) : tl_status_text(status), 0);
    }
    snprintf(detail, sizeof detail, "%lu cycles", (unsigned long)result.cycles);
    return report(name, detail, right);
}

static int run_jobs(void)
{
    enum { checks = 6 };
    int passed = check_alarm() + check_bus_error();
    passed += run_job("TriADA, transform of 8 x 8 x 8", transform_on_triada);
    passed += run_job("orbital torus, transform of 4 x 4 x 4", transform_on_torus);
    passed += run_job("MMU/VCU pair, product of 16 x 16", product_on_mmv);
    passed += run_job("FETTA, product of 16 x 16", product_on_fetta);
    printf("%d of %d: %s\n", passed, checks, passed == checks ? "PASS" : "FAIL");
    return passed == checks ? 0 : 1;
}

/* About 40 million instructions: a checksum of a buffer, again and again. `through`: ram_at or ram_on_bus_at. */
static int compute(uint32_t through, tl_status (*meanwhile)(void))
{
    static uint32_t words[1024];
    const uint32_t* const buffer = (const uint32_t*)((uintptr_t)words - ram_at + through);
    uint32_t sum = 0;
    unsigned pass, i;
    for (i = 0; i < 1024; ++i) { words[i] = i * i; }
    for (pass = 0; pass < 5600; ++pass) {
        for (i = 0; i < 1024; ++i) { sum = (sum << 5 | sum >> 27) + buffer[i]; }
        if (meanwhile != NULL && meanwhile() != tl_ok) { return 1; }
    }
    return sum == 0;
}

int run_firmware(enum firmware_work work)
{
    board_start();
    switch (work) {
    case work_jobs: return run_jobs();
    case work_compute: return compute(ram_at, NULL);
    case work_on_bus: return compute(ram_on_bus_at, NULL);
    default:
        if (start_long_transform() != tl_ok || compute(ram_at, repeat_long_transform) != 0) { return 1; }
        return long_transforms() == 0;
    }
}
