#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>
#include <systemc>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/isa/vector/events.h>
#include <tensorloom/models/isa/vector/strided_command.h>
#include <tensorloom/models/isa/vector/vector_command.h>
#include <tensorloom/models/isa/vector/costs.h>
#include <tensorloom/models/isa/vector/limits.h>
#include <tensorloom/models/blocks/fidelity.h>
#include <tensorloom/models/blocks/scratchpad_unit.h>
#include <tensorloom/models/memory/scratchpad.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::blocks {

class vector_datapath;
class vector_schedule;

using vector_outcome = unit_outcome<isa::vector::counts>;

struct vector_unit_config {
    base::element_type word = base::element_type::int64; ///< f32, f64, c128, int32, int64
    unsigned lanes = 64;                                 ///< words per cycle, at least 1
    isa::vector::costs costs = isa::vector::default_vector_costs();
    std::uint8_t blocks =
        isa::vector::all_functional_blocks; ///< functional blocks that exist, by isa::vector::functional_block
    unsigned word_bits = 64;                ///< B in the circuit sizes of the MMV-RAM model
    memory::equal_reads equal_reads =
        memory::equal_reads::broadcast; ///< lanes that read one word at indices or strides
    blocks::fidelity fidelity = blocks::fidelity::fast;
    sc_core::sc_time clock_period{1, sc_core::SC_NS};
    isa::vector::event_map events{}; ///< of the device whose commands it executes
};

/// That of a device whose configuration has lanes, vector_costs, bank_broadcast, fidelity and clock_period.
/// `word_bits`: 0: those of a word.
template <class Config>
vector_unit_config vector_settings(const Config& device, const isa::vector::limits& limits, unsigned word_bits,
                                   const isa::vector::event_map& events)
{
    return {limits.word,
            device.lanes,
            device.vector_costs,
            limits.blocks,
            word_bits != 0 ? word_bits : base::element_bits(limits.word),
            device.bank_broadcast ? memory::equal_reads::broadcast : memory::equal_reads::serial,
            device.fidelity,
            device.clock_period,
            events};
}

/// What a waveform shows of a vector unit in one cycle.
struct vector_waveform {
    bool busy = false;
    std::uint8_t opcode = 0;   ///< 0 unless busy
    std::uint64_t group = 0;   ///< that enters the lanes, or the last one while results drain
    std::uint64_t results = 0; ///< words whose results are written at the end of this cycle
};

