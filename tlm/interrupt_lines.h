#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::bus {

// Between interrupt lines and platforms that carry interrupts otherwise: a line to transactions, transactions to a
// line, several lines to one.

/// A transaction that stands for an edge of an interrupt line.
struct irq_write {
    std::uint64_t address = 0;
    std::uint64_t value = 1; ///< little-endian
    unsigned bytes = 4;      ///< of the value: 1, 2, 4 or 8
};

struct irq_initiator_config {
    std::optional<irq_write> raised = irq_write{}; ///< for a rising edge; none: not sent
    std::optional<irq_write> lowered;              ///< for a falling edge; none: not sent
};

/// The first error of a configuration.
std::optional<std::string> validate(const irq_initiator_config& config);

/// Sends a write for every edge of an interrupt line, for processors and controllers whose interrupt input is a TLM
/// socket.
///
/// irq     the line, active-high
/// out     base-protocol initiator socket, 32 bits, LT
///
/// An edge is sent when it occurs, or when the write of the edge before has ended: none is lost. A line that is high
/// at the start of the simulation has risen then.
/// Errors     an error response is an SC_WARNING, and counted. INCOMPLETE counts as OK: models that take an interrupt
///            as a call often set no response
/// Not modelled: edges shorter than a delta cycle.
///
/// Example
///
///     bus::irq_initiator edges("edges", {bus::irq_write{0, 0x8000'000b, 4}, {}}); // a cause as data
///     edges.irq.bind(interrupt);
///     edges.out.bind(target);
class irq_initiator : public sc_core::sc_module {
public:
    sc_core::sc_in<bool> irq;
    tlm_utils::simple_initiator_socket<irq_initiator, 32> out;

    /// An invalid configuration is an SC_ERROR.
    explicit irq_initiator(sc_core::sc_module_name name, const irq_initiator_config& config = {});

    std::uint64_t sent() const { return m_sent; }       ///< writes that have ended
    std::uint64_t refused() const { return m_refused; } ///< of them, with an error response
    const char* kind() const override { return "irq_initiator"; }

private:
    void start_of_simulation() override;
    void note_edge();  // method
    void send_edges(); // thread
    void send(const irq_write& write);

    irq_initiator_config m_config;
    std::deque<bool> m_edges; // not yet sent: the line afterwards
    sc_core::sc_event m_edge;
    std::uint64_t m_sent = 0;
    std::uint64_t m_refused = 0;
};

struct irq_target_config {
    enum class output {
        level, ///< a write of 0 lowers the line, any other value raises it
        pulse  ///< every write raises the line for `pulse`, whatever its value
    } drives = output::level;
    sc_core::sc_time pulse{1, sc_core::SC_NS}; ///< above 0
};

/// The first error of a configuration.
std::optional<std::string> validate(const irq_target_config& config);

/// Drives an interrupt line by writes.
///
/// in      base-protocol target socket, 32 bits, LT; every address; 1 to 8 bytes, little-endian
/// irq     the line, active-high
///
/// A write acts at its annotated time, and adds no delay. A write during a pulse begins another one when the line has
/// been low for `pulse`: as many edges as writes.
/// Errors     a read: COMMAND_ERROR; byte enables: BYTE_ENABLE_ERROR; more than 8 bytes, or a streaming
///            width below the length: BURST_ERROR
/// Not modelled: debug transport (0 bytes), DMI.
///
/// Example
///
///     bus::irq_target line("line");
///     initiator.bind(line.in);
///     line.irq.bind(interrupt);
class irq_target : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<irq_target, 32> in;
    sc_core::sc_out<bool> irq;

    /// An invalid configuration is an SC_ERROR.
    explicit irq_target(sc_core::sc_module_name name, const irq_target_config& config = {});
    const char* kind() const override { return "irq_target"; }

private:
    void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
    void drive(); // method

    irq_target_config m_config;
    std::multimap<sc_core::sc_time, bool> m_due; // levels, in the order of their writes at one time
    sc_core::sc_time m_quiet;                    // from when on a pulse may begin
    sc_core::sc_event m_next;
};

/// An OR of interrupt lines: high while one of them is.
///
/// in      any number of lines
/// out     one delta cycle later
///
/// Example
///
///     bus::irq_or any("any");
///     sc_core::sc_signal<bool> shared("shared");
///     any.in.bind(interrupt); // one for each device
///     any.out.bind(shared);
class irq_or : public sc_core::sc_module {
public:
    sc_core::sc_port<sc_core::sc_signal_in_if<bool>, 0, sc_core::SC_ZERO_OR_MORE_BOUND> in;
    sc_core::sc_out<bool> out;

    explicit irq_or(sc_core::sc_module_name name);
    const char* kind() const override { return "irq_or"; }

private:
    void combine(); // method
};

} // namespace tensorloom::bus
