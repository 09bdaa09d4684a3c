/* The firmware: one job on every device, or a computation whose speed is measured. */
#include <stdio.h>
#include "board.h"
#include "jobs.h"
#include "memory_map.h"

static int run_job(const char* name, tl_status (*job)(int*, tl_result*))
{
    tl_result result = {0};
    int right = 0;
    const tl_status status = job(&right, &result);
    if (status != tl_ok) {
        printf("%-40s %s\n", name, status == tl_program_error ? tl_error_text(result.error) : tl_status_text(status));
        return 0;
    }
    printf("%-40s %6lu cycles  %s\n", name, (unsigned long)result.cycles, right ? "right" : "WRONG");
    return right;
}

static int run_jobs(void)
{
    int passed = 0;
    passed += run_job("TriADA, transform of 8 x 8 x 8", transform_on_triada);
    passed += run_job("orbital torus, transform of 4 x 4 x 4", transform_on_torus);
    passed += run_job("MMU/VCU pair, product of 16 x 16", product_on_mmv);
    passed += run_job("FETTA, product of 16 x 16", product_on_fetta);
    printf("%d of 4 jobs: %s\n", passed, passed == 4 ? "PASS" : "FAIL");
    return passed == 4 ? 0 : 1;
}

/* About 40 million instructions: a checksum of a buffer, again and again. */
static int compute(tl_status (*meanwhile)(void))
{
    static uint32_t buffer[1024];
    uint32_t sum = 0;
    unsigned pass, i;
    for (i = 0; i < 1024; ++i) { buffer[i] = i * i; }
    for (pass = 0; pass < 5600; ++pass) {
        for (i = 0; i < 1024; ++i) { sum = (sum << 5 | sum >> 27) + buffer[i]; }
        if (meanwhile != NULL && meanwhile() != tl_ok) { return 1; }
    }
    return sum == 0;
}

int run_firmware(enum firmware_work work)
{
    board_start();
    if (work == work_jobs) { return run_jobs(); }
    if (work == work_compute) { return compute(NULL); }
    if (start_long_transform() != tl_ok || compute(repeat_long_transform) != 0) { return 1; }
    return long_transforms() == 0;
}
