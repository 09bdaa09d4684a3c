#include <tensorloom/models/triada/matrix_loader.h>
#include <algorithm>

namespace tensorloom::triada {

using shell::command_outcome;

namespace {

using row_order = std::vector<std::uint32_t>;

// A row order of `rows` numbers; nothing when it is not a permutation.
std::optional<row_order> row_order_of(const std::uint8_t* bytes, std::uint32_t rows)
{
    row_order order(rows);
    std::vector<bool> seen(rows, false);
    for (std::uint32_t t = 0; t < rows; ++t) {
        order[t] = base::load_le<std::uint32_t>(bytes + std::size_t{4} * t);
        if (order[t] >= rows || seen[order[t]]) { return std::nullopt; }
        seen[order[t]] = true;
    }
    return order;
}

} // namespace

command_outcome matrix_loader::load(const gemt_command& command, std::uint64_t& coefficients)
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

command_outcome matrix_loader::load_matrix(const isa::tensor_descriptor& matrix, coefficient_memory_if& memory)
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
    const auto outcome = m_tensors.load(isa::dense_descriptor(address, base::element_type::int32, {rows}), m_stop,
                                        [&bytes](std::uint64_t first, const unsigned char* from, std::uint64_t count) {
                                            std::copy_n(from, count, bytes.data() + first);
                                        });
    if (!outcome.ok()) { return outcome; }
    auto order = row_order_of(bytes.data(), rows);
    if (!order) { return {isa::error_code::bad_row_order}; }
    memory.set_row_order(std::move(*order));
    return {};
}

bool matrix_loader::resident(const gemt_command& command) const
{
    for (unsigned mode = 0; mode < 3; ++mode) {
        const auto& memory = *m_memories[mode];
        if (command.sums(mode) && (memory.rows() != command.x.size[mode] || memory.columns() != command.y.size[mode])) {
            return false;
        }
    }
    return true;
}

void matrix_loader::write_state(base::state_writer& state) const
{
    for (const auto* memory : m_memories) {
        state.put(memory->rows());
        state.put(memory->columns());
        state.put(static_cast<std::uint32_t>(memory->row_order().size()));
        for (const std::uint32_t row : memory->row_order()) { state.put(row); }
    }
}

std::function<void()> matrix_loader::read_state(base::state_reader& state, std::uint64_t most_coefficients) const
{
    struct saved_matrix {
        std::uint32_t rows, columns;
        row_order order;
    };
    std::array<saved_matrix, 3> matrices;
    for (auto& m : matrices) {
        m.rows = state.take<std::uint32_t>();
        m.columns = state.take<std::uint32_t>();
        const std::uint64_t coefficients = std::uint64_t{m.rows} * m.columns;
        if (coefficients > most_coefficients) {
            state.fail("a matrix", std::to_string(coefficients) + " coefficients",
                       "at most " + std::to_string(most_coefficients));
        }
        const auto ordered = state.take<std::uint32_t>();
        if (ordered == 0) { continue; }
        auto order = row_order_of(state.take_bytes(std::size_t{4} * ordered), ordered);
        if (ordered != m.rows || !order) {
            state.fail("a row order", std::to_string(ordered) + " rows", "those of the matrix, each once");
        }
        m.order = std::move(*order);
    }
    return [this, matrices = std::move(matrices)] {
        for (unsigned mode = 0; mode < 3; ++mode) {
            m_memories[mode]->resize(matrices[mode].rows, matrices[mode].columns);
            m_memories[mode]->set_row_order(matrices[mode].order);
        }
    };
}

void matrix_loader::clear()
{
    for (auto* memory : m_memories) { memory->resize(0, 0); }
}

} // namespace tensorloom::triada
