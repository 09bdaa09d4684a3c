/* SPDX-License-Identifier: Apache-2.0 */
#include "tensorloom.h"
#include <string.h>

/* ---- texts ---- */

const char* tl_status_text(tl_status status)
{
    switch (status) {
    case tl_ok: return "ok";
    case tl_bus_error: return "a transfer on the bus failed";
    case tl_no_device: return "registers read all ones or all zeros: no device there";
    case tl_wrong_device: return "another device";
    case tl_wrong_version: return "another major version of the register map";
    case tl_busy: return "a program is running";
    case tl_timeout: return "no interrupt in time, and the program has not ended";
    case tl_no_interrupt: return "the program has ended, but its interrupt did not arrive";
    case tl_spurious: return "an interrupt, but no program has ended";
    case tl_reset_stuck: return "busy for too long after a reset";
    case tl_program_error: return "the program ended with an error";
    case tl_aborted: return "the program was aborted";
    case tl_buffer_too_small: return "the buffer is too small";
    case tl_bad_argument: return "an argument is out of range";
    }
    return "unknown status";
}

const char* tl_error_text(uint32_t error_code)
{
    switch (error_code) {
#define TL_CASE(value, name, text)                                                                                     \
    case value: return text;
        TL_ERROR_CODES(TL_CASE)
#undef TL_CASE
    default: return "unknown error code";
    }
}

/* ---- registers ---- */

static tl_status read_register(tl_device* device, uint32_t offset, uint32_t* value)
{
    return device->port.read_word(device->port.context, device->base + offset, value) == 0 ? tl_ok : tl_bus_error;
}

static tl_status write_register(tl_device* device, uint32_t offset, uint32_t value)
{
    return device->port.write_word(device->port.context, device->base + offset, value) == 0 ? tl_ok : tl_bus_error;
}

/* Low half first: reading it latches the high half. */
static tl_status read_pair(tl_device* device, uint32_t lo_offset, uint64_t* value)
{
    uint32_t low = 0;
    uint32_t high = 0;
    tl_status status = read_register(device, lo_offset, &low);
    if (status == tl_ok) { status = read_register(device, lo_offset + 4u, &high); }
    *value = (uint64_t)high << 32 | low;
    return status;
}

static int is_dead(uint32_t value) { return value == 0u || value == UINT32_MAX; }

/* STATUS of a device never reads all ones. */
static tl_status read_status(tl_device* device, uint32_t* value)
{
    const tl_status status = read_register(device, TL_REG_STATUS, value);
    return status == tl_ok && *value == UINT32_MAX ? tl_no_device : status;
}

tl_status tl_probe(tl_device* device, const tl_port* port, uint64_t base, uint32_t id)
{
    static const uint32_t sizes[3] = {TL_REG_CAPS_SIZE_0, TL_REG_CAPS_SIZE_1, TL_REG_CAPS_SIZE_2};
    uint32_t found = 0;
    tl_status status;
    int i;
    memset(device, 0, sizeof *device);
    device->port = *port;
    device->base = base;
    status = read_register(device, TL_REG_ID, &found);
    if (status != tl_ok) { return status; }
    if (found != id) { return is_dead(found) ? tl_no_device : tl_wrong_device; }
    status = read_register(device, TL_REG_VERSION, &device->version);
    if (status != tl_ok) { return status; }
    if ((device->version & TL_VERSION_MAJOR_MASK) != (TL_VERSION & TL_VERSION_MAJOR_MASK)) { return tl_wrong_version; }
    status = read_register(device, TL_REG_CAPS, &device->caps);
    for (i = 0; i < 3 && status == tl_ok; ++i) { status = read_register(device, sizes[i], &device->size[i]); }
    return status;
}

/* A START while BUSY is ignored: the result would be that of another program. */
static tl_status check_idle(tl_device* device, uint64_t program_address)
{
    uint32_t state = 0;
    tl_status status;
    if (program_address % TL_PROGRAM_ALIGNMENT != 0u) { return tl_bad_argument; }
    status = read_status(device, &state);
    return status == tl_ok && (state & TL_STATUS_BUSY_MASK) != 0u ? tl_busy : status;
}

static tl_status start_idle(tl_device* device, uint64_t program_address)
{
    const uint32_t ends = TL_IRQ_ENABLE_DONE_MASK | TL_IRQ_ENABLE_ERROR_MASK;
    tl_status status = write_register(device, TL_REG_IRQ_STATUS, ends | TL_IRQ_STATUS_COMMAND_MASK);
    if (status == tl_ok) { status = write_register(device, TL_REG_IRQ_ENABLE, ends); }
    if (status == tl_ok) { status = write_register(device, TL_REG_PROGRAM_ADDR_LO, (uint32_t)program_address); }
    if (status == tl_ok) { status = write_register(device, TL_REG_PROGRAM_ADDR_HI, (uint32_t)(program_address >> 32)); }
    if (status == tl_ok && device->port.fence(device->port.context) != 0) { status = tl_bus_error; }
    if (status == tl_ok) { status = write_register(device, TL_REG_CTRL, TL_CTRL_START_MASK); }
    return status;
}

tl_status tl_start(tl_device* device, uint64_t program_address)
{
    const tl_status status = check_idle(device, program_address);
    return status == tl_ok ? start_idle(device, program_address) : status;
}

