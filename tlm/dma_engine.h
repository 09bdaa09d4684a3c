#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/tlm_quantumkeeper.h>
#include <tensorloom/models/arch/event_table.h>
#include <tensorloom/tlm/activity_sink.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::bus {

/// The way out of a DMA engine: an initiator socket of some width (see dma_socket.h).
class dma_port {
public:
    virtual ~dma_port() = default;
    virtual void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) = 0;
    virtual unsigned bus_bytes() const = 0; ///< BUSWIDTH / 8
};

struct dma_config {
    unsigned burst_bytes = 4096;                      ///< largest transfer: a power of two, 4 to 1 MiB
    sc_core::sc_time clock_period{1, sc_core::SC_NS}; ///< one beat of the bus
};

/// The first thing wrong with a configuration.
std::optional<std::string> complaint(const dma_config& config);

/// How a transfer ended.
struct dma_result {
    enum class outcome { ok, stopped, failed } outcome = outcome::ok;
    std::uint64_t address = 0; ///< of the transaction that failed
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;

    bool ok() const { return outcome == outcome::ok; }
};

inline constexpr arch::event_definition dma_event_definitions[] = {
    {"read_transaction", "", "A burst that the DMA read over the bus."},
    {"write_transaction", "", "A burst that the DMA wrote over the bus."},
    {"read_byte", "", "A byte that the DMA read."},
    {"write_byte", "", "A byte that the DMA wrote."},
};
inline constexpr arch::event_table dma_events = arch::make_event_table(dma_event_definitions);

/// Moves bytes between memory on the bus and the inside of a device.
///
/// Transactions are what the strictest target takes: naturally aligned powers of two of at most burst_bytes, no byte enables, streaming
/// width = length. A burst takes the time that the target annotates, at least one clock period per beat of the bus. Called from
/// the device's thread: returns when the bytes have moved, in time too; runs ahead at most the global quantum. Stops between bursts.
/// Not modelled: several outstanding bursts, DMI, non-blocking transport.
class dma_engine {
public:
    explicit dma_engine(const dma_config& config) : m_config(config) {}

    /// Elaboration: the way out.
    void bind(dma_port& port) { m_port = &port; }

    dma_result read(std::uint64_t address, unsigned char* to, std::uint64_t bytes, const stop_request& stop);
    dma_result write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes, const stop_request& stop);

    const std::uint64_t* counts() const { return m_counts; }

private:
    dma_result move(tlm::tlm_command command, std::uint64_t address, unsigned char* data, std::uint64_t bytes,
                    const stop_request& stop);

    dma_config m_config;
    dma_port* m_port = nullptr;
    tlm::tlm_generic_payload m_transaction;
    tlm_utils::tlm_quantumkeeper m_time;
    std::uint64_t m_counts[dma_events.size] = {};
};

} // namespace tensorloom::bus
