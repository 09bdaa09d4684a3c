#include <tensorloom/models/mmv/device.h>
#include <cstring>
#include <string>

namespace tensorloom::mmv {

using arch::mmv::event;

namespace {

shell::shell_config shell_settings(const config& c)
{
    shell::shell_config s(c);
    s.format = static_cast<std::uint8_t>(c.format);
    s.caps_size = {c.side, c.lanes, static_cast<std::uint32_t>(c.scratchpad_bytes / scratchpad_unit)};
    s.overlap = c.overlap;
    s.overlapped_cycle = static_cast<std::size_t>(event::overlapped_cycle);
    return s;
}

blocks::vector_unit_config vector_settings(const config& c)
{
    blocks::vector_unit_config v;
    v.word = arch::accumulator_type(c.format);
    v.lanes = c.lanes;
    v.costs = c.vector_costs;
    v.blocks = c.blocks;
    v.word_bits = c.word_bits != 0 ? c.word_bits : arch::element_bits(v.word);
    v.fidelity = c.fidelity;
    v.clock_period = c.clock_period;
    v.events = arch::vector::map_by_name(arch::mmv::events);
    return v;
}

} // namespace

// ---- what LOAD and STORE see ----

void device_body::transfer_port::read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) const
{
    std::memcpy(to, m_scratchpad.at(address), bytes);
}

void device_body::transfer_port::write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes)
{
    std::memcpy(m_scratchpad.at(address), from, bytes);
    m_scratchpad.note_written({address, 1, bytes, 0});
}

std::uint64_t device_body::transfer_port::port_cycles(std::uint64_t address, std::uint64_t bytes) const
{
    const auto& banks = m_scratchpad.banks();
    return banks.contiguous_cycles(banks.words(address, bytes));
}

std::uint64_t device_body::transfer_port::accesses(const shell::byte_range& moved) const
{
    return m_scratchpad.banks().words(moved.first, moved.bytes);
}

// ---- the device ----

device_body::device_body(sc_core::sc_module_name name, const config& config, bus::activity_sink* activity)
    : device_shell(name, arch::mmv::description, shell_settings(shell::checked(config, "/tensorloom/mmv/config")),
                   activity),
      m_config(config), m_scratchpad("scratchpad", config.scratchpad_bytes,
                                     static_cast<unsigned>(limits_of(config).word_bytes()), config.banks),
      m_transfers(*m_scratchpad.port.operator->()), m_matrix("matrix_unit", config, stop()),
      m_vector("vector_unit", vector_settings(config), stop()),
      m_scalar("scalar_unit", arch::accumulator_type(config.format), config.scalar_ops, config.clock_period, stop())
{
    m_matrix.pad(m_scratchpad.port);
    m_vector.pad(m_scratchpad.port);
    m_scalar.pad(m_scratchpad.port);
    use_units({&m_matrix, &m_vector, &m_scalar}, m_transfers,
              {static_cast<std::size_t>(event::scratchpad_write), static_cast<std::size_t>(event::scratchpad_read)});
}

device_body::~device_body() = default;

void device_body::trace(sc_core::sc_trace_file& file, const std::vector<element_position>& elements)
{
    trace_units(file);
    for (const auto& [row, column] : elements) { m_matrix.trace_element(file, row, column); }
}

template class device<32>;
template class device<64>;
template class device<128>;
template class device<256>;
template class device<512>;

} // namespace tensorloom::mmv