static tl_status read_result(tl_device* device, tl_result* result)
{
    tl_status status = read_register(device, TL_REG_ERROR_CODE, &result->error);
    if (status == tl_ok) { status = read_register(device, TL_REG_ERROR_COMMAND, &result->error_command); }
    if (status == tl_ok) { status = read_pair(device, TL_REG_ERROR_ADDR_LO, &result->error_address); }
    if (status == tl_ok) { status = read_register(device, TL_REG_ERROR_RESPONSE, &result->error_response); }
    if (status == tl_ok) { status = read_pair(device, TL_REG_CYCLES_LO, &result->cycles); }
    if (status == tl_ok) { status = read_register(device, TL_REG_COMMANDS_DONE, &result->commands_done); }
    if (status == tl_ok) { status = read_register(device, TL_REG_TOKEN, &result->token); }
    return status;
}

tl_status tl_finish(tl_device* device, uint64_t timeout_ns, tl_result* result)
{
    tl_result own;
    tl_result* to = result != NULL ? result : &own;
    const int waited = device->port.wait_interrupt(device->port.context, timeout_ns);
    int ended;
    tl_status status;
    memset(to, 0, sizeof *to);
    if (waited != 0 && waited != tl_port_timeout) { return tl_bus_error; }
    status = read_status(device, &to->status);
    if (status != tl_ok) { return status; }
    ended =
        (to->status & TL_STATUS_BUSY_MASK) == 0u && (to->status & (TL_STATUS_DONE_MASK | TL_STATUS_ERROR_MASK)) != 0u;
    if (!ended) { return waited == tl_port_timeout ? tl_timeout : tl_spurious; }
    status = read_result(device, to);
    if (status == tl_ok) {
        status = write_register(device, TL_REG_IRQ_STATUS, TL_IRQ_STATUS_DONE_MASK | TL_IRQ_STATUS_ERROR_MASK);
    }
    if (status != tl_ok) { return status; }
    if (waited == tl_port_timeout) { return tl_no_interrupt; }
    if ((to->status & TL_STATUS_ABORTED_MASK) != 0u) { return tl_aborted; }
    return (to->status & TL_STATUS_ERROR_MASK) != 0u ? tl_program_error : tl_ok;
}

tl_status tl_run(tl_device* device, const void* program, size_t bytes, uint64_t program_address, uint64_t timeout_ns,
                 tl_result* result)
{
    tl_status status = check_idle(device, program_address);
    if (status != tl_ok) { return status; }
    if (device->port.write_block(device->port.context, program_address, program, bytes) != 0) { return tl_bus_error; }
    status = start_idle(device, program_address);
    return status == tl_ok ? tl_finish(device, timeout_ns, result) : status;
}

tl_status tl_abort(tl_device* device) { return write_register(device, TL_REG_CTRL, TL_CTRL_ABORT_MASK); }

/* A reset raises no interrupt and disables all: this wait only passes time. */
tl_status tl_reset(tl_device* device, uint64_t timeout_ns)
{
    const uint64_t looks = 16;
    uint64_t look;
    uint32_t state = 0;
    tl_status status = write_register(device, TL_REG_CTRL, TL_CTRL_RESET_MASK);
    if (status != tl_ok) { return status; }
    for (look = 0; look <= looks; ++look) {
        status = read_status(device, &state);
        if (status != tl_ok || (state & TL_STATUS_BUSY_MASK) == 0u) { return status; }
        if (look < looks) {
            const int waited = device->port.wait_interrupt(device->port.context, timeout_ns / looks);
            if (waited != 0 && waited != tl_port_timeout) { return tl_bus_error; }
        }
    }
    return tl_reset_stuck;
}

tl_status tl_read_counter(tl_device* device, uint32_t index, uint64_t* value)
{
    tl_status status;
    if (index > TL_COUNTER_INDEX_INDEX_MASK) { return tl_bad_argument; }
    status = write_register(device, TL_REG_COUNTER_INDEX, index);
    return status == tl_ok ? read_pair(device, TL_REG_COUNTER_VALUE_LO, value) : status;
}

/* ---- bytes in memory: little-endian on every processor ---- */

static void store(uint8_t* to, uint64_t value, size_t bytes)
{
    size_t i;
    for (i = 0; i < bytes; ++i) { to[i] = (uint8_t)(value >> (8u * i)); }
}

static uint64_t fetch(const uint8_t* from, size_t bytes)
{
    uint64_t value = 0;
    while (bytes-- > 0) { value = value << 8 | from[bytes]; }
    return value;
}

static void store_words(uint8_t* to, const uint32_t* words, size_t count)
{
    size_t i;
    for (i = 0; i < count; ++i) { store(to + 4u * i, words[i], 4); }
}

static void store_signed(uint8_t* to, const int32_t* words, size_t count)
{
    size_t i;
    for (i = 0; i < count; ++i) { store(to + 4u * i, (uint32_t)words[i], 4); }
}

static void store_long(uint8_t* to, const int64_t* words, size_t count)
{
    size_t i;
    for (i = 0; i < count; ++i) { store(to + 8u * i, (uint64_t)words[i], 8); }
}

tl_status tl_dense_tensor(tl_tensor* tensor, uint64_t base, uint8_t type, unsigned order, const uint32_t* size)
{
    uint64_t stride = 1;
    unsigned mode;
    memset(tensor, 0, sizeof *tensor);
    if (order < 1u || order > TL_DESCRIPTOR_SIZE_COUNT) { return tl_bad_argument; }
    tensor->base = base;
    tensor->type = type;
    tensor->order = (uint8_t)order;
    for (mode = order; mode-- > 0u;) {
        if (size[mode] == 0u || stride > (uint64_t)INT64_MAX / size[mode]) {
            memset(tensor, 0, sizeof *tensor);
            return tl_bad_argument;
        }
        tensor->size[mode] = size[mode];
        tensor->stride[mode] = (int64_t)stride;
        stride *= size[mode];
    }
    return tl_ok;
}

