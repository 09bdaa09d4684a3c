#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/isa/vector/events.h>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/models/isa/vector/strided_command.h>
#include <tensorloom/models/isa/vector/vector_command.h>
#include <tensorloom/models/memory/scratchpad.h>

namespace tensorloom::blocks {

/// The functions of the lanes and functional blocks of a vector unit, without time: one instruction at a time, in two
/// steps.
///
/// The instruction's words (isa::vector::vector_words) are processed in groups of `lanes`; results are written group by
/// group, or all at once. The description of instructions in vector_unit.h applies.
class vector_datapath {
public:
    vector_datapath(memory::scratchpad_if& pad, std::uint64_t lanes, memory::equal_reads equal);
    virtual ~vector_datapath() = default;

    /// Starts an instruction: checks its indices, and saves operands that its results would overwrite. False: an index
    /// is invalid, and no instruction starts. Adds the scratchpad's reads and writes to the counts.
    virtual bool begin(isa::vector::opcode code, const isa::vector::vector_command& command,
                       isa::vector::counts& counts) = 0;
    virtual void begin(const isa::vector::strided_command& repl, isa::vector::counts& counts) = 0;

    /// Executes words first to last - 1 and writes the results that are complete with them. Each word once, in
    /// ascending order. Returns the number of overflowed operations.
    virtual std::uint64_t execute(std::uint64_t first, std::uint64_t last) = 0;

    std::uint64_t words() const { return m_words; }
    bool has_contiguous_operands() const { return m_contiguous; }
    /// Stall cycles of strided or indexed words, by group; empty without stalls.
    const std::vector<std::uint64_t>& stalls() const { return m_stalls; }

protected:
    memory::scratchpad_if& pad() { return m_pad; }
    void take(std::uint64_t words, bool contiguous);
    void set_stalls(const std::vector<std::uint64_t>& stalls) { m_stalls = stalls; }

    /// Adds the bank conflicts of one operand: visit(tally, item) gives the addresses of an item. Items are in groups
    /// of `lanes`; only every `period`th has any, starting with the first. Returns the words read from the banks.
    template <class Visit> std::uint64_t add_stalls(std::uint64_t items, std::uint64_t period, const Visit& visit)
    {
        m_stalls.resize((m_words + m_lanes - 1) / m_lanes);
        std::uint64_t item = 0;
        for (std::uint64_t first = 0, group = 0; first < items; first += m_lanes, ++group) {
            const std::uint64_t last = items - first < m_lanes ? items : first + m_lanes;
            for (; item < last; item += period) { visit(m_tally, item); }
            m_stalls[group] += m_tally.end_group();
        }
        return m_tally.take_reads();
    }

private:
    memory::scratchpad_if& m_pad;
    std::uint64_t m_lanes;
    memory::bank_tally m_tally;
    std::uint64_t m_words = 0;
    bool m_contiguous = true;
    std::vector<std::uint64_t> m_stalls;
};

/// The datapath for words of this format; `blocks` as in vector_unit_config. Do not begin instructions of missing
/// blocks.
std::unique_ptr<vector_datapath> make_vector_datapath(base::element_type word, std::uint8_t blocks,
                                                      memory::scratchpad_if& pad, std::uint64_t lanes,
                                                      memory::equal_reads equal);

} // namespace tensorloom::blocks
