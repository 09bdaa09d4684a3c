#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <tlm>
#include <tensorloom/tlm/dma_config.h>

namespace tensorloom::bus {

// Transport of a DMA engine's bursts over the bus: the port, a burst, and the blocking and non-blocking transports.

/// The output port of a DMA engine: an initiator socket of some width (dma_socket.h).
class dma_port : protected tlm::tlm_bw_transport_if<> {
public:
    virtual tlm::tlm_fw_transport_if<>& target() = 0; ///< the bound target; valid after elaboration
    virtual unsigned bus_bytes() const = 0;           ///< BUSWIDTH / 8

    /// Elaboration: the listener on the backward path; without one, calls are accepted and ignored.
    void listen(tlm::tlm_bw_transport_if<>& listener) { m_listener = &listener; }

private:
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override
    {
        return m_listener == nullptr ? tlm::TLM_ACCEPTED : m_listener->nb_transport_bw(transaction, phase, delay);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override
    {
        if (m_listener != nullptr) { m_listener->invalidate_direct_mem_ptr(first, last); }
    }

    tlm::tlm_bw_transport_if<>* m_listener = nullptr;
};

/// One burst of a DMA transfer, from its issue to its answer. Times are absolute.
struct dma_burst {
    tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
    std::uint64_t first = 0; ///< bytes of the transfer before this burst; grows with the order of issue
    std::uint64_t address = 0;
    unsigned char* data = nullptr;
    unsigned bytes = 0;
    sc_core::sc_time issued;

    bool answered = true;   ///< the fields below are known; they may refer to a future time
    sc_core::sc_time done;  ///< when the burst has ended
    bool timed_out = false; ///< the burst got no answer: there is no status
    bool abandoned = false; ///< likewise, because it was abandoned
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    bool dmi_hinted = false; ///< the answer carried the DMI hint

    /// Fills in a request that the strictest target accepts.
    void describe(tlm::tlm_generic_payload& transaction) const
    {
        transaction.set_command(command);
        transaction.set_address(address);
        transaction.set_data_ptr(data);
        transaction.set_data_length(bytes);
        transaction.set_streaming_width(bytes);
        transaction.set_byte_enable_ptr(nullptr);
        transaction.set_byte_enable_length(0);
        transaction.set_dmi_allowed(false);
        transaction.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    }
};

/// Sends the bursts of a DMA engine over the bus. All calls except receive() and abandon_bursts() come from the
/// engine's thread.
class burst_transport {
public:
    struct answer_handlers {
        /// Called once per burst sent, as soon as `done` and `status` are known.
        std::function<void(dma_burst&)> answered;
        /// A burst that timed out or was abandoned has been answered.
        std::function<void()> answered_late;
    };

    virtual ~burst_transport() = default;

    /// A transfer begins now.
    virtual void begin() = 0;
    /// Waits for the first time, not before `earliest`, at which a request may be sent, and returns it. It may be ahead
    /// of simulated time by at most the global quantum. Returns nothing when a burst in flight timed out meanwhile, or
    /// the bus stayed occupied for the time-out: then nothing may be sent.
    virtual std::optional<sc_core::sc_time> open(const sc_core::sc_time& earliest) = 0;
    /// Sends a burst at the time that open() returned. The burst must stay in place until retire(). False: the burst
    /// was abandoned during the call, which has returned only now; the transfer is over.
    virtual bool send(dma_burst& burst) = 0;
    /// Returns when the burst has been answered, has timed out or was abandoned. Does nothing for a burst that was
    /// never sent.
    virtual void retire(dma_burst& burst) = 0;

    /// Leaves the bursts in flight behind: they count as answered now, and their answers will be dropped. Returns the
    /// burst whose call has not returned, if any: the engine's thread stays in the target, and this object with it.
    virtual dma_burst* abandon_bursts() = 0;
    /// A burst that was abandoned and has not been answered refers to bytes in this range.
    virtual bool refers_to(const unsigned char* first, const unsigned char* end) const = 0;

    /// The backward path of the port.
    virtual tlm::tlm_sync_enum receive(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) = 0;
};

std::unique_ptr<burst_transport> make_burst_transport(const dma_config& config, dma_port& port,
                                                      burst_transport::answer_handlers handlers);

} // namespace tensorloom::bus
