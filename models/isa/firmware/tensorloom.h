/* Portable driver of TensorLoom devices, for firmware.
 *
 * C99 without an allocator; of the library it needs only stdint, stddef and string. It starts programs, waits for them,
 * reads their results, and builds programs in buffers of the caller. tl_port has all functions that depend on the
 * machine. All functions return tl_ok or the reason of the failure; pointers must not be null unless a comment allows
 * it. A device is driven by one caller at a time; several devices are independent.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TENSORLOOM_H
#define TENSORLOOM_H

#include <stddef.h>
#include <stdint.h>
#include "tensorloom_registers.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tl_status {
    tl_ok = 0,
    tl_bus_error,     /* a function of the port failed */
    tl_no_device,     /* the registers read all ones or all zeros: no device, or a device without clock */
    tl_wrong_device,  /* the ID of another device */
    tl_wrong_version, /* another major version of registers and commands */
    tl_busy,          /* a program is running */
    tl_timeout,       /* no interrupt in time, and the program has not ended */
    tl_no_interrupt,  /* the program has ended, but its interrupt did not arrive */
    tl_spurious,      /* an interrupt, but no program has ended */
    tl_reset_stuck,   /* still BUSY after a reset */
    tl_program_error, /* the device ended the program with an error: see tl_result */
    tl_aborted,       /* the program was aborted */
    tl_buffer_too_small,
    tl_bad_argument
} tl_status;

/* A description of a status. */
const char* tl_status_text(tl_status status);

/* A description of an error code of the device (ERROR_CODE, tl_result.error). */
const char* tl_error_text(uint32_t error_code);

/* ---- functions of the machine ---- */

/* Returned by wait_interrupt when there was no interrupt in time. */
enum { tl_port_timeout = 1 };

/* Each function returns 0 on success. Words are 32 bits, in the processor's byte order; blocks are bytes. */
typedef struct tl_port {
    int (*read_word)(void* context, uint64_t address, uint32_t* value);
    int (*write_word)(void* context, uint64_t address, uint32_t value);
    int (*read_block)(void* context, uint64_t address, void* to, size_t bytes);
    int (*write_block)(void* context, uint64_t address, const void* from, size_t bytes);
    /* Waits until the device's interrupt is high. tl_port_timeout: it was not within timeout_ns; other values: failed.
     */
    int (*wait_interrupt)(void* context, uint64_t timeout_ns);
    /* When this returns, earlier writes have reached memory and device. */
    int (*fence)(void* context);
    void* context; /* passed to each function */
} tl_port;

/* ---- a device ---- */

typedef struct tl_device {
    tl_port port;
    uint64_t base;    /* bus address of its registers */
    uint32_t version; /* VERSION */
    uint32_t caps;    /* CAPS */
    uint32_t size[3]; /* CAPS_SIZE_0 to 2 */
} tl_device;

/* How a program ended. */
typedef struct tl_result {
    uint32_t status;         /* STATUS */
    uint32_t error;          /* ERROR_CODE: TL_ERROR_CODE_CODE_... */
    uint32_t error_command;  /* index of the command that failed */
    uint32_t error_response; /* with a bus error: TL_ERROR_RESPONSE_RESPONSE_... */
    uint64_t error_address;  /* with a bus error: its address */
    uint64_t cycles;         /* from START to the end */
    uint32_t commands_done;
    uint32_t token; /* of the last command that finished */
} tl_result;

/* Fills `device` from the registers at `base`. tl_no_device, tl_wrong_device or tl_wrong_version unless they belong to
 * the device with this id (TL_TRIADA_ID) in a version that this driver supports. */
tl_status tl_probe(tl_device* device, const tl_port* port, uint64_t base, uint32_t id);

/* Starts the program at this address, a multiple of 16, without waiting. Enables the interrupts at its end. */
tl_status tl_start(tl_device* device, uint64_t program_address);

/* Waits for the end of the program and fills `result` (may be null). tl_program_error or tl_aborted when it ended
 * with an error; tl_no_interrupt when it has ended, but no interrupt arrived within timeout_ns. After tl_timeout only
 * result->status is set. */
tl_status tl_finish(tl_device* device, uint64_t timeout_ns, tl_result* result);

/* Writes a program into memory, starts it, and waits for its end. */
tl_status tl_run(tl_device* device, const void* program, size_t bytes, uint64_t program_address, uint64_t timeout_ns,
                 tl_result* result);

