#include <tensorloom/models/triada/cell_contents.h>

namespace tensorloom::triada {

bool cell_contents::occupies(cell_register reg) const
{
    for (const auto* tensor : {&held, &next, &operand}) {
        if (*tensor && (*tensor)->reg == reg) { return true; }
    }
    return false;
}

// For each tensor its register and one more, 0 without one; sizes; shift.
void cell_contents::write_state(base::state_writer& state) const
{
    for (const auto* tensor : {&held, &next, &operand}) {
        const resident_tensor there = tensor->value_or(resident_tensor{});
        state.put(static_cast<std::uint8_t>(*tensor ? static_cast<unsigned>(there.reg) + 1 : 0));
        for (const auto size : there.shape) { state.put(size); }
        state.put(static_cast<std::uint8_t>(there.shift));
    }
}

std::function<void()> cell_contents::read_state(base::state_reader& state, const config& device)
{
    cell_contents saved;
    for (auto* tensor : saved.all()) {
        const unsigned number = state.take<std::uint8_t>();
        resident_tensor there;
        bool fits = true;
        for (unsigned m = 0; m < 3; ++m) {
            there.shape[m] = state.take<std::uint32_t>();
            fits = fits && there.shape[m] >= 1 && there.shape[m] <= device.mesh[m];
        }
        there.shift = state.take<std::uint8_t>();
        if (number == 0) { continue; }
        there.reg = static_cast<cell_register>(number - 1);
        const bool known = number <= device.registers() && !saved.occupies(there.reg);
        if (!known || !fits || there.shift > 31) {
            state.fail("a tensor in the cells",
                       "register " + std::to_string(number - 1) + ", " + std::to_string(there.shape[0]) + " x " +
                           std::to_string(there.shape[1]) + " x " + std::to_string(there.shape[2]) + ", shift " +
                           std::to_string(there.shift),
                       "a free register, sizes of the mesh at most, a shift of 0 to 31");
        }
        *tensor = there;
    }
    return [this, saved] { *this = saved; };
}

std::optional<stage_registers> registers_of_stages(cell_register operand, std::size_t stages, unsigned registers,
                                                   const std::function<bool(cell_register)>& free)
{
    constexpr std::size_t most_stages = 3;
    std::vector<cell_register> others;
    for (unsigned step = 1; step < registers && others.size() < most_stages; ++step) {
        const auto reg = static_cast<cell_register>((static_cast<unsigned>(operand) + step) % registers);
        if (free(reg)) { others.push_back(reg); }
    }
    if (others.size() < most_stages && stages > 1) { others.push_back(operand); }
    if (others.size() < stages) { return std::nullopt; }
    stage_registers found{{operand}};
    for (std::size_t s = 0; s + 1 < stages; ++s) { found.reads.push_back(others[s]); }
    found.reads.push_back(others.back());
    return found;
}

} // namespace tensorloom::triada
