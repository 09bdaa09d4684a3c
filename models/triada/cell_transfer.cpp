#include <tensorloom/models/triada/cell_transfer.h>
#include <tensorloom/models/shell/transfer_unit.h>

namespace tensorloom::triada {
using shell::command_outcome;

namespace {

shape3 sizes_of(const arch::tensor_descriptor& tensor) { return {tensor.size[0], tensor.size[1], tensor.size[2]}; }
arch::element_type type_of(const arch::tensor_descriptor& tensor)
{
    return static_cast<arch::element_type>(tensor.type);
}

} // namespace

cell_transfer::cell_transfer(const config& config, cell_memory_if& cells, bus::dma_engine& dma,
                             const bus::stop_request& stop, const shell::program_clock& clock)
    : m_config(config), m_cells(cells), m_dma(dma), m_stop(stop), m_clock(clock), m_buffer(shell::piece_bytes)
{}

// The DMA may take longer than the memory port, or the other way round.
template <class Move>
transfer_report cell_transfer::timed(arch::triada::event busy_cycle, std::uint64_t elements, const Move& move)
{
    transfer_report report;
    report.start_cycle = m_clock.now();
    report.outcome = move(report.counts);
    if (report.outcome.ok()) {
        const std::uint64_t port_cycles = (elements + m_config.load_elements - 1) / m_config.load_elements;
        if (!m_clock.wait_until(report.start_cycle + port_cycles, m_stop)) {
            report.outcome = {arch::error_code::aborted};
        }
    }
    m_clock.align();
    report.cycles = m_clock.now() - report.start_cycle;
    report.counts[busy_cycle] = report.cycles;
    return report;
}

transfer_report cell_transfer::load(const std::vector<loaded_tensor>& tensors)
{
    std::uint64_t elements = 0;
    for (const auto& tensor : tensors) { elements += tensor.from.elements(); }
    return timed(arch::triada::event::load_cycle, elements, [&](arch::triada::counts& counts) {
        for (const auto& tensor : tensors) {
            const command_outcome outcome = load_one(tensor, counts);
            if (!outcome.ok()) { return outcome; }
        }
        return command_outcome{};
    });
}

command_outcome cell_transfer::load_one(const loaded_tensor& tensor, arch::triada::counts& counts)
{
    const arch::element_type type = type_of(tensor.from);
    const std::uint64_t size = arch::element_bytes(type);
    m_cells.clear(tensor.to, sizes_of(tensor.from));
    return shell::for_each_piece(tensor.from, [&](std::uint64_t address, std::uint64_t first, std::uint64_t bytes) {
        const auto outcome = shell::outcome_of(m_dma.read(address, m_buffer.data(), bytes, m_stop));
        if (!outcome.ok()) { return outcome; }
        const std::uint64_t elements = bytes / size;
        if (type == m_config.format) {
            m_cells.write(tensor.to, first / size, m_buffer.data(), elements);
        } else {
            m_cells.write_sums(tensor.to, first / size, m_buffer.data(), elements);
        }
        counts[arch::triada::event::element_load] += elements;
        counts[arch::triada::event::register_write] += elements;
        return outcome;
    });
}

transfer_report cell_transfer::unload(cell_register from, const arch::tensor_descriptor& to, unsigned shift)
{
    const arch::element_type type = type_of(to);
    const std::uint64_t size = arch::element_bytes(type);
    const shape3 shape = sizes_of(to);
    return timed(arch::triada::event::unload_cycle, to.elements(), [&](arch::triada::counts& counts) {
        return shell::for_each_piece(to, [&](std::uint64_t address, std::uint64_t first, std::uint64_t bytes) {
            const std::uint64_t elements = bytes / size;
            std::uint64_t saturated = 0;
            if (type == m_config.format) {
                saturated = m_cells.read(from, shape, first / size, m_buffer.data(), elements, shift);
            } else {
                m_cells.read_sums(from, shape, first / size, m_buffer.data(), elements, shift);
            }
            const auto outcome = shell::outcome_of(m_dma.write(address, m_buffer.data(), bytes, m_stop));
            if (!outcome.ok()) { return outcome; }
            counts[arch::triada::event::element_unload] += elements;
            counts[arch::triada::event::register_read] += elements;
            counts[arch::triada::event::operand_saturated] += saturated;
            return outcome;
        });
    });
}

} // namespace tensorloom::triada
