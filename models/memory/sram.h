#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>
#include <tensorloom/tlm/activity_sink.h>

namespace tensorloom::memory {

struct sram_config {
    std::uint64_t bytes = 1u << 20;              ///< size, at least 1
    sc_core::sc_time latency{2, sc_core::SC_NS}; ///< before the first byte of an access
    sc_core::sc_time clock_period{1, sc_core::SC_NS};
    unsigned bytes_per_cycle = 64; ///< width of the port, at least 1
    bool allow_dmi = true;
};

/// The first thing wrong with a configuration.
std::optional<std::string> complaint(const sram_config& config);

/// What an SRAM does, apart from its socket's width.
///
/// Addresses from 0. An access takes latency + ceil(length / bytes_per_cycle) clock periods, added to the annotated delay.
/// Answers: ADDRESS_ERROR when any byte lies outside; BURST_ERROR when the streaming width is below the length (0 counts as the
/// length). Byte enables are honoured on reads and writes. Debug transport returns the bytes that exist.
/// DMI is granted for the whole memory.
///
/// Events    read_access, write_access     64-bit words touched (arch/sram_energy.h)
/// Not modelled: banks, ports and their conflicts, streaming bursts.
class sram_body {
public:
    explicit sram_body(const sram_config& config);

    void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& transaction);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi);

    std::uint64_t size() const { return m_config.bytes; }
    const std::uint64_t* counts() const { return m_counts; }

private:
    struct release {
        void operator()(unsigned char* p) const;
    };

    sram_config m_config;
    std::unique_ptr<unsigned char[], release> m_bytes; // zero pages until they are written
    std::uint64_t m_counts[2] = {};
};

void attach_sram(bus::activity_sink& activity, const std::string& object, const sram_body& body);

/// A static memory on the bus.
///
/// in      base-protocol target socket
template <unsigned BUSWIDTH = 32> class sram : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<sram, BUSWIDTH> in;

    /// A configuration with a complaint is an SC_ERROR.
    sram(sc_core::sc_module_name name, const sram_config& config, bus::activity_sink* activity = nullptr)
        : sc_core::sc_module(name), in("in"), m_body(config)
    {
        in.register_b_transport(this, &sram::b_transport);
        in.register_transport_dbg(this, &sram::transport_dbg);
        in.register_get_direct_mem_ptr(this, &sram::get_direct_mem_ptr);
        if (activity != nullptr) { attach_sram(*activity, this->name(), m_body); }
    }

private:
    void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) { m_body.b_transport(t, delay); }
    unsigned transport_dbg(tlm::tlm_generic_payload& t) { return m_body.transport_dbg(t); }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& t, tlm::tlm_dmi& dmi)
    {
        return m_body.get_direct_mem_ptr(t, dmi);
    }

    sram_body m_body;
};

} // namespace tensorloom::memory