void tl_encode_tensor(const tl_tensor* tensor, uint8_t* to)
{
    unsigned mode;
    memset(to, 0, TL_DESCRIPTOR_TOTAL_BYTES);
    store(to + TL_DESCRIPTOR_BASE_OFFSET, tensor->base, TL_DESCRIPTOR_BASE_BYTES);
    to[TL_DESCRIPTOR_TYPE_OFFSET] = tensor->type;
    to[TL_DESCRIPTOR_ORDER_OFFSET] = tensor->order;
    for (mode = 0; mode < TL_DESCRIPTOR_SIZE_COUNT; ++mode) {
        store(to + TL_DESCRIPTOR_SIZE_OFFSET + TL_DESCRIPTOR_SIZE_BYTES * mode, tensor->size[mode],
              TL_DESCRIPTOR_SIZE_BYTES);
        store(to + TL_DESCRIPTOR_STRIDE_OFFSET + TL_DESCRIPTOR_STRIDE_BYTES * mode, (uint64_t)tensor->stride[mode],
              TL_DESCRIPTOR_STRIDE_BYTES);
    }
}

/* ---- programs ---- */

tl_status tl_program_begin(tl_program* program, void* buffer, size_t capacity)
{
    program->bytes = buffer;
    program->capacity = capacity;
    program->used = TL_PROGRAM_HEADER_TOTAL_BYTES;
    program->commands = 0;
    program->status = capacity < TL_PROGRAM_HEADER_TOTAL_BYTES ? tl_buffer_too_small : tl_ok;
    return program->status;
}

tl_status tl_program_open(tl_program* program, void* bytes, size_t size)
{
    const uint8_t* from = bytes;
    uint64_t used = 0;
    memset(program, 0, sizeof *program);
    program->status = tl_bad_argument;
    if (size < TL_PROGRAM_HEADER_TOTAL_BYTES ||
        fetch(from + TL_PROGRAM_HEADER_MAGIC_OFFSET, TL_PROGRAM_HEADER_MAGIC_BYTES) != TL_PROGRAM_MAGIC ||
        ((fetch(from + TL_PROGRAM_HEADER_VERSION_OFFSET, TL_PROGRAM_HEADER_VERSION_BYTES) ^ TL_VERSION) &
         TL_VERSION_MAJOR_MASK) != 0u) {
        return program->status;
    }
    used = fetch(from + TL_PROGRAM_HEADER_BYTES_OFFSET, TL_PROGRAM_HEADER_BYTES_BYTES);
    if (used < TL_PROGRAM_HEADER_TOTAL_BYTES || used > size) { return program->status; }
    program->bytes = bytes;
    program->capacity = (size_t)used;
    program->used = (size_t)used;
    program->commands = (uint32_t)fetch(from + TL_PROGRAM_HEADER_COMMANDS_OFFSET, TL_PROGRAM_HEADER_COMMANDS_BYTES);
    program->status = tl_ok;
    return program->status;
}

/* Appends a command with its header and a payload of 0; null when there is no room. */
static uint8_t* add_command(tl_program* program, uint8_t opcode, uint16_t flags, uint32_t token, size_t payload_bytes)
{
    const size_t over = payload_bytes % TL_PROGRAM_ALIGNMENT;
    const size_t padding = over == 0 ? 0 : TL_PROGRAM_ALIGNMENT - over;
    const size_t room = program->capacity - program->used;
    size_t length;
    uint8_t* at;
    if (program->status != tl_ok) { return NULL; }
    if (payload_bytes > room || room - payload_bytes < TL_COMMAND_HEADER_TOTAL_BYTES + padding) {
        program->status = tl_buffer_too_small;
        return NULL;
    }
    length = TL_COMMAND_HEADER_TOTAL_BYTES + payload_bytes + padding;
    at = program->bytes + program->used;
    memset(at, 0, length);
    at[TL_COMMAND_HEADER_OPCODE_OFFSET] = opcode;
    store(at + TL_COMMAND_HEADER_FLAGS_OFFSET, flags, TL_COMMAND_HEADER_FLAGS_BYTES);
    store(at + TL_COMMAND_HEADER_LENGTH_OFFSET, length, TL_COMMAND_HEADER_LENGTH_BYTES);
    store(at + TL_COMMAND_HEADER_TOKEN_OFFSET, token, TL_COMMAND_HEADER_TOKEN_BYTES);
    program->used += length;
    ++program->commands;
    return at + TL_COMMAND_HEADER_TOTAL_BYTES;
}

tl_status tl_program_add(tl_program* program, uint8_t opcode, uint16_t flags, uint32_t token, const void* payload,
                         size_t payload_bytes)
{
    uint8_t* at = add_command(program, opcode, flags, token, payload_bytes);
    if (at != NULL && payload_bytes != 0) { memcpy(at, payload, payload_bytes); }
    return program->status;
}

tl_status tl_program_nop(tl_program* program, uint32_t token)
{
    return tl_program_add(program, TL_OPCODE_NOP, 0, token, NULL, 0);
}
tl_status tl_program_halt(tl_program* program, uint32_t token)
{
    return tl_program_add(program, TL_OPCODE_HALT, 0, token, NULL, 0);
}
tl_status tl_program_irq(tl_program* program, uint32_t token)
{
    return tl_program_add(program, TL_OPCODE_IRQ, 0, token, NULL, 0);
}

tl_status tl_program_loop(tl_program* program, uint32_t count, uint32_t token)
{
    uint8_t* at = add_command(program, TL_OPCODE_LOOP, 0, token, TL_LOOP_TOTAL_BYTES);
    if (at != NULL) { store(at + TL_LOOP_COUNT_OFFSET, count, TL_LOOP_COUNT_BYTES); }
    return program->status;
}
tl_status tl_program_loop_end(tl_program* program, uint32_t token)
{
    return tl_program_add(program, TL_OPCODE_END, 0, token, NULL, 0);
}

