#include <tensorloom/models/triada/matrix_loader.h>

namespace tensorloom::triada {

using shell::command_outcome;

command_outcome matrix_loader::load(const arch::triada::gemt_command& command, std::uint64_t& coefficients)
{
    for (unsigned mode = 0; mode < 3; ++mode) {
        if (!command.sums(mode)) { continue; }
        auto& memory = *m_memories[mode];
        auto outcome = load_matrix(command.matrix[mode], memory);
        if (outcome.ok() && command.row_order_address[mode] != 0) {
            outcome = load_row_order(command.row_order_address[mode], memory);
        }
        if (!outcome.ok()) {
            clear(); // nothing half-loaded stays resident
            return outcome;
        }
        coefficients += command.matrix[mode].elements();
    }
    return {};
}

command_outcome matrix_loader::load_matrix(const arch::tensor_descriptor& matrix, coefficient_memory_if& memory)
{
    memory.resize(matrix.size[0], matrix.size[1]);
    return m_tensors.load(matrix, m_stop, [&](std::uint64_t first, const unsigned char* from, std::uint64_t bytes) {
        memory.write(first, from, bytes);
    });
}

command_outcome matrix_loader::load_row_order(std::uint64_t address, coefficient_memory_if& memory)
{
    const std::uint32_t rows = memory.rows();
    std::vector<std::uint8_t> bytes(std::size_t{4} * rows);
    const auto outcome = shell::outcome_of(m_dma.read(address, bytes.data(), bytes.size(), m_stop));
    if (!outcome.ok()) { return outcome; }
    std::vector<std::uint32_t> order(rows);
    std::vector<bool> seen(rows, false);
    for (std::uint32_t t = 0; t < rows; ++t) {
        order[t] = arch::load_le<std::uint32_t>(bytes.data() + std::size_t{4} * t);
        if (order[t] >= rows || seen[order[t]]) { return {arch::error_code::bad_row_order}; }
        seen[order[t]] = true;
    }
    memory.set_row_order(std::move(order));
    return {};
}

bool matrix_loader::resident(const arch::triada::gemt_command& command) const
{
    for (unsigned mode = 0; mode < 3; ++mode) {
        const auto& memory = *m_memories[mode];
        if (command.sums(mode) && (memory.rows() != command.x.size[mode] || memory.columns() != command.y.size[mode])) {
            return false;
        }
    }
    return true;
}

void matrix_loader::clear()
{
    for (auto* memory : m_memories) { memory->resize(0, 0); }
}

} // namespace tensorloom::triada
