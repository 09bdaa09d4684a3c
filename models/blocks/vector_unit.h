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
#include <tensorloom/tlm/device_clock.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::isa::vector {
class vector_schedule;
} // namespace tensorloom::isa::vector

namespace tensorloom::blocks {

class vector_datapath;

using vector_outcome = unit_outcome<isa::vector::counts>;

struct vector_unit_config {
    base::element_type word = base::element_type::int64; ///< f32, f64, c128, int32, int64
    unsigned lanes = 64;                                 ///< words per cycle, at least 1
    isa::vector::costs costs = isa::vector::default_vector_costs();
    std::uint8_t blocks =
        isa::vector::all_functional_blocks; ///< functional blocks that exist, by isa::vector::functional_block
    unsigned word_bits = 64;                ///< B in the circuit sizes of the MMV-RAM model
    base::equal_reads equal_reads = base::equal_reads::broadcast; ///< lanes that read the same indexed or strided word
    blocks::fidelity fidelity = blocks::fidelity::fast;
    bus::clock_source clock_period{sc_core::sc_time(1, sc_core::SC_NS)};
    isa::vector::event_map events{}; ///< event numbers of its device
};

/// The configuration of a device's vector unit; the device's configuration has lanes, vector_costs, bank_broadcast and
/// fidelity. `word_bits` 0: the bits of a word.
template <class Config>
vector_unit_config vector_settings(const Config& device, const isa::vector::limits& limits, unsigned word_bits,
                                   const isa::vector::event_map& events, const bus::device_clock& clock)
{
    return {limits.word,
            device.lanes,
            device.vector_costs,
            limits.blocks,
            word_bits != 0 ? word_bits : base::element_bits(limits.word),
            device.bank_broadcast ? base::equal_reads::broadcast : base::equal_reads::serial,
            device.fidelity,
            clock,
            events};
}

/// Waveform of a vector unit in one cycle.
struct vector_waveform {
    bool busy = false;
    std::uint8_t opcode = 0;   ///< 0 unless busy
    std::uint64_t group = 0;   ///< group that enters the lanes; the last one while results drain
    std::uint64_t results = 0; ///< words with results written at the end of this cycle
};

/// A vector unit: executes one instruction at a time on words of a scratchpad, `lanes` words at a time.
///
/// pad      the scratchpad
///
/// isa/vector/instruction_set.h defines the instructions; `words` are isa::vector::vector_words(). Time:
///
///     groups = ceil(words / lanes)
///     cycles = groups x cycles_per_group + depth                      cause "vector"
///            + max(0, ceil(words / banks) - groups x cycles_per_group)
///            + for each strided or indexed operand or result and each group: most words of it in one bank, minus 1,
///            where
///              a word that several lanes read counts once (broadcast; else each time)
///                cause "conflict"
///
/// Strided or indexed are: a of gather_last, fill_first, gather_idx, gather_prev and repl, c of revert, z of compact,
/// flags, scatter_add, repl and of in-place scatter_last. For scatter_add a bank adds one word per cycle, reading and
/// writing a word of z at once; lanes of a group that add to the same word are served in sequence, in the order of a;
/// from group to group a sum is forwarded without delay. The line with ceil(words / banks) is for consecutive operands,
/// which repl does not have.
///
/// Fast: all results at the end. Detailed: cycle by cycle, the results of a group `depth` cycles after its entry, those
/// of blocks (or_block, revspec, reductions, conversions) after their last word. Results, counts and time are the same;
/// in both, operands are read before results are written.
///
/// Arithmetic (arithmetic/word_operations.h): integers wrap; every operation whose exact result is out of range counts
/// as word_overflowed, and the instruction ends with error arithmetic_overflow after writing all results. There is one
/// operation per result, but revspec sums the subtrahends first (mmv_ram_blocks.h). A complex product is a complex
/// multiply-add (arithmetic/mac.h) from +0 on. Functions of real numbers have the bits of
/// arithmetic/elementary_functions.h, sums of blocks and packed words the order of functional_blocks.h. A NaN result is
/// the canonical quiet NaN. The sums of scatter_add are computed one by one, each rounded. An index that is not a whole
/// number (of at most 2^53 in f64, 2^24 in f32) or is out of range is bad_index: no write, no time, no counts. Of
/// several words of compact for one place the last one wins. A stop acts at a cycle boundary: results due by then are
/// written and the cycles are reported, but no events are counted, because the instruction is incomplete.
///
/// Events (isa/vector/events.h), counted by the device's event numbers
///
///     vector_instruction, vector_element, vector_circuit
///     one of lane_*, revspec_op, compact_op, revert_op      words, isa::vector::vector_words()
///     word_overflowed, word_saturated
///     scratchpad_read    a word for each element that reads it. Not read: elements that a shift or zero_a sets to 0,
///                        invalid indices of gather_prev or revert, elements skipped by gather_last, fill_first and
///                        scatter_last. Of z, each word that scatter_add adds to, each time. A broadcast b is read
///                        once, and so is a word that several lanes of a group read
///     scratchpad_write   each word of the result once; in-place scatter_last: only changed words; scatter_add: one per
///                        sum
///     cpu_op             the value given by a repl
///
/// As a unit of a device it accepts every instruction of the table; the device's description lists the available ones.
/// Errors are those of isa/vector/limits.h, raised before the waveform changes.
/// Not modelled: the path of operands from banks to lanes (a full crossbar), energy of idle lanes.
///
/// Example
///
///     memory::scratchpad words("scratchpad", 1 << 20, 8, 64); // 64 banks, 8 bytes wide
///     blocks::vector_unit vectors("vector_unit", {base::element_type::int64, 64}, stop);
///     vectors.pad.bind(words.port);
///     vectors.execute(isa::vector::opcode::add, isa::vector::vector_command()); // in a thread
class vector_unit : public sc_core::sc_module, public shell::command_unit {
public:
    sc_core::sc_port<memory::scratchpad_if> pad;