static tl_status add_signal(tl_program* program, uint8_t opcode, uint32_t signal, uint32_t token)
{
    uint8_t* at = add_command(program, opcode, 0, token, TL_SIGNAL_TOTAL_BYTES);
    if (at != NULL) { store(at + TL_SIGNAL_SIGNAL_OFFSET, signal, TL_SIGNAL_SIGNAL_BYTES); }
    return program->status;
}
tl_status tl_program_wait(tl_program* program, uint32_t signal, uint32_t token)
{
    return add_signal(program, TL_OPCODE_WAIT, signal, token);
}
tl_status tl_program_signal(tl_program* program, uint32_t signal, uint32_t token)
{
    return add_signal(program, TL_OPCODE_SIGNAL, signal, token);
}

static tl_status add_transfer(tl_program* program, uint8_t opcode, const tl_transfer* transfer, uint32_t token)
{
    uint8_t* at = add_command(program, opcode, 0, token, TL_TRANSFER_TOTAL_BYTES);
    if (at == NULL) { return program->status; }
    tl_encode_tensor(&transfer->tensor, at + TL_TRANSFER_TENSOR_OFFSET);
    store_long(at + TL_TRANSFER_TENSOR_STEP_OFFSET, transfer->tensor_step, TL_TRANSFER_TENSOR_STEP_COUNT);
    store(at + TL_TRANSFER_LOCAL_OFFSET, transfer->local, TL_TRANSFER_LOCAL_BYTES);
    store_long(at + TL_TRANSFER_LOCAL_STEP_OFFSET, transfer->local_step, TL_TRANSFER_LOCAL_STEP_COUNT);
    return program->status;
}
tl_status tl_program_load(tl_program* program, const tl_transfer* transfer, uint32_t token)
{
    return add_transfer(program, TL_OPCODE_LOAD, transfer, token);
}
tl_status tl_program_store(tl_program* program, const tl_transfer* transfer, uint32_t token)
{
    return add_transfer(program, TL_OPCODE_STORE, transfer, token);
}
tl_status tl_program_gather(tl_program* program, const tl_gather* gather, uint32_t token)
{
    uint8_t* at = add_command(program, TL_OPCODE_GATHER, 0, token, TL_GATHER_TOTAL_BYTES);
    if (at == NULL) { return program->status; }
    tl_encode_tensor(&gather->tensor, at + TL_GATHER_TENSOR_OFFSET);
    store(at + TL_GATHER_LIST_OFFSET, gather->list, TL_GATHER_LIST_BYTES);
    store_long(at + TL_GATHER_LIST_STEP_OFFSET, gather->list_step, TL_GATHER_LIST_STEP_COUNT);
    store(at + TL_GATHER_LOCAL_OFFSET, gather->local, TL_GATHER_LOCAL_BYTES);
    store_long(at + TL_GATHER_LOCAL_STEP_OFFSET, gather->local_step, TL_GATHER_LOCAL_STEP_COUNT);
    return program->status;
}

void tl_gemt_init(tl_gemt* gemt)
{
    memset(gemt, 0, sizeof *gemt);
    gemt->order[0] = 3;
    gemt->order[1] = 1;
    gemt->order[2] = 2;
    gemt->stage_mask = 7;
}

static uint64_t saturating_product(uint64_t a, uint64_t b) { return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b; }
static uint64_t saturating_sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }
static uint64_t volume_of(const uint32_t* size)
{
    return saturating_product(saturating_product(size[0], size[1]), size[2]);
}

/* Elements of the workspace of a product that sums these modes, 0 to 2, in this order: the results of all stages but
 * the last. `size` and `made`: sizes of the operand and of the result along modes 1, 2, 3. */
static uint64_t intermediate_elements(const uint32_t* size, const uint32_t* made, const unsigned* modes,
                                      unsigned stages)
{
    uint64_t elements = 0;
    uint32_t now[3];
    unsigned stage;
    memcpy(now, size, sizeof now);
    for (stage = 0; stage + 1u < stages; ++stage) {
        now[modes[stage]] = made[modes[stage]];
        elements = saturating_sum(elements, volume_of(now));
    }
    return elements;
}

/* A product that fits the mesh in every mode stays in the cells. Copies of X and Y in tiles are in the workspace, too;
 * sums of bfloat16 have two elements' bytes, of int8 four. */
uint64_t tl_gemt_workspace_elements(const tl_gemt* gemt, const uint32_t* mesh)
{
    unsigned modes[3];
    unsigned stages = 0;
    unsigned i;
    int fits = 1;
    uint64_t elements;
    for (i = 0; i < 3u; ++i) {
        if (gemt->x.size[i] > mesh[i] || gemt->y.size[i] > mesh[i]) { fits = 0; }
        if ((gemt->stage_mask >> i & 1u) != 0) { modes[stages++] = gemt->order[i] - 1u; }
    }
    if (fits) { return 0; }
    elements = intermediate_elements(gemt->x.size, gemt->y.size, modes, stages);
    if ((gemt->flags & TL_GEMT_FLAG_CONVERT_X) != 0) { elements = saturating_sum(elements, volume_of(gemt->x.size)); }
    if ((gemt->flags & TL_GEMT_FLAG_CONVERT_Y) != 0) {
        const uint64_t each = gemt->y.type == gemt->x.type ? 1u : gemt->x.type == TL_TYPE_BF16 ? 2u : 4u;
        elements = saturating_sum(elements, saturating_product(volume_of(gemt->y.size), each));
    }
    return elements;
}

