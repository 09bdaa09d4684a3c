#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/isa/vector/bank_stalls.h>
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
    vector_datapath(memory::scratchpad_if& pad, std::uint64_t lanes, base::equal_reads equal);
    virtual ~vector_datapath() = default;

    /// Starts an instruction: checks its indices, and saves operands that its results would overwrite. False: an index
    /// is invalid, and no instruction starts. Adds the scratchpad's reads and writes to the counts.
    virtual bool begin(isa::vector::opcode code, const isa::vector::vector_command& command,
                       isa::vector::counts& counts) = 0;
    virtual void begin(const isa::vector::strided_command& repl, isa::vector::counts& counts) = 0;

    /// Executes words first to last - 1 and writes the results that are complete with them. Each word once, in
    /// ascending order. Returns the number of overflowed operations.
    virtual std::uint64_t execute(std::uint64_t first, std::uint64_t last) = 0;

    std::uint64_t words() const { return m_stalls.words(); }
    bool has_contiguous_operands() const { return m_contiguous; }
    /// Stall cycles of strided or indexed words, by group; empty without stalls.
    const std::vector<std::uint64_t>& stalls() const { return m_stalls.by_group(); }

protected:
    memory::scratchpad_if& pad() { return m_pad; }
    void take(std::uint64_t words, bool contiguous);
    isa::vector::bank_stalls& group_stalls() { return m_stalls; }

private:
    memory::scratchpad_if& m_pad;
    bool m_contiguous = true;
    isa::vector::bank_stalls m_stalls;
};

/// The datapath for words of this format; `blocks` as in vector_unit_config. Do not begin instructions of missing
/// blocks.
std::unique_ptr<vector_datapath> make_vector_datapath(base::element_type word, std::uint8_t blocks,
                                                      memory::scratchpad_if& pad, std::uint64_t lanes,
                                                      base::equal_reads equal);

} // namespace tensorloom::blocks
