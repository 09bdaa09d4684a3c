// The generated C header means what the C++ headers mean.
#include <gtest/gtest.h>
#include <tensorloom/models/isa/program/device_driver.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/driver.h>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/isa/firmware/tensorloom_registers.h>
#include <tensorloom/models/triada/isa/gemt_command.h>
#include <tensorloom/models/mmv/isa/driver.h>
#include <tensorloom/models/mmv/isa/events.h>
#include <tensorloom/models/mmv/isa/instruction_set.h>
#include <tensorloom/models/mmv/isa/matmul_command.h>
#include <tensorloom/models/mmv/isa/product_command.h>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/models/isa/vector/strided_command.h>
#include <tensorloom/models/isa/vector/vector_command.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/register_map.h>
#include <tensorloom/models/triada/isa/driver.h>
#include <tensorloom/models/triada/isa/events.h>

namespace tensorloom::test {
namespace {

using namespace base;
using namespace isa;

template <class E> constexpr unsigned value(E e) { return static_cast<unsigned>(e); }

TEST(c_header, registers_and_their_bits)
{
    static_assert(TL_VERSION == register_map_version && TL_REGISTER_BLOCK_BYTES == reg::block_bytes);
    static_assert(TL_REG_CTRL == reg::ctrl && TL_REG_STATUS == reg::status && TL_REG_ERROR_RESPONSE == 0x70);
    static_assert(TL_CTRL_START_MASK == ctrl_start && TL_CTRL_ABORT_MASK == ctrl_abort &&
                  TL_CTRL_RESET_MASK == ctrl_reset);
    static_assert(TL_STATUS_BUSY_MASK == status_busy && TL_STATUS_DONE_MASK == status_done &&
                  TL_STATUS_ERROR_MASK == status_error && TL_STATUS_ABORTED_MASK == status_aborted);
    static_assert(TL_IRQ_STATUS_COMMAND_MASK == irq_command && TL_IRQ_ENABLE_ERROR_MASK == irq_error);
    static_assert(TL_VERSION_MAJOR_POSITION == 16 && TL_VERSION_MAJOR_WIDTH == 16 &&
                  TL_VERSION_MAJOR_MASK == 0xffff0000);
    static_assert(TL_RESET_VERSION == register_map_version && TL_RESET_STATUS == 0);
}

TEST(c_header, values)
{
    static_assert(TL_ERROR_CODE_CODE_BUS_ERROR == value(error_code::bus_error));
    static_assert(TL_ERROR_CODE_CODE_ABORTED == value(error_code::aborted));
    static_assert(TL_ERROR_RESPONSE_RESPONSE_BURST_ERROR == value(bus_response::burst_error));
    static_assert(TL_ERROR_RESPONSE_RESPONSE_TIMED_OUT == value(bus_response::timed_out));
    static_assert(TL_TYPE_C64 == value(element_type::c64) && TL_TYPE_C64_BYTES == element_bytes(element_type::c64));
    static_assert(TL_CAPS_FORMAT_F32 == value(element_type::f32));
    static_assert(TL_OPCODE_HALT == value(opcode::halt) && TL_OPCODE_IRQ == value(opcode::irq));
}

TEST(c_header, caps_has_the_formats)
{
    static_assert(TL_CAPS_FORMAT_F64 == 1 && TL_CAPS_FORMAT_INT8 == 6 && TL_CAPS_FORMAT_INT64 == 8);
}

TEST(c_header, error_list_has_every_code_with_its_text)
{
    unsigned next = 0;
#define EXPECT_CODE(code, name, text)                                                                                  \
    EXPECT_EQ(code, next++);                                                                                           \
    EXPECT_STREQ(text, error_text(static_cast<error_code>(code)));                                                     \
    EXPECT_EQ(code, TL_ERROR_CODE_CODE_##name);
    TL_ERROR_CODES(EXPECT_CODE)
#undef EXPECT_CODE
    EXPECT_EQ(next, value(error_code::never_signalled) + 1);
}

TEST(c_header, layouts)
{
    static_assert(TL_PROGRAM_HEADER_TOTAL_BYTES == program_header::encoded_bytes);
    static_assert(TL_PROGRAM_MAGIC == program_header::magic_value);
    static_assert(TL_COMMAND_HEADER_TOTAL_BYTES == command_header::encoded_bytes &&
                  TL_COMMAND_HEADER_TOKEN_OFFSET == 8);
    static_assert(TL_DESCRIPTOR_TOTAL_BYTES == 112 && TL_DESCRIPTOR_STRIDE_OFFSET == 48 &&
                  TL_DESCRIPTOR_STRIDE_COUNT == 8);
    static_assert(TL_GEMT_TOTAL_BYTES == triada::gemt_command::payload_bytes && TL_GEMT_X_OFFSET == 48);
    static_assert(TL_GEMT_MATRIX_OFFSET == 48 + 3 * 112 && TL_GEMT_MATRIX_COUNT == 3);
    static_assert(TL_LOOP_TOTAL_BYTES == 16 && TL_SIGNAL_TOTAL_BYTES == 16);
    static_assert(TL_TRANSFER_LOCAL_OFFSET == 128 && TL_TRANSFER_LOCAL_STEP_COUNT == 2);
}

TEST(c_header, triada)
{
    static_assert(TL_TRIADA_ID == device_id(triada::id) && TL_TRIADA_OPCODE_GEMT == value(triada::opcode::gemt));
    static_assert(TL_GEMT_FLAG_ESOP == triada::gemt_command::flag_esop &&
                  TL_GEMT_FLAG_COMPLETION == triada::gemt_command::flag_completion);
    static_assert(TL_TRIADA_EVENTS == triada::event_count);
    static_assert(TL_TRIADA_EVENT_STEP == value(triada::event::step) &&
                  TL_TRIADA_EVENT_MAC == value(triada::event::mac) &&
                  TL_TRIADA_EVENT_MAC_SKIPPED == value(triada::event::mac_skipped));
}

TEST(c_header, mmv)
{
    static_assert(TL_MMV_ID == device_id(mmv::id) && TL_MMV_OPCODE_MATMUL == value(mmv::opcode::matmul));
    static_assert(TL_MMV_OPCODE_REPL == 0x44 && TL_MMV_OPCODE_CLOSE_COLUMN == value(mmv::opcode::close_column));
    static_assert(TL_MMV_VECTOR_FLAG_BROADCAST_B == vector::vector_command::flag_broadcast_b);
    static_assert(TL_MMV_MATMUL_TOTAL_BYTES == mmv::matmul_command::payload_bytes &&
                  TL_MMV_VECTOR_TOTAL_BYTES == vector::vector_command::payload_bytes &&
                  TL_MMV_STRIDED_TOTAL_BYTES == vector::strided_command::payload_bytes);
    static_assert(TL_MMV_STRIDED_IMMEDIATE_OFFSET == 104 && TL_MMV_STRIDED_IMMEDIATE_COUNT == 2);
    static_assert(TL_MMV_PRODUCT_TOTAL_BYTES == mmv::product_command::payload_bytes &&
                  TL_MMV_PRODUCT_FLAG_ACCUMULATE == mmv::product_command::flag_accumulate);
    static_assert(TL_MMV_EVENTS == mmv::event_count && TL_MMV_EVENT_CPU_OP == value(mmv::event::cpu_op));
}

TEST(c_header, fetta)
{
    static_assert(TL_FETTA_ID == device_id(fetta::id) && TL_FETTA_OPCODE_CONTRACT == 0x20);
    static_assert(TL_FETTA_OPCODE_ADD == value(vector::opcode::add) && TL_FETTA_OPCODE_REPL == TL_MMV_OPCODE_REPL);
    static_assert(TL_FETTA_CONTRACT_TOTAL_BYTES == fetta::contract_command::payload_bytes);
    static_assert(TL_FETTA_CONTRACT_IA_PLACE_OFFSET == 48 && TL_FETTA_CONTRACT_RESULT_MODE_OFFSET == 320 &&
                  TL_FETTA_CONTRACT_RESULT_MODE_COUNT == 16);
    static_assert(TL_FETTA_CONTRACT_FLAG_KEEP == fetta::contract_command::flag_keep);
    static_assert(TL_FETTA_EVENTS == fetta::event_count && TL_FETTA_EVENT_MAC == value(fetta::event::mac));
}

} // namespace
} // namespace tensorloom::test