tl_status tl_program_gemt(tl_program* program, const tl_gemt* gemt, uint32_t token)
{
    uint64_t threshold = 0;
    unsigned mode;
    uint8_t* at = add_command(program, TL_TRIADA_OPCODE_GEMT, gemt->flags, token, TL_GEMT_TOTAL_BYTES);
    if (at == NULL) { return program->status; }
    memcpy(&threshold, &gemt->zero_threshold, sizeof threshold);
    at[TL_GEMT_STAGE_MASK_OFFSET] = gemt->stage_mask;
    at[TL_GEMT_PARTIALS_OFFSET] = gemt->partials;
    store(at + TL_GEMT_ZERO_THRESHOLD_OFFSET, threshold, TL_GEMT_ZERO_THRESHOLD_BYTES);
    store(at + TL_GEMT_COMPLETION_ADDRESS_OFFSET, gemt->completion_address, TL_GEMT_COMPLETION_ADDRESS_BYTES);
    tl_encode_tensor(&gemt->x, at + TL_GEMT_X_OFFSET);
    tl_encode_tensor(&gemt->y, at + TL_GEMT_Y_OFFSET);
    tl_encode_tensor(&gemt->initial_y, at + TL_GEMT_INITIAL_Y_OFFSET);
    tl_encode_tensor(&gemt->workspace, at + TL_GEMT_WORKSPACE_OFFSET);
    for (mode = 0; mode < 3u; ++mode) {
        at[TL_GEMT_ORDER_OFFSET + mode] = gemt->order[mode];
        at[TL_GEMT_SHIFTS_OFFSET + mode] = gemt->shifts[mode];
        store(at + TL_GEMT_ROW_ORDER_ADDRESS_OFFSET + TL_GEMT_ROW_ORDER_ADDRESS_BYTES * mode,
              gemt->row_order_address[mode], TL_GEMT_ROW_ORDER_ADDRESS_BYTES);
        tl_encode_tensor(&gemt->matrix[mode], at + TL_GEMT_MATRIX_OFFSET + TL_GEMT_MATRIX_BYTES * mode);
    }
    return program->status;
}

tl_status tl_program_pointwise(tl_program* program, uint8_t opcode, const tl_pointwise* pointwise, uint32_t token)
{
    unsigned part;
    uint8_t* at = add_command(program, opcode, pointwise->flags, token, TL_POINTWISE_TOTAL_BYTES);
    if (at == NULL) { return program->status; }
    at[TL_POINTWISE_OPERATION_OFFSET] = pointwise->operation;
    at[TL_POINTWISE_SHIFT_OFFSET] = pointwise->shift;
    for (part = 0; part < TL_POINTWISE_VALUE_COUNT; ++part) {
        uint64_t bits = 0;
        memcpy(&bits, &pointwise->value[part], sizeof bits);
        store(at + TL_POINTWISE_VALUE_OFFSET + TL_POINTWISE_VALUE_BYTES * part, bits, TL_POINTWISE_VALUE_BYTES);
    }
    store(at + TL_POINTWISE_COMPLETION_ADDRESS_OFFSET, pointwise->completion_address,
          TL_POINTWISE_COMPLETION_ADDRESS_BYTES);
    tl_encode_tensor(&pointwise->x, at + TL_POINTWISE_X_OFFSET);
    tl_encode_tensor(&pointwise->y, at + TL_POINTWISE_Y_OFFSET);
    tl_encode_tensor(&pointwise->operand, at + TL_POINTWISE_OPERAND_OFFSET);
    return program->status;
}

void tl_orbit_init(tl_orbit* orbit)
{
    unsigned mode;
    memset(orbit, 0, sizeof *orbit);
    orbit->order[0] = 3;
    orbit->order[1] = 1;
    orbit->order[2] = 2;
    for (mode = 0; mode < 3u; ++mode) { orbit->in_block[mode] = orbit->out_block[mode] = 1; }
}

void tl_orbit_run_stages(tl_orbit* orbit, const uint8_t* modes, unsigned stage_mask)
{
    unsigned summed, i;
    uint8_t* next = orbit->order;
    orbit->left_out = 0;
    for (summed = 2; summed-- > 0u;) {
        for (i = 0; i < 3u; ++i) {
            if ((stage_mask >> i & 1u) != summed) { continue; }
            *next++ = modes[i];
            if (summed == 0u) { ++orbit->left_out; }
        }
    }
}

/* A transform that fits the torus stays in the nodes. An inverse transform sums modes in reverse order. */
uint64_t tl_orbit_workspace_elements(const tl_orbit* orbit, uint32_t side)
{
    const uint32_t* from = orbit->x.size + (orbit->x.order == 4u ? 1 : 0);
    const uint32_t* to = orbit->y.size + (orbit->y.order == 4u ? 1 : 0);
    const int back = orbit->way != 0;
    const unsigned stages = 3u - orbit->left_out;
    unsigned modes[3];
    unsigned i;
    int fits = 1;
    for (i = 0; i < 3u; ++i) {
        const uint64_t in_size = (uint64_t)side * orbit->in_block[i];
        const uint64_t out_size = (uint64_t)side * orbit->out_block[i];
        if (from[i] > (back ? out_size : in_size) || to[i] > (back ? in_size : out_size)) { fits = 0; }
        if (i < stages) { modes[i] = orbit->order[back ? stages - 1u - i : i] - 1u; }
    }
    return fits ? 0 : intermediate_elements(from, to, modes, stages);
}

