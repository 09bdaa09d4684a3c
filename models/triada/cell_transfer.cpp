#include <tensorloom/models/triada/cell_transfer.h>

namespace tensorloom::triada {
using shell::command_outcome;

namespace {

shape3 sizes_of(const isa::tensor_descriptor& tensor) { return {tensor.size[0], tensor.size[1], tensor.size[2]}; }
base::element_type type_of(const isa::tensor_descriptor& tensor)
{
    return static_cast<base::element_type>(tensor.type);
}

} // namespace

cell_transfer::cell_transfer(const config& config, cell_memory_if& cells, bus::dma_ports& dma,
                             const bus::stop_request& stop, const shell::program_clock& clock)
    : m_config(config), m_cells(cells), m_tensors(dma), m_stop(stop), m_clock(clock)
{}

template <class Move> transfer_report cell_transfer::timed(event busy_cycle, std::uint64_t elements, const Move& move)
{
    auto report =
        blocks::transfer_through_port<triada::counts>(m_clock, m_stop, elements, m_config.load_elements, move);
    report.counts[busy_cycle] = report.cycles;
    return report;
}

transfer_report cell_transfer::load(const std::vector<loaded_tensor>& tensors)
{
    std::uint64_t elements = 0;
    for (const auto& tensor : tensors) { elements += tensor.from.elements(); }
    return timed(event::load_cycle, elements, [&](counts& counts) {
        for (const auto& tensor : tensors) {
            const command_outcome outcome = load_one(tensor, counts);
            if (!outcome.ok()) { return outcome; }
        }
        return command_outcome{};
    });
}

command_outcome cell_transfer::load_one(const loaded_tensor& tensor, counts& counts)
{
    const base::element_type type = type_of(tensor.from);
    const std::uint64_t size = base::element_bytes(type);
    m_cells.clear(tensor.to, sizes_of(tensor.from));
    return m_tensors.load(tensor.from, m_stop,
                          [&](std::uint64_t first, const unsigned char* from, std::uint64_t bytes) {
                              const std::uint64_t elements = bytes / size;
                              if (type == m_config.format) {
                                  m_cells.write(tensor.to, first / size, from, elements);
                              } else {
                                  m_cells.write_sums(tensor.to, first / size, from, elements);
                              }
                              counts[event::element_load] += elements;
                              counts[event::register_write] += elements;
                          });
}

transfer_report cell_transfer::unload(cell_register from, const isa::tensor_descriptor& to, unsigned shift)
{
    const base::element_type type = type_of(to);
    const std::uint64_t size = base::element_bytes(type);
    const shape3 shape = sizes_of(to);
    // Returns how many of them were saturated.
    const auto read = [&](std::uint64_t first, unsigned char* into, std::uint64_t elements) -> std::uint64_t {
        if (type == m_config.format) { return m_cells.read(from, shape, first, into, elements, shift); }
        m_cells.read_sums(from, shape, first, into, elements, shift);
        return 0;
    };
    return timed(event::unload_cycle, to.elements(), [&](counts& counts) {
        std::uint64_t given = 0, saturated = 0;
        const auto give = [&](std::uint64_t first, unsigned char* into, std::uint64_t bytes) {
            given = bytes;
            saturated = read(first / size, into, bytes / size);
        };
        const auto written = [&](std::uint64_t first, std::uint64_t bytes) {
            if (bytes < given) {
                m_again.resize(bytes);
                saturated = read(first / size, m_again.data(), bytes / size);
            }
            counts[event::element_unload] += bytes / size;
            counts[event::register_read] += bytes / size;
            counts[event::operand_saturated] += saturated;
        };
        return m_tensors.store(to, m_stop, give, written);
    });
}

} // namespace tensorloom::triada
