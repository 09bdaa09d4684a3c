/* A job on each device, with a result that is known. */
#ifndef VIRTUAL_PLATFORM_JOBS_H
#define VIRTUAL_PLATFORM_JOBS_H

#include "tensorloom.h"

/* Each runs its job once. tl_ok and *right != 0: the job ran, and every element of the result is right. */
tl_status transform_on_triada(int* right, tl_result* result);
tl_status transform_on_torus(int* right, tl_result* result);
tl_status product_on_mmv(int* right, tl_result* result);
tl_status product_on_fetta(int* right, tl_result* result);

/* A transform that a TriADA device repeats: starts it; starts it again after each of its interrupts. */
tl_status start_long_transform(void);
tl_status repeat_long_transform(void);

/* Transforms that have ended. */
unsigned long_transforms(void);

#endif