tl_status tl_program_orbit(tl_program* program, const tl_orbit* orbit, uint32_t token)
{
    unsigned mode;
    uint8_t* at = add_command(program, TL_TORUS_OPCODE_ORBIT, orbit->flags, token, TL_ORBIT_TOTAL_BYTES);
    if (at == NULL) { return program->status; }
    at[TL_ORBIT_WAY_OFFSET] = orbit->way;
    at[TL_ORBIT_VECTOR_OFFSET] = orbit->vector;
    at[TL_ORBIT_LEFT_OUT_OFFSET] = orbit->left_out;
    store(at + TL_ORBIT_COMPLETION_ADDRESS_OFFSET, orbit->completion_address, TL_ORBIT_COMPLETION_ADDRESS_BYTES);
    tl_encode_tensor(&orbit->x, at + TL_ORBIT_X_OFFSET);
    tl_encode_tensor(&orbit->y, at + TL_ORBIT_Y_OFFSET);
    tl_encode_tensor(&orbit->workspace, at + TL_ORBIT_WORKSPACE_OFFSET);
    for (mode = 0; mode < 3u; ++mode) {
        at[TL_ORBIT_ORDER_OFFSET + mode] = orbit->order[mode];
        at[TL_ORBIT_SHIFTS_OFFSET + mode] = orbit->shifts[mode];
        store(at + TL_ORBIT_IN_BLOCK_OFFSET + TL_ORBIT_IN_BLOCK_BYTES * mode, orbit->in_block[mode],
              TL_ORBIT_IN_BLOCK_BYTES);
        store(at + TL_ORBIT_OUT_BLOCK_OFFSET + TL_ORBIT_OUT_BLOCK_BYTES * mode, orbit->out_block[mode],
              TL_ORBIT_OUT_BLOCK_BYTES);
        tl_encode_tensor(&orbit->matrix[mode], at + TL_ORBIT_MATRIX_OFFSET + TL_ORBIT_MATRIX_BYTES * mode);
    }
    return program->status;
}

tl_status tl_program_multiply(tl_program* program, const tl_multiply* multiply, uint32_t token)
{
    unsigned i;
    uint8_t* at = add_command(program, TL_TORUS_OPCODE_MULTIPLY, multiply->flags, token, TL_MULTIPLY_TOTAL_BYTES);
    if (at == NULL) { return program->status; }
    at[TL_MULTIPLY_CLASS_OFFSET] = multiply->matrix_class;
    at[TL_MULTIPLY_FORM_OFFSET] = multiply->form;
    at[TL_MULTIPLY_VECTOR_OFFSET] = multiply->vector;
    store_words(at + TL_MULTIPLY_BLOCKS_OFFSET, multiply->blocks, TL_MULTIPLY_BLOCKS_COUNT);
    store(at + TL_MULTIPLY_COMPLETION_ADDRESS_OFFSET, multiply->completion_address,
          TL_MULTIPLY_COMPLETION_ADDRESS_BYTES);
    for (i = 0; i < TL_MULTIPLY_OPERAND_COUNT; ++i) {
        tl_encode_tensor(&multiply->operand[i], at + TL_MULTIPLY_OPERAND_OFFSET + TL_MULTIPLY_OPERAND_BYTES * i);
    }
    return program->status;
}

/* All operands of a command have the same layout: offsets are those of the first one. */
static void store_matrix(uint8_t* at, const tl_matrix* matrix)
{
    store(at, matrix->address, TL_MMV_MATMUL_RESULT_BYTES);
    store_signed(at + (TL_MMV_MATMUL_RESULT_STRIDE_OFFSET - TL_MMV_MATMUL_RESULT_OFFSET), &matrix->row_stride, 1);
    store_signed(at + (TL_MMV_MATMUL_RESULT_STEP_OFFSET - TL_MMV_MATMUL_RESULT_OFFSET), matrix->step,
                 TL_MMV_MATMUL_RESULT_STEP_COUNT);
}

tl_status tl_program_matmul(tl_program* program, const tl_matmul* matmul, uint32_t token)
{
    uint8_t* at = add_command(program, TL_MMV_OPCODE_MATMUL, 0, token, TL_MMV_MATMUL_TOTAL_BYTES);
    if (at == NULL) { return program->status; }
    store_matrix(at + TL_MMV_MATMUL_RESULT_OFFSET, &matmul->result);
    store_matrix(at + TL_MMV_MATMUL_LEFT_OFFSET, &matmul->left);
    store_matrix(at + TL_MMV_MATMUL_WEIGHTS_OFFSET, &matmul->weights);
    store(at + TL_MMV_MATMUL_WORDS_OFFSET, matmul->words, TL_MMV_MATMUL_WORDS_BYTES);
    store(at + TL_MMV_MATMUL_LEFT_COLUMNS_OFFSET, matmul->left_columns, TL_MMV_MATMUL_LEFT_COLUMNS_BYTES);
    store(at + TL_MMV_MATMUL_RESULT_COLUMNS_OFFSET, matmul->result_columns, TL_MMV_MATMUL_RESULT_COLUMNS_BYTES);
    return program->status;
}

tl_status tl_program_product(tl_program* program, const tl_product* product, uint32_t token)
{
    uint8_t* at = add_command(program, TL_MMV_OPCODE_PRODUCT, product->flags, token, TL_MMV_PRODUCT_TOTAL_BYTES);
    if (at == NULL) { return program->status; }
    store_matrix(at + TL_MMV_PRODUCT_RESULT_OFFSET, &product->result);
    store_matrix(at + TL_MMV_PRODUCT_LEFT_OFFSET, &product->left);
    store_matrix(at + TL_MMV_PRODUCT_WEIGHTS_OFFSET, &product->weights);
    store(at + TL_MMV_PRODUCT_ROWS_OFFSET, product->rows, TL_MMV_PRODUCT_ROWS_BYTES);
    store(at + TL_MMV_PRODUCT_DEPTH_OFFSET, product->depth, TL_MMV_PRODUCT_DEPTH_BYTES);
    store(at + TL_MMV_PRODUCT_COLUMNS_OFFSET, product->columns, TL_MMV_PRODUCT_COLUMNS_BYTES);
    store(at + TL_MMV_PRODUCT_CALL_ROWS_OFFSET, product->call_rows, TL_MMV_PRODUCT_CALL_ROWS_BYTES);
    store(at + TL_MMV_PRODUCT_TILE_COLUMNS_OFFSET, product->tile_columns, TL_MMV_PRODUCT_TILE_COLUMNS_BYTES);
    return program->status;
}

