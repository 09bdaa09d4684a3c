#include <tensorloom/models/triada/cell_transfer.h>
#include <algorithm>
#include <tensorloom/models/triada/isa/step_counts.h>

namespace tensorloom::triada {
using shell::command_outcome;

namespace {

shape3 sizes_of(const isa::tensor_descriptor& tensor) { return {tensor.size[0], tensor.size[1], tensor.size[2]}; }
base::element_type type_of(const isa::tensor_descriptor& tensor)
{
    return static_cast<base::element_type>(tensor.type);
}

const sc_core::sc_time& last_beat(const bus::dma_result& result) { return result.sent; }
const sc_core::sc_time& last_burst(const bus::dma_result& result) { return result.ended; }
const sc_core::sc_time& all_bursts(const bus::dma_result& result) { return result.idle; }

} // namespace

cell_transfer::cell_transfer(const config& config, cell_memory_if& cells, bus::dma_ports& dma,
                             const bus::stop_request& stop, const shell::program_clock& clock)
    : m_config(config), m_cells(cells), m_tensors(dma), m_stop(stop), m_clock(clock)
{}

template <class Move>
transfer_report cell_transfer::timed(event busy_cycle, const std::vector<shape3>& corners, end_of_transfer ahead,
                                     const Move& move)
{
    transfer_report report;
    if (m_runs_ahead) {
        const std::uint64_t begun = m_clock.now();
        report.start_cycle = std::max(begun, m_port_free);
        report.outcome = move(report.counts);
        const std::uint64_t dma_end = m_clock.cycle_at(ahead(m_tensors.last()));
        std::uint64_t end = dma_end;
        if (report.outcome.ok()) {
            end = std::max(end, report.start_cycle + port_cycles(corners));
        } else { // a stop may have ended the one before, too
            report.start_cycle = std::max(begun, m_port_free);
        }
        end_at(end, report);
        const std::uint64_t dma_start = std::min(dma_end, std::max(begun, m_dma_free));
        report.freed = m_watch->freed(report.cycles, dma_end - dma_start, port_cycles(corners));
        m_dma_free = dma_end;
    } else {
        report =
            blocks::transfer_through_port<triada::counts>(m_tensors.dma(), m_clock, m_stop, port_cycles(corners), move);
    }
    report.counts[busy_cycle] = report.cycles;
    return report;
}

std::uint64_t cell_transfer::port_cycles(const std::vector<shape3>& corners) const
{
    return triada::port_cycles(corners, m_config.load_elements, m_config.port_aligner);
}

// The port is free from this cycle on.
template <class Report> void cell_transfer::end_at(std::uint64_t cycle, Report& report)
{
    report.start_cycle = std::min(report.start_cycle, cycle);
    report.cycles = cycle - report.start_cycle;
    m_port_free = cycle;
}

transfer_report cell_transfer::end_bursts() const
{
    transfer_report report;
    report.start_cycle = m_clock.now();
    m_clock.wait_until(end_of_bursts());
    report.cycles = report.counts[event::unload_cycle] = m_clock.now() - report.start_cycle;
    return report;
}

void cell_transfer::run_ahead(bool on)
{
    m_tensors.run_ahead(on);
    m_runs_ahead = on;
    m_port_free = m_dma_free = 0;
    m_watch.emplace(m_tensors.dma(), m_clock);
    m_cut_at.reset();
}

std::uint64_t cell_transfer::end_of_bursts() const
{
    return m_runs_ahead ? m_clock.cycle_at(std::max(m_tensors.last().idle, m_clock.started_at())) : 0;
}

void cell_transfer::wait_for(blocks::erased_transfer& transfer)
{
    const std::uint64_t end = transfer.end_cycle();
    if (end <= m_clock.now()) { return m_clock.align(); }
    if (!transfer.outcome.ok() || m_clock.wait_until(end, m_stop)) {
        m_clock.wait_until(end);
        return;
    }
    m_clock.wait_until(std::min(end, end_of_bursts()));
    if (m_clock.now() == end) { return; }
    transfer.outcome = {isa::error_code::aborted};
    if (m_cut_at) { transfer.start_cycle = std::min(transfer.start_cycle, *m_cut_at); } // when the port became free
    m_cut_at = m_clock.now();
    end_at(m_clock.now(), transfer);
    for (const event busy : {event::load_cycle, event::unload_cycle}) {
        auto& cycles = transfer.counts[static_cast<std::size_t>(busy)];
        if (cycles > 0) { cycles = transfer.cycles; }
    }
}

transfer_report cell_transfer::load(const std::vector<loaded_tensor>& tensors)
{
    std::vector<shape3> corners;
    for (const auto& tensor : tensors) { corners.push_back(sizes_of(tensor.from)); }
    return timed(event::load_cycle, corners, last_burst, [&](counts& counted) {
        for (const auto& tensor : tensors) {
            const command_outcome outcome = load_one(tensor, counted);
            if (!outcome.ok()) { return outcome; }
        }
        return command_outcome{};
    });
}

command_outcome cell_transfer::load_one(const loaded_tensor& tensor, counts& counted)
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
                              counted[event::element_load] += elements;
                              counted[event::register_write] += elements;
                          });
}