/* Requests the end of the running program; tl_finish waits for it and returns tl_aborted then. */
tl_status tl_abort(tl_device* device);

/* Resets the device and waits until it is not busy. tl_reset_stuck when this takes longer than timeout_ns. */
tl_status tl_reset(tl_device* device, uint64_t timeout_ns);

/* An event counter of the last program: TL_TRIADA_EVENT_... */
tl_status tl_read_counter(tl_device* device, uint32_t index, uint64_t* value);

/* ---- programs ---- */

/* A tensor in memory. order 0: no tensor; all other members are 0 then. */
typedef struct tl_tensor {
    uint64_t base;                              /* address of element (0, 0, ...) */
    uint8_t type;                               /* TL_TYPE_... */
    uint8_t order;                              /* number of modes, 1 to 8 */
    uint32_t size[TL_DESCRIPTOR_SIZE_COUNT];    /* elements per mode; 0 past the order */
    int64_t stride[TL_DESCRIPTOR_STRIDE_COUNT]; /* distance of neighbours, in elements; 0 past the order */
} tl_tensor;

/* A dense tensor in C order: elements along the last mode are contiguous. */
tl_status tl_dense_tensor(tl_tensor* tensor, uint64_t base, uint8_t type, unsigned order, const uint32_t* size);

/* Writes the descriptor of a tensor, TL_DESCRIPTOR_TOTAL_BYTES bytes. */
void tl_encode_tensor(const tl_tensor* tensor, uint8_t* to);

/* TriADA's three-mode product: Y (+)= X x1 C1 x2 C2 x3 C3. */
typedef struct tl_gemt {
    uint16_t flags;                /* TL_GEMT_FLAG_... */
    uint8_t order[3];              /* modes 1, 2, 3 in the order in which they are summed */
    uint8_t stage_mask;            /* bit i: stage i of the order is executed */
    uint8_t shifts[3];             /* right shift of the sums of each stage of the order (int8) */
    uint8_t partials;              /* blocks of the result that share a loaded block of the operand; 0 as 1 */
    double zero_threshold;         /* finite, at least 0: operands of at most this modulus count as zero (ESOP) */
    uint64_t completion_address;   /* the token is written there, with TL_GEMT_FLAG_COMPLETION */
    uint64_t row_order_address[3]; /* of modes 1 to 3; 0: 0, 1, 2, ... */
    tl_tensor x, y;                /* order 3; contiguous with base 0 where a flag says that they lie in the cells */
    tl_tensor initial_y;           /* order 3, with TL_GEMT_FLAG_ACCUMULATE; where the held tensor goes, with
                                    * TL_GEMT_FLAG_STORE_PREVIOUS */
    tl_tensor matrix[3]; /* order 2, C[n,k]; absent with TL_GEMT_FLAG_KEEP_MATRICES, and for modes not summed */
    /* order 1, contiguous, at least tl_gemt_workspace_elements(); absent when that is 0. With TL_GEMT_FLAG_LOAD_NEXT
     * the tensor to load, order 3 */
    tl_tensor workspace;
} tl_gemt;

/* A product without flags that sums modes 3, 1, 2. */
void tl_gemt_init(tl_gemt* gemt);

/* Minimum elements of the workspace of a product, by its flags, its order, its stage mask and the sizes and types of x
 * and y; `mesh`: the device's sizes, tl_device.size. 0: none is needed. Saturates at UINT64_MAX: no device accepts such
 * a product. */
uint64_t tl_gemt_workspace_elements(const tl_gemt* gemt, const uint32_t* mesh);

/* A change of every element of a tensor where it lies, on TriADA or an orbital torus. */
typedef struct tl_pointwise {
    uint16_t flags;              /* TL_POINTWISE_FLAG_... */
    uint8_t operation;           /* 1 multiply, 2 add, 3 scale, 4 threshold, 5 relu */
    uint8_t shift;               /* right shift of the result's sums (int8) */
    double value[2];             /* real and imaginary part: factor of add and scale, threshold; else 0 */
    uint64_t completion_address; /* the token is written there, with TL_POINTWISE_FLAG_COMPLETION */
    tl_tensor x, y;              /* order 3; contiguous with base 0 where a flag says that they lie in the device */
    tl_tensor operand;           /* of multiply and add, likewise; else absent */
} tl_pointwise;

