#include <tensorloom/tlm/dma_engine.h>
#include <algorithm>

namespace tensorloom::bus {

std::optional<std::string> complaint(const dma_config& config)
{
    const unsigned b = config.burst_bytes;
    if (b < 4 || b > (1u << 20) || (b & (b - 1)) != 0) {
        return "DMA burst of " + std::to_string(b) + " bytes, expected a power of two from 4 to 1048576";
    }
    if (config.clock_period <= sc_core::SC_ZERO_TIME) { return std::string("DMA clock period must be above 0"); }
    return std::nullopt;
}

dma_result dma_engine::read(std::uint64_t address, unsigned char* to, std::uint64_t bytes, const stop_request& stop)
{
    return move(tlm::TLM_READ_COMMAND, address, to, bytes, stop);
}

dma_result dma_engine::write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes,
                             const stop_request& stop)
{
    return move(tlm::TLM_WRITE_COMMAND, address, const_cast<unsigned char*>(from), bytes,
                stop); // a target must not write to it
}

dma_result dma_engine::move(tlm::tlm_command command, std::uint64_t address, unsigned char* data, std::uint64_t bytes,
                            const stop_request& stop)
{
    const bool reads = command == tlm::TLM_READ_COMMAND;
    m_time.reset();
    while (bytes > 0) {
        if (stop.acts_at(m_time.get_current_time())) {
            m_time.sync();
            return dma_result{dma_result::outcome::stopped, address, tlm::TLM_OK_RESPONSE};
        }
        std::uint64_t burst = m_config.burst_bytes;
        while (burst > bytes || address % burst != 0) { burst /= 2; }

        m_transaction.set_command(command);
        m_transaction.set_address(address);
        m_transaction.set_data_ptr(data);
        m_transaction.set_data_length(static_cast<unsigned>(burst));
        m_transaction.set_streaming_width(static_cast<unsigned>(burst));
        m_transaction.set_byte_enable_ptr(nullptr);
        m_transaction.set_byte_enable_length(0);
        m_transaction.set_dmi_allowed(false);
        m_transaction.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);

        const sc_core::sc_time begin = m_time.get_current_time();
        sc_core::sc_time delay = m_time.get_local_time();
        m_port->b_transport(m_transaction, delay);
        m_time.set(delay);
        const auto beats = static_cast<double>((burst + m_port->bus_bytes() - 1) / m_port->bus_bytes());
        const sc_core::sc_time earliest = begin + beats * m_config.clock_period;
        if (m_time.get_current_time() < earliest) { m_time.inc(earliest - m_time.get_current_time()); }

        if (!m_transaction.is_response_ok()) {
            m_time.sync();
            return dma_result{dma_result::outcome::failed, address, m_transaction.get_response_status()};
        }
        ++m_counts[reads ? 0 : 1];
        m_counts[reads ? 2 : 3] += burst;
        if (m_time.need_sync()) { m_time.sync(); }
        address += burst;
        data += burst;
        bytes -= burst;
    }
    m_time.sync();
    return dma_result{};
}

} // namespace tensorloom::bus