static void store_vector_words(uint8_t* at, const tl_words* words)
{
    store(at, words->address, TL_MMV_VECTOR_A_BYTES);
    store(at + (TL_MMV_VECTOR_A_SHIFT_OFFSET - TL_MMV_VECTOR_A_OFFSET), words->shift, TL_MMV_VECTOR_A_SHIFT_BYTES);
    store_signed(at + (TL_MMV_VECTOR_A_STEP_OFFSET - TL_MMV_VECTOR_A_OFFSET), words->step, TL_MMV_VECTOR_A_STEP_COUNT);
}

tl_status tl_program_vector(tl_program* program, uint8_t opcode, const tl_vector* vector, uint32_t token)
{
    uint8_t* at = add_command(program, opcode, vector->flags, token, TL_MMV_VECTOR_TOTAL_BYTES);
    if (at == NULL) { return program->status; }
    store_vector_words(at + TL_MMV_VECTOR_RESULT_OFFSET, &vector->result);
    store_vector_words(at + TL_MMV_VECTOR_A_OFFSET, &vector->a);
    store_vector_words(at + TL_MMV_VECTOR_B_OFFSET, &vector->b);
    store_vector_words(at + TL_MMV_VECTOR_C_OFFSET, &vector->c);
    store(at + TL_MMV_VECTOR_LENGTH_OFFSET, vector->length, TL_MMV_VECTOR_LENGTH_BYTES);
    store(at + TL_MMV_VECTOR_TABLE_OFFSET, vector->table, TL_MMV_VECTOR_TABLE_BYTES);
    store(at + TL_MMV_VECTOR_BLOCK_OFFSET, vector->block, TL_MMV_VECTOR_BLOCK_BYTES);
    store(at + TL_MMV_VECTOR_BITS_OFFSET, vector->bits, TL_MMV_VECTOR_BITS_BYTES);
    return program->status;
}

static void store_strided_words(uint8_t* at, const tl_strided_words* words)
{
    store(at, words->address, TL_MMV_STRIDED_RESULT_BYTES);
    store_signed(at + (TL_MMV_STRIDED_RESULT_STRIDE_OFFSET - TL_MMV_STRIDED_RESULT_OFFSET), words->stride,
                 TL_MMV_STRIDED_RESULT_STRIDE_COUNT);
    store_signed(at + (TL_MMV_STRIDED_RESULT_STEP_OFFSET - TL_MMV_STRIDED_RESULT_OFFSET), words->step,
                 TL_MMV_STRIDED_RESULT_STEP_COUNT);
}

tl_status tl_program_strided(tl_program* program, uint8_t opcode, const tl_strided* strided, uint32_t token)
{
    unsigned i;
    uint8_t* at = add_command(program, opcode, 0, token, TL_MMV_STRIDED_TOTAL_BYTES);
    if (at == NULL) { return program->status; }
    store_strided_words(at + TL_MMV_STRIDED_RESULT_OFFSET, &strided->result);
    store_strided_words(at + TL_MMV_STRIDED_A_OFFSET, &strided->a);
    store_strided_words(at + TL_MMV_STRIDED_B_OFFSET, &strided->b);
    store_words(at + TL_MMV_STRIDED_SIZE_OFFSET, strided->size, TL_MMV_STRIDED_SIZE_COUNT);
    store_words(at + TL_MMV_STRIDED_VALID_OFFSET, strided->valid, TL_MMV_STRIDED_VALID_COUNT);
    store(at + TL_MMV_STRIDED_CPU_OPS_OFFSET, strided->cpu_ops, TL_MMV_STRIDED_CPU_OPS_BYTES);
    for (i = 0; i < TL_MMV_STRIDED_IMMEDIATE_COUNT; ++i) {
        store(at + TL_MMV_STRIDED_IMMEDIATE_OFFSET + TL_MMV_STRIDED_IMMEDIATE_BYTES * i, strided->immediate[i],
              TL_MMV_STRIDED_IMMEDIATE_BYTES);
    }
    return program->status;
}

void tl_contract_init(tl_contract* contract)
{
    memset(contract, 0, sizeof *contract);
    contract->batch = 1;
    contract->contracted = 1;
    contract->ia_free = 1;
    contract->ib_free = 1;
}