/* An orbital torus' transform: Y (+)= X x1 C1 x2 C2 x3 C3, or its inverse by the conjugate transposes. */
typedef struct tl_orbit {
    uint16_t flags;              /* TL_ORBIT_FLAG_... */
    uint8_t order[3];            /* modes 1, 2, 3 in the order in which a forward transform sums them */
    uint8_t way;                 /* 0 forward, 1 inverse */
    uint8_t vector;              /* scheduling vector: bits 0, 1, 2 are set where Q, R, S count -1 */
    uint8_t left_out;            /* modes at the end of the order that are not summed: 0, 1 or 2 */
    uint16_t in_block[3];        /* elements of a block along n of modes 1, 2, 3 */
    uint16_t out_block[3];       /* ... and along k */
    uint8_t shifts[3];           /* right shift of the sums of stages I, II, III (int8) */
    uint64_t completion_address; /* the token is written there, with TL_ORBIT_FLAG_COMPLETION */
    tl_tensor x;                 /* order 3, or 4 for several tensors; absent with TL_ORBIT_FLAG_KEEP_TENSOR and
                                  * TL_ORBIT_FLAG_TAKE_NEXT */
    tl_tensor y;                 /* likewise; with TL_ORBIT_FLAG_HOLD_RESULT absent, but for the sums of
                                  * TL_ORBIT_FLAG_ACCUMULATE, or the held result of TL_ORBIT_FLAG_STORE_PREVIOUS */
    tl_tensor matrix[3];         /* order 2, C[n,k], for both directions; absent with TL_ORBIT_FLAG_KEEP_MATRICES */
    tl_tensor workspace; /* order 1, contiguous, at least tl_orbit_workspace_elements(); absent when that is 0. With
                          * TL_ORBIT_FLAG_LOAD_NEXT the next X, order 3 */
} tl_orbit;

/* A forward transform without flags that sums modes 3, 1, 2, in blocks of one element. */
void tl_orbit_init(tl_orbit* orbit);

/* Sets order and left_out so that the stages of a mask run: bit i stands for the i-th of the three modes, the order of
 * a forward transform, as stage_mask of tl_gemt. Modes that are not summed come last. */
void tl_orbit_run_stages(tl_orbit* orbit, const uint8_t* modes, unsigned stage_mask);

/* As tl_gemt_workspace_elements, for a transform with given x and y; `side`: nodes along a side of the torus,
 * tl_device.size[0]. */
uint64_t tl_orbit_workspace_elements(const tl_orbit* orbit, uint32_t side);

/* An orbital torus' matrix product, on the nodes of one plane. */
typedef struct tl_multiply {
    uint16_t flags;              /* TL_MULTIPLY_FLAG_... */
    uint8_t matrix_class;        /* 0 BBC, 1 BCR k-i (Fox), 2 BCR k-j, 3 CRA (Cannon), 4 ASC */
    uint8_t form;                /* 0 C += A B, 1 A += C B^T, 2 B += A^T C */
    uint8_t vector;              /* scheduling vector of CRA: bits 0, 1, 2 are set where i, j, k count -1 */
    uint32_t blocks[3];          /* elements of a block along i, j, k */
    uint64_t completion_address; /* the token is written there, with TL_MULTIPLY_FLAG_COMPLETION */
    tl_tensor operand[3];        /* order 2: A, B, C */
} tl_multiply;

/* LOAD moves a tensor from memory on the bus to `local` in the device's local memory, where it is dense; STORE moves it
 * back. Here and below: steps are the increments of addresses per iteration of the innermost loop, and of the next;
 * members that a command does not use are 0. */
typedef struct tl_transfer {
    tl_tensor tensor;
    int64_t tensor_step[TL_TRANSFER_TENSOR_STEP_COUNT]; /* in bytes */
    uint64_t local;                                     /* in bytes; FETTA: in one of its two windows */
    int64_t local_step[TL_TRANSFER_LOCAL_STEP_COUNT];   /* in bytes */
} tl_transfer;

/* GATHER loads slices along the first mode of a tensor, selected by a list in the device's local memory: size[0]
 * numbers of 32 bits. */
typedef struct tl_gather {
    tl_tensor tensor;
    uint64_t list;                                  /* in bytes, a multiple of 4 */
    int64_t list_step[TL_GATHER_LIST_STEP_COUNT];   /* in bytes */
    uint64_t local;                                 /* in bytes */
    int64_t local_step[TL_GATHER_LOCAL_STEP_COUNT]; /* in bytes */
} tl_gather;