    vector_unit(sc_core::sc_module_name name, const vector_unit_config& config, const bus::stop_request& stop);
    ~vector_unit() override;

    /// Executes an instruction that isa::vector::check() accepts (including its functional blocks), with final
    /// addresses, in a thread at a cycle boundary; one at a time. Errors: arithmetic_overflow, bad_index, aborted.
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
    void begin_program() override;
    using sc_core::sc_module::trace;

    /// Elaboration: the waveform, updated every cycle from now on.
    const vector_waveform& watch();
    const char* kind() const override { return "vector_unit"; }

private:
    /// Progress of an instruction.
    struct passed_instruction {
        std::uint64_t cycles = 0;
        std::uint64_t overflowed = 0;
    };

    /// A command of the running program in one iteration.
    struct checked_command {
        const std::uint8_t* payload = nullptr; ///< nullptr: none
        isa::loop_indices iteration{};
        bool advances = false; ///< false: the same in every iteration
        std::optional<isa::check_error> refused;
        shell::access_set accesses; ///< none when it is refused
    };
    static constexpr unsigned checked_commands = 256;

    void end_of_elaboration() override;
    const checked_command& checked(const shell::issued_command& command) const;
    isa::vector::limits limits() const;
    vector_outcome execute(isa::vector::opcode repl, const isa::vector::strided_command& command);
    void run(isa::vector::opcode code, vector_outcome& outcome);
    passed_instruction pass(isa::vector::opcode code, const isa::vector::vector_schedule& schedule);

    vector_unit_config m_config;
    const bus::stop_request& m_stop;
    std::unique_ptr<vector_datapath> m_datapath;
    vector_waveform m_waveform;
    shell::unit_activity m_activity;
    std::vector<std::uint64_t> m_counts;            // events of a command, by the device's numbers
    mutable std::vector<checked_command> m_checked; // by index in the program: the last ones, for loops
    bool m_is_watched = false;
};

} // namespace tensorloom::blocks
