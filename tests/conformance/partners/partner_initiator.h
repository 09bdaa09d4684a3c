#pragma once
#include <cstdint>
#include <memory>
#include <ostream>
#include <vector>
#include <systemc>
#include <tlm>

namespace tensorloom::test {

/// A transaction as it passes between the partners' traffic generator and initiator.
struct partner_transfer {
    sc_core::sc_time time;
    tlm::tlm_command command;
    std::uint64_t address;
    std::uint32_t data;
    tlm::tlm_response_status status;
};

/// The partners' traffic: at each of two bases 16 words are written in order and read back; a word holds its own
/// address, in the second half inverted. The generator compares what it reads.
struct partner_traffic {
    std::uint64_t first_base;
    std::uint64_t second_base;
    unsigned outstanding = 1; ///< payloads in the generator's pool

    static constexpr unsigned words = 16;         ///< per base
    static constexpr unsigned transfers = 4 * 16; ///< writes and reads at both bases
    std::uint32_t word_at(std::uint64_t address) const
    {
        const bool second = address >= second_base && address < second_base + 4 * words;
        return static_cast<std::uint32_t>(second ? ~address : address);
    }
};

enum class initiator_kind {
    lt,             ///< lt_initiator: waits for the annotated delay of each b_transport
    lt_dmi,         ///< lt_dmi_initiator: takes DMI when the hint is given
    lt_td,          ///< lt_td_initiator: temporally decoupled, sets a global quantum of 500 ns
    at_select,      ///< select_initiator: follows the target's choice of phases, 1, 2, 3 or 4
    at_annotated,   ///< at_initiator_annotated: ends a transaction by TLM_COMPLETED and an annotated delay
    at_every_phase, ///< at_initiator_explicit: every phase is a call
};
std::ostream& operator<<(std::ostream& out, initiator_kind kind);
bool is_blocking(initiator_kind kind);

/// An initiator of the Accellera examples, and the traffic generator that feeds it.
class partner_initiator : public sc_core::sc_module {
public:
    /// Word by word the partners' own top modules: end_response_delay is what the AT ones take for a response.
    static std::unique_ptr<partner_initiator> make(initiator_kind kind, const char* name, unsigned id,
                                                   const partner_traffic& traffic);
    static sc_core::sc_time end_response_delay() { return sc_core::sc_time(7, sc_core::SC_NS); }

    virtual tlm::tlm_initiator_socket<>& out() = 0;
    virtual const std::vector<partner_transfer>& responses() const = 0; ///< in the order in which they came back

protected:
    explicit partner_initiator(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
};

} // namespace tensorloom::test