/* A matrix in the scratchpad of an MMU/VCU pair, row by row. */
typedef struct tl_matrix {
    uint32_t address;                              /* of its first element, in bytes */
    int32_t row_stride;                            /* distance of neighbouring rows, in elements */
    int32_t step[TL_MMV_MATMUL_RESULT_STEP_COUNT]; /* in bytes */
} tl_matrix;

/* The MMU/VCU pair's product z = x R of rows of x and the weights R. */
typedef struct tl_matmul {
    tl_matrix result, left, weights; /* z, x, R */
    uint32_t words;                  /* of x and z, in rows of s */
    uint32_t left_columns;           /* of x, and rows of R: 1 to s */
    uint32_t result_columns;         /* of z and R: 1 to s */
} tl_matmul;

/* The MMU/VCU pair's product z = x R, or z += x R, of matrices of any size. */
typedef struct tl_product {
    uint16_t flags;                  /* TL_MMV_PRODUCT_FLAG_ACCUMULATE */
    tl_matrix result, left, weights; /* z, x, R */
    uint32_t rows;                   /* of x and z */
    uint32_t depth;                  /* columns of x, rows of R */
    uint32_t columns;                /* of R and z */
    uint16_t call_rows;              /* rows of a call; 0: all */
    uint16_t tile_columns;           /* columns of a tile, 1 to s; 0: s */
} tl_product;

/* Contiguous words in the memory of a vector unit. */
typedef struct tl_words {
    uint32_t address;                              /* in bytes */
    uint32_t shift;                                /* operands: element i is word i - shift, 0 where i < shift */
    int32_t step[TL_MMV_VECTOR_RESULT_STEP_COUNT]; /* in bytes */
} tl_words;

/* An instruction of a vector unit. */
typedef struct tl_vector {
    uint16_t flags; /* TL_MMV_VECTOR_FLAG_... */
    tl_words result, a, b, c;
    uint32_t length; /* n */
    uint32_t table;
    uint32_t block; /* s */
    uint32_t bits;
} tl_vector;

/* Strided words in up to three modes. */
typedef struct tl_strided_words {
    uint32_t address;                                   /* of element (0, 0, 0), in bytes */
    int32_t stride[TL_MMV_STRIDED_RESULT_STRIDE_COUNT]; /* along i, j, k, in words; 0 repeats */
    int32_t step[TL_MMV_STRIDED_RESULT_STEP_COUNT];     /* in bytes */
} tl_strided_words;

/* REPL of a vector unit, or an instruction of the scalar unit. */
typedef struct tl_strided {
    tl_strided_words result, a, b;
    uint32_t size[TL_MMV_STRIDED_SIZE_COUNT];
    uint32_t valid[TL_MMV_STRIDED_VALID_COUNT];
    uint64_t cpu_ops;
    uint64_t immediate[TL_MMV_STRIDED_IMMEDIATE_COUNT];
} tl_strided;

/* A mode of a linear tensor in the memory of a FETTA. */
typedef struct tl_mode {
    uint32_t size;
    int32_t stride; /* in elements */
} tl_mode;

/* IA, IB or the result of a contraction. */
typedef struct tl_operand {
    uint32_t base;                                         /* banked: row; linear: element of its own type */
    uint32_t bank;                                         /* banked */
    int32_t stride[TL_FETTA_CONTRACT_IA_STRIDE_COUNT];     /* banked: of positions */
    int32_t step[TL_FETTA_CONTRACT_IA_STEP_COUNT];         /* of base */
    uint32_t modes[TL_FETTA_CONTRACT_IA_MODES_COUNT - 1u]; /* linear: number of modes in each group */
    tl_mode mode[TL_FETTA_CONTRACT_IA_MODE_COUNT / 2u];    /* linear: the modes of all groups */
} tl_operand;

/* FETTA's contraction of two tensors. */
typedef struct tl_contract {
    uint16_t flags;                                         /* TL_FETTA_CONTRACT_FLAG_... */
    uint32_t mapping;                                       /* 0 ws-v, 1 ws-h, 2 is-v, 3 is-h, 4 os-1, 5 os-2 */
    uint32_t batch, contracted, ia_free, ib_free;           /* extents, at least 1 */
    uint32_t mask_batch, mask_contracted, mask_ia, mask_ib; /* which bits of the engine's index split them */
    uint32_t accumulator_row;
    tl_operand ia, ib, result;
} tl_contract;