static void store_operand(uint8_t* at, const tl_operand* operand)
{
    uint8_t* mode = at + (TL_FETTA_CONTRACT_IA_MODE_OFFSET - TL_FETTA_CONTRACT_IA_PLACE_OFFSET);
    unsigned m;
    store(at, operand->base, TL_FETTA_CONTRACT_IA_PLACE_BYTES);
    store(at + TL_FETTA_CONTRACT_IA_PLACE_BYTES, operand->bank, TL_FETTA_CONTRACT_IA_PLACE_BYTES);
    store_signed(at + (TL_FETTA_CONTRACT_IA_STRIDE_OFFSET - TL_FETTA_CONTRACT_IA_PLACE_OFFSET), operand->stride,
                 TL_FETTA_CONTRACT_IA_STRIDE_COUNT);
    store_signed(at + (TL_FETTA_CONTRACT_IA_STEP_OFFSET - TL_FETTA_CONTRACT_IA_PLACE_OFFSET), operand->step,
                 TL_FETTA_CONTRACT_IA_STEP_COUNT);
    store_words(at + (TL_FETTA_CONTRACT_IA_MODES_OFFSET - TL_FETTA_CONTRACT_IA_PLACE_OFFSET), operand->modes,
                TL_FETTA_CONTRACT_IA_MODES_COUNT - 1u);
    for (m = 0; m < TL_FETTA_CONTRACT_IA_MODE_COUNT / 2u; ++m, mode += 2u * TL_FETTA_CONTRACT_IA_MODE_BYTES) {
        store(mode, operand->mode[m].size, TL_FETTA_CONTRACT_IA_MODE_BYTES);
        store_signed(mode + TL_FETTA_CONTRACT_IA_MODE_BYTES, &operand->mode[m].stride, 1);
    }
}

tl_status tl_program_contract(tl_program* program, const tl_contract* contract, uint32_t token)
{
    uint32_t masks[TL_FETTA_CONTRACT_MASKS_COUNT];
    uint8_t* at = add_command(program, TL_FETTA_OPCODE_CONTRACT, contract->flags, token, TL_FETTA_CONTRACT_TOTAL_BYTES);
    if (at == NULL) { return program->status; }
    masks[0] = contract->mask_batch;
    masks[1] = contract->mask_contracted;
    masks[2] = contract->mask_ia;
    masks[3] = contract->mask_ib;
    store(at + TL_FETTA_CONTRACT_MAPPING_OFFSET, contract->mapping, TL_FETTA_CONTRACT_MAPPING_BYTES);
    store(at + TL_FETTA_CONTRACT_BATCH_OFFSET, contract->batch, TL_FETTA_CONTRACT_BATCH_BYTES);
    store(at + TL_FETTA_CONTRACT_CONTRACTED_OFFSET, contract->contracted, TL_FETTA_CONTRACT_CONTRACTED_BYTES);
    store(at + TL_FETTA_CONTRACT_IA_FREE_OFFSET, contract->ia_free, TL_FETTA_CONTRACT_IA_FREE_BYTES);
    store(at + TL_FETTA_CONTRACT_IB_FREE_OFFSET, contract->ib_free, TL_FETTA_CONTRACT_IB_FREE_BYTES);
    store_words(at + TL_FETTA_CONTRACT_MASKS_OFFSET, masks, TL_FETTA_CONTRACT_MASKS_COUNT);
    store(at + TL_FETTA_CONTRACT_ACCUMULATOR_ROW_OFFSET, contract->accumulator_row,
          TL_FETTA_CONTRACT_ACCUMULATOR_ROW_BYTES);
    store_operand(at + TL_FETTA_CONTRACT_IA_PLACE_OFFSET, &contract->ia);
    store_operand(at + TL_FETTA_CONTRACT_IB_PLACE_OFFSET, &contract->ib);
    store_operand(at + TL_FETTA_CONTRACT_RESULT_PLACE_OFFSET, &contract->result);
    return program->status;
}

tl_status tl_program_end(tl_program* program, size_t* bytes)
{
    if (program->status == tl_ok && program->used > UINT32_MAX) { program->status = tl_bad_argument; }
    if (program->status != tl_ok) {
        if (bytes != NULL) { *bytes = 0; }
        return program->status;
    }
    store(program->bytes + TL_PROGRAM_HEADER_MAGIC_OFFSET, TL_PROGRAM_MAGIC, TL_PROGRAM_HEADER_MAGIC_BYTES);
    store(program->bytes + TL_PROGRAM_HEADER_VERSION_OFFSET, TL_VERSION, TL_PROGRAM_HEADER_VERSION_BYTES);
    store(program->bytes + TL_PROGRAM_HEADER_COMMANDS_OFFSET, program->commands, TL_PROGRAM_HEADER_COMMANDS_BYTES);
    store(program->bytes + TL_PROGRAM_HEADER_BYTES_OFFSET, program->used, TL_PROGRAM_HEADER_BYTES_BYTES);
    if (bytes != NULL) { *bytes = program->used; }
    return tl_ok;
}

/* ---- programs with symbolic addresses ---- */

static int is_same(const char* a, const char* b)
{
    while (*a != 0 && *a == *b) {
        ++a;
        ++b;
    }
    return *a == *b;
}

/* Computes the address of a relocation; returns 0 when it does not fit 64 bits, or its offset is outside the program.
 */
static int bound_address(const tl_program* program, const tl_relocation* place, uint64_t address, uint64_t* bound)
{
    const uint64_t step = (uint64_t)place->addend;
    *bound = address + step;
    return (place->addend < 0 ? *bound < address : *bound >= address) && program->used >= sizeof address &&
           place->offset >= TL_PROGRAM_HEADER_TOTAL_BYTES && place->offset <= program->used - sizeof address;
}

tl_status tl_program_bind(tl_program* program, const tl_relocation* table, const char* symbol, uint64_t address)
{
    const tl_relocation* place;
    uint64_t bound = 0;
    unsigned found = 0;
    if (program->status != tl_ok) { return program->status; }
    for (place = table; place->symbol != NULL; ++place) {
        if (!is_same(place->symbol, symbol)) { continue; }
        if (!bound_address(program, place, address, &bound)) { return tl_bad_argument; }
        found = 1;
    }
    if (found == 0u) { return tl_bad_argument; }
    for (place = table; place->symbol != NULL; ++place) {
        if (!is_same(place->symbol, symbol)) { continue; }
        (void)bound_address(program, place, address, &bound);
        store(program->bytes + place->offset, bound, sizeof bound);
    }
    return tl_ok;
}