// read(first element, into, elements) returns how many of them were saturated.
template <class Read>
transfer_report cell_transfer::store(const std::vector<shape3>& corners, const isa::tensor_descriptor& to, bool last,
                                     const Read& read)
{
    const std::uint64_t size = base::element_bytes(type_of(to));
    return timed(event::unload_cycle, corners, last ? all_bursts : last_beat, [&](counts& counted) {
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
            counted[event::element_unload] += bytes / size;
            counted[event::register_read] += bytes / size;
            counted[event::operand_saturated] += saturated;
        };
        return m_tensors.store(to, m_stop, give, written);
    });
}

transfer_report cell_transfer::unload(cell_register from, const isa::tensor_descriptor& to, unsigned shift, bool last)
{
    const shape3 shape = sizes_of(to);
    const bool as_elements = type_of(to) == m_config.format;
    return store({shape}, to, last,
                 [&](std::uint64_t first, unsigned char* into, std::uint64_t elements) -> std::uint64_t {
                     if (as_elements) { return m_cells.read(from, shape, first, into, elements, shift); }
                     m_cells.read_sums(from, shape, first, into, elements, shift);
                     return 0;
                 });
}

namespace {

/// Contiguous elements of one tile in a sequence of elements of several.
struct tile_segment {
    std::size_t tile;
    std::uint64_t at; ///< first element within the tile
    std::uint64_t elements;
};

shape3 shape_of(const tile_row& tiles, std::size_t tile)
{
    shape3 shape = tiles.size;
    shape[2] = std::min(tiles.tile[2], tiles.size[2] - static_cast<std::uint32_t>(tile) * tiles.tile[2]);
    return shape;
}

std::vector<shape3> corners_of(const tile_row& tiles)
{
    std::vector<shape3> corners;
    for (std::size_t tile = 0; tile < tiles.registers.size(); ++tile) { corners.push_back(shape_of(tiles, tile)); }
    return corners;
}

// Where elements `first`... are: in the order of the rows of the whole block, or of one tile after the other.
tile_segment segment_at(const tile_row& tiles, bool rows, std::uint64_t first, std::uint64_t most)
{
    if (rows) {
        const std::uint64_t row = first / tiles.size[2], column = first % tiles.size[2];
        const std::size_t tile = column / tiles.tile[2];
        const std::uint64_t width = shape_of(tiles, tile)[2], in_tile = column % tiles.tile[2];
        return {tile, row * width + in_tile, std::min(most, width - in_tile)};
    }
    const std::uint64_t whole = std::uint64_t{tiles.size[0]} * tiles.size[1] * tiles.tile[2];
    const std::size_t tile = first / whole;
    return {tile, first % whole, std::min(most, isa::volume_of(shape_of(tiles, tile)) - first % whole)};
}

template <class Visit>
void for_each_segment(const tile_row& tiles, bool rows, std::uint64_t first, std::uint64_t elements, const Visit& visit)
{
    for (std::uint64_t done = 0; done < elements;) {
        const auto segment = segment_at(tiles, rows, first + done, elements - done);
        visit(segment, done);
        done += segment.elements;
    }
}

} // namespace

transfer_report cell_transfer::load(const tile_row& tiles, const isa::tensor_descriptor& from)
{
    const bool as_elements = type_of(from) == m_config.format;
    const std::uint64_t size = base::element_bytes(type_of(from));
    const auto corners = corners_of(tiles);
    for (std::size_t tile = 0; tile < corners.size(); ++tile) { m_cells.clear(tiles.registers[tile], corners[tile]); }
    return timed(event::load_cycle, corners, last_burst, [&](counts& counted) {
        const auto take = [&](std::uint64_t first, const unsigned char* bytes, std::uint64_t count) {
            for_each_segment(tiles, from.order == 3, first / size, count / size,
                             [&](const tile_segment& s, std::uint64_t at) {
                                 const auto to = tiles.registers[s.tile];
                                 if (as_elements) {
                                     m_cells.write(to, s.at, bytes + at * size, s.elements);
                                 } else {
                                     m_cells.write_sums(to, s.at, bytes + at * size, s.elements);
                                 }
                             });
            counted[event::element_load] += count / size;
            counted[event::register_write] += count / size;
        };
        return m_tensors.load(from, m_stop, take);
    });
}

transfer_report cell_transfer::unload(const tile_row& tiles, const isa::tensor_descriptor& to)
{
    const bool as_elements = type_of(to) == m_config.format;
    const std::uint64_t size = base::element_bytes(type_of(to));
    return store(corners_of(tiles), to, true, [&](std::uint64_t first, unsigned char* into, std::uint64_t elements) {
        std::uint64_t saturated = 0;
        for_each_segment(tiles, to.order == 3, first, elements, [&](const tile_segment& s, std::uint64_t at) {
            const auto from = tiles.registers[s.tile];
            const auto shape = shape_of(tiles, s.tile);
            if (as_elements) {
                saturated += m_cells.read(from, shape, s.at, into + at * size, s.elements, 0);
            } else {
                m_cells.read_sums(from, shape, s.at, into + at * size, s.elements, 0);
            }
        });
        return saturated;
    });
}

} // namespace tensorloom::triada