/* A contraction with extents of 1, all other members 0. */
void tl_contract_init(tl_contract* contract);

/* A program under construction in a buffer of the caller. After a failure all later calls return the same status, so it
 * is sufficient to check the result of tl_program_end. */
typedef struct tl_program {
    uint8_t* bytes;
    size_t capacity;
    size_t used;
    uint32_t commands;
    tl_status status;
} tl_program;

tl_status tl_program_begin(tl_program* program, void* buffer, size_t capacity);

/* A complete program in memory of the caller, made by the assembler for example: to be bound and run.
 * tl_bad_argument unless its header has this major version and at most this size. */
tl_status tl_program_open(tl_program* program, void* bytes, size_t size);

/* Adds a command; its payload (may be null if it has 0 bytes) is padded with 0 to a multiple of 16 bytes. */
tl_status tl_program_add(tl_program* program, uint8_t opcode, uint16_t flags, uint32_t token, const void* payload,
                         size_t payload_bytes);
tl_status tl_program_nop(tl_program* program, uint32_t token);
tl_status tl_program_halt(tl_program* program, uint32_t token);
tl_status tl_program_irq(tl_program* program, uint32_t token);
/* The commands up to tl_program_loop_end run `count` times, at least 1; loops nest up to 4 deep. */
tl_status tl_program_loop(tl_program* program, uint32_t count, uint32_t token);
tl_status tl_program_loop_end(tl_program* program, uint32_t token);
/* Signals are 0 to 31. */
tl_status tl_program_wait(tl_program* program, uint32_t signal, uint32_t token);
tl_status tl_program_signal(tl_program* program, uint32_t signal, uint32_t token);
/* From memory on the bus into the device's local memory, and back. */
tl_status tl_program_load(tl_program* program, const tl_transfer* transfer, uint32_t token);
tl_status tl_program_store(tl_program* program, const tl_transfer* transfer, uint32_t token);
tl_status tl_program_gather(tl_program* program, const tl_gather* gather, uint32_t token);
/* TriADA */
tl_status tl_program_gemt(tl_program* program, const tl_gemt* gemt, uint32_t token);

/* `opcode`: TL_TRIADA_OPCODE_POINTWISE or TL_TORUS_OPCODE_POINTWISE. */
tl_status tl_program_pointwise(tl_program* program, uint8_t opcode, const tl_pointwise* pointwise, uint32_t token);
/* orbital torus */
tl_status tl_program_orbit(tl_program* program, const tl_orbit* orbit, uint32_t token);
tl_status tl_program_multiply(tl_program* program, const tl_multiply* multiply, uint32_t token);
/* MMU/VCU pair */
tl_status tl_program_matmul(tl_program* program, const tl_matmul* matmul, uint32_t token);
tl_status tl_program_product(tl_program* program, const tl_product* product, uint32_t token);
/* MMU/VCU pair and FETTA. vector: the opcode, TL_MMV_OPCODE_... or TL_FETTA_OPCODE_..., of any instruction of the
 * vector unit except REPL; strided: REPL, or an instruction of the scalar unit. */
tl_status tl_program_vector(tl_program* program, uint8_t opcode, const tl_vector* vector, uint32_t token);
tl_status tl_program_strided(tl_program* program, uint8_t opcode, const tl_strided* strided, uint32_t token);
/* FETTA */
tl_status tl_program_contract(tl_program* program, const tl_contract* contract, uint32_t token);

/* Writes the header. *bytes (may be null): size of the whole program. */
tl_status tl_program_end(tl_program* program, size_t* bytes);

/* ---- programs with symbolic addresses ---- */

/* A symbolic address in a program: the symbol's address plus `addend`. */
typedef struct tl_relocation {
    const char* symbol; /* null after the last entry of a table */
    uint32_t offset;    /* of the 64-bit address in the program, in bytes */
    int64_t addend;
} tl_relocation;

/* Sets the address of a symbol everywhere in a complete program that has not been written into memory yet; call it
 * again for another memory map. `table`: as written by the assembler beside the program,
 *     static const tl_relocation table[] = {
 *     #include "NAME.rel"
 *     };
 * tl_bad_argument, and nothing is changed, when the table has no such symbol, an offset is outside the program, or a
 * sum does not fit 64 bits. */
tl_status tl_program_bind(tl_program* program, const tl_relocation* table, const char* symbol, uint64_t address);

#ifdef __cplusplus
}
#endif

#endif