/// A vector unit: one instruction after the other on words of a scratchpad, `lanes` words at a time.
///
/// pad      the scratchpad
///
/// What instructions do is in isa/vector/instruction_set.h; `words` are isa::vector::vector_words(). Time:
///
///     groups = ceil(words / lanes)
///     cycles = groups x cycles_per_group + depth                      cause "vector"
///            + max(0, ceil(words / banks) - groups x cycles_per_group)
///            + for each operand or result at strides or indices and each group: most words of it in one bank, minus 1,
///              where a word that several lanes read counts once (broadcast; else each time)
///                cause "conflict"
///
/// At strides or indices: a of gather_last, fill_first, gather_idx, gather_prev and repl, c of revert, z of compact,
/// flags, scatter_add, repl and of scatter_last in place. A bank adds one word per cycle for scatter_add: it reads and
/// writes a word of z at once, and lanes of a group that add to one word wait for each other, in the order of a; from
/// group to group a sum is passed on without delay. The line with ceil(words / banks) is that of operands word after
/// word, which repl does not have.
///
/// Fast: all results at the end. Detailed: cycle by cycle, the results of a group `depth` cycles after it has entered;
/// blocks (or_block, revspec, reductions, conversions) when their last word has. Same results, counts and time;
/// operands are read before anything is written, in both.
///
/// Arithmetic (arithmetic/word_operations.h): integers wrap, and every operation whose exact result is out of range
/// counts as word_overflowed and ends in error arithmetic_overflow, everything written: one operation per result, but
/// revspec adds up what it subtracts before it does (mmv_ram_blocks.h). A complex product is a complex multiply-add
/// (arithmetic/mac.h) from +0 on. Functions of real numbers have the bits of arithmetic/elementary_functions.h, sums of
/// blocks and packed words the order of functional_blocks.h. A result that is not a number is the canonical quiet NaN.
/// The sums of scatter_add are made one by one, each rounded. An index that is no whole number (of at most 2^53 in f64,
/// 2^24 in f32) or names no element is bad_index: nothing is written, no time passes, nothing counts. Where several
/// words of compact go to one place, the last one stays. A stop acts at a cycle boundary: results that were due by then
/// are written, the cycles are reported, and nothing counts, for the instruction is not complete.
///
/// Events (isa/vector/events.h), which a device counts by its own
///     vector_instruction, vector_element, vector_circuit
///     one of lane_*, revspec_op, compact_op, revert_op      words, isa::vector::vector_words()
///     word_overflowed
///     scratchpad_read    a word for each element that reads it; none where a shift or zero_a gives 0, an index of
///                        gather_prev or revert names nothing, or gather_last, fill_first, scatter_last pass over it;
///                        of z each word that scatter_add adds to, each time;
///                        one of a broadcast b, and one where several lanes of a group read one word
///     scratchpad_write   each word of the result once; of scatter_last in place those that it changes,
///                        of scatter_add one for each sum
///     cpu_op             what a repl says
///
/// As a unit of a device it takes every instruction of the table; which of them a device has, its description says.
/// Refusals are those of isa/vector/limits.h, before anything shows in a waveform.
/// Not modelled: how operands get from banks to lanes (a full crossbar), energy of idle lanes.
class vector_unit : public sc_core::sc_module, public shell::command_unit {
public:
    sc_core::sc_port<memory::scratchpad_if> pad;

    vector_unit(sc_core::sc_module_name name, const vector_unit_config& config, const bus::stop_request& stop);
    ~vector_unit() override;

    /// Executes an instruction that isa::vector::check() has nothing against, missing functional blocks included;
    /// addresses are final. From a thread, at a cycle boundary; one at a time. Errors: arithmetic_overflow, bad_index,
    /// aborted.
    vector_outcome execute(isa::vector::opcode code, const isa::vector::vector_command& command);
    vector_outcome execute(const isa::vector::strided_command& repl);

    // shell::command_unit
    bool executes(std::uint8_t opcode) const override;
    std::optional<isa::check_error> check(const isa::command_header& header,
                                          const std::uint8_t* payload) const override;
    shell::access_set accesses(const shell::issued_command& command) const override;
    shell::command_outcome execute(shell::running_command& running) override;
    void trace_command(sc_core::sc_trace_file& file) override { m_activity.trace(file, name()); }
    void trace(sc_core::sc_trace_file& file) override;
    using sc_core::sc_module::trace;

    /// Elaboration: the waveform, from now on kept up to date cycle by cycle.
    const vector_waveform& watch();
    const char* kind() const override { return "vector_unit"; }

private:
    /// How far an instruction came.
    struct passed_instruction {
        std::uint64_t cycles = 0;
        std::uint64_t overflowed = 0;
    };

    void end_of_elaboration() override;
    isa::vector::limits limits() const;
    vector_outcome execute(isa::vector::opcode repl, const isa::vector::strided_command& command);
    void run(isa::vector::opcode code, vector_outcome& outcome);
    passed_instruction pass(isa::vector::opcode code, const vector_schedule& schedule);

    vector_unit_config m_config;
    const bus::stop_request& m_stop;
    std::unique_ptr<vector_datapath> m_datapath;
    vector_waveform m_waveform;
    shell::unit_activity m_activity;
    std::vector<std::uint64_t> m_counts; // of a command, by the device's events
    bool m_is_watched = false;
};

} // namespace tensorloom::blocks
