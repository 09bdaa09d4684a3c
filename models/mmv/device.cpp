#include <tensorloom/models/mmv/device.h>
#include <cstring>
#include <string>

namespace tensorloom::mmv {

// ---- what LOAD and STORE see ----

void transfer_port::read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) const
{
    std::memcpy(to, m_scratchpad.at(address), bytes);
}

void transfer_port::write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes)
{
    std::memcpy(m_scratchpad.at(address), from, bytes);
    m_scratchpad.note_written({address, 1, bytes, 0});
}

std::uint64_t transfer_port::port_cycles(std::uint64_t address, std::uint64_t bytes) const
{
    const auto& banks = m_scratchpad.banks();
    return banks.contiguous_cycles(banks.words(address, bytes));
}

std::uint64_t transfer_port::accesses(const shell::byte_range& moved) const
{
    return m_scratchpad.banks().words(moved.first, moved.bytes);
}

// ---- the device ----

device_base::device_base(sc_core::sc_module_name name, const config& config, bus::activity_sink* activity)
    : device_shell(name, description,
                   {checked(name, config, "/tensorloom/mmv/config"),
                    config.format,
                    {config.side, config.lanes, static_cast<std::uint32_t>(config.scratchpad_bytes / scratchpad_unit)},
                    config.overlap,
                    event::overlapped_cycle},
                   activity),
      m_config(config), m_scratchpad("scratchpad", config.scratchpad_bytes,
                                     static_cast<unsigned>(limits_of(config).word_bytes()), config.banks),
      m_transfers(*m_scratchpad.port.operator->()), m_matrix("matrix_unit", config, clock(), stop()),
      m_vector("vector_unit",
               blocks::vector_settings(config, limits_of(config), config.word_bits, isa::vector::map_by_name(events),
                                       clock()),
               stop()),
      m_scalar("scalar_unit", base::accumulator_type(config.format), config.scalar_ops, clock(), stop())
{
    count_banks("scratchpad", m_scratchpad); // words at strides and at indices
    for (auto* pad : {&m_matrix.pad, &m_vector.pad, &m_scalar.pad}) { pad->bind(m_scratchpad.port); }
    use_units({&m_matrix, &m_vector, &m_scalar}, m_transfers, {event::scratchpad_write, event::scratchpad_read});
}

limits traits::limits_of(const driver& found, const config& expected)
{
    if (found.side() != expected.side || found.format() != expected.format) {
        throw isa::device_failure("the device has an array of side " + std::to_string(found.side()) + " in " +
                                  std::string(base::element_type_name(found.format())) + ", expected side " +
                                  std::to_string(expected.side) + " in " +
                                  std::string(base::element_type_name(expected.format)));
    }
    return mmv::limits_of(expected);
}

void device_base::trace(sc_core::sc_trace_file& file, const std::vector<element_position>& elements)
{
    trace_units(file);
    for (const auto& [row, column] : elements) { m_matrix.trace_element(file, row, column); }
}

} // namespace tensorloom::mmv

TENSORLOOM_DEVICE_OF_EVERY_WIDTH(template, tensorloom::mmv::traits);
