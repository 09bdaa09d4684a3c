#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/mmv/isa/instruction_set.h>
#include <tensorloom/models/isa/vector/limits.h>
#include <tensorloom/models/isa/vector/strided_command.h>
#include <tensorloom/models/mmv/isa/events.h>
#include <tensorloom/models/blocks/scratchpad_unit.h>
#include <tensorloom/models/memory/scratchpad.h>
#include <tensorloom/tlm/device_clock.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::mmv {

/// The functions of the scalar unit's instructions, without their time. The description of scalar_unit applies.
class scalar_processor {
public:
    virtual ~scalar_processor() = default;

    struct work {
        std::uint64_t reads = 0;  ///< words
        std::uint64_t writes = 0; ///< words
        std::uint64_t overflowed = 0;
    };
    virtual work execute(opcode code, const isa::vector::strided_command& command) = 0;
};

/// The processor for f64, f32, c128, int32 or int64.
std::unique_ptr<scalar_processor> make_scalar_processor(base::element_type word, memory::scratchpad_if& pad);

/// The scalar unit: the processor of the TCU model and the scalar steps of MMV-RAM, on words of the scratchpad.
///
/// pad      the scratchpad
///
/// mmv/isa/instruction_set.h defines the instructions. Elements are processed in C order, each read before it is
/// written. Time:
///
///     cycles = ceil(scalar_op / scalar_ops)      cause "scalar"
///
/// with scalar_op from mmv/isa (for CHARGE its cpu_ops). The unit accesses one word at a time and has no bank
/// conflicts. Both fidelities of a device use the same model: results are written when the time has passed; a stop
/// writes none.
///
/// Arithmetic (arithmetic/word_operations.h): integers wrap; every operation out of range counts as word_overflowed,
/// and the instruction ends with error arithmetic_overflow after writing all results. s_mac is a product and a sum in
/// integers, otherwise one multiply-add (arithmetic/mac.h); eliminate_* is z - (x * y) / d: a product, a quotient, a
/// difference, each rounded; complex products as in blocks::vector_unit. A NaN result is the canonical quiet NaN.
/// s_*_mod: exact, from 0 to below the modulus. s_carry: digits from 0 to below 2^B; carries may be negative.
///
/// Events (mmv/isa/events.h): scalar_instruction, scalar_op, cpu_op, word_overflowed; scratchpad_read: a word for every
/// operand in the formula of every update (eliminate_* 4, close_* 3; quotients of eliminate_row 2); scratchpad_write:
/// one for every update.
/// Not modelled: registers, caches and instructions of a real processor.
///
/// Example
///
///     memory::scratchpad words("scratchpad", 1 << 20, 8, 64); // 64 banks, 8 bytes wide
///     const sc_core::sc_time period(1, sc_core::SC_NS);
///     mmv::scalar_unit scalar("scalar_unit", base::element_type::int64, 1, period, stop);
///     scalar.pad.bind(words.port);
///     scalar.execute(mmv::opcode::s_add, isa::vector::strided_command()); // in a thread
class scalar_unit : public sc_core::sc_module, public shell::command_unit {
public:
    sc_core::sc_port<memory::scratchpad_if> pad;

    /// scalar_ops: operations per cycle, at least 1.
    scalar_unit(sc_core::sc_module_name name, base::element_type word, unsigned scalar_ops,
                const bus::clock_source& clock, const bus::stop_request& stop);
    ~scalar_unit() override;

    /// Executes an instruction that check() accepts, with final addresses, in a thread at a cycle boundary; one at a
    /// time. Errors: arithmetic_overflow, aborted.
    blocks::unit_outcome<mmv::counts> execute(opcode code, const isa::vector::strided_command& command);

    // shell::command_unit
    bool executes(std::uint8_t opcode) const override;
    std::optional<isa::check_error> check(const isa::command_header& header,
                                          const std::uint8_t* payload) const override;
    shell::access_set accesses(const shell::issued_command& command) const override;
    shell::command_outcome execute(shell::running_command& running) override;
    void trace_command(sc_core::sc_trace_file& file) override { m_activity.trace(file, name()); }
    const char* kind() const override { return "scalar_unit"; }

private:
    void end_of_elaboration() override;
    isa::vector::limits limits() const { return {m_word, pad->size(), 0}; }

    base::element_type m_word;
    unsigned m_scalar_ops;
    bus::clock_source m_clock;
    const bus::stop_request& m_stop;
    std::unique_ptr<scalar_processor> m_processor;
    shell::unit_activity m_activity;
};

} // namespace tensorloom::mmv
