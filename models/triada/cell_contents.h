#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>
#include <tensorloom/models/base/files/saved_state.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/triada/cell_memory.h>
#include <tensorloom/models/triada/config.h>

namespace tensorloom::triada {

/// A tensor that lies in a register of the cells: in the corner 0 <= i < shape, with +0 elsewhere.
struct resident_tensor {
    cell_register reg = cell_register::input;
    shape3 shape{};
    unsigned shift = 0; ///< integers: right shift that turns its sums into elements

    /// Whether a descriptor has these sizes.
    bool has_sizes_of(const isa::tensor_descriptor& tensor) const
    {
        return tensor.size[0] == shape[0] && tensor.size[1] == shape[1] && tensor.size[2] == shape[2];
    }
    bool operator==(const resident_tensor& o) const { return reg == o.reg && shape == o.shape && shift == o.shift; }
};

/// What lies in the cells between commands, each in a register of its own: for commands that use it, and so that others
/// leave it alone.
class cell_contents {
public:
    std::optional<resident_tensor> held;    ///< the result of the last command
    std::optional<resident_tensor> next;    ///< a tensor that was loaded beside the work
    std::optional<resident_tensor> operand; ///< of pointwise steps

    /// Forgets everything.
    void clear() { held = next = operand = std::nullopt; }
    /// Whether one of them lies in this register.
    bool occupies(cell_register reg) const;

    /// As in shell::command_unit; the registers are saved as debug memories.
    void write_state(base::state_writer& state) const;
    std::function<void()> read_state(base::state_reader& state, const config& device);

private:
    std::array<std::optional<resident_tensor>*, 3> all() { return {&held, &next, &operand}; }
};

/// The registers of a product of `stages` stages, by stage: stage s reads reads[s] and writes reads[s + 1].
struct stage_registers {
    std::vector<cell_register> reads;

    cell_register operand() const { return reads.front(); }
    cell_register result() const { return reads.back(); }
};

/// The registers of a product whose operand lies in `operand`, of a cell with `registers` registers; `free` says which
/// of them may be used. Each stage writes the next free one after the operand's in cyclic order; the last one writes
/// the third of them, whatever the number of stages, or if there is none the operand's, which the first stage has read.
/// Nothing when a cell has too few.
std::optional<stage_registers> registers_of_stages(cell_register operand, std::size_t stages, unsigned registers,
                                                   const std::function<bool(cell_register)>& free);

} // namespace tensorloom::triada
