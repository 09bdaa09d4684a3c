#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include "integration/bus_access.h"
#include "integration/bus_model.h"
#include "integration/random_program.h"
#include "integration/random_source.h"
#include "integration/register_model.h"

namespace tensorloom::test {

/// How often a host did what, and how its programs ended.
struct host_tally {
    std::uint64_t accesses = 0; ///< blocking or in phases
    std::uint64_t debug = 0;
    illegal_counts illegal{};
    std::uint64_t done = 0;
    std::uint64_t failed = 0;
    std::uint64_t aborted = 0;
    std::uint64_t reset_by_register = 0;
    std::uint64_t reset_by_pin = 0;
};

/// A processor that does everything with a TriADA device that one can do with it, and compares with the models: legal
/// and illegal
/// accesses of registers, in every way; random programs; abort and reset at any time.
class random_host : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<random_host, 64> out;
    sc_core::sc_in<bool> irq;
    sc_core::sc_out<bool> rst;

    struct settings {
        std::uint64_t seed;
        std::uint64_t accesses;
        std::uint64_t registers_at; ///< window of 8 KiB, of which the device has the first half
        program_memory memory;      ///< memory 0 of the bus model
        std::uint32_t caps;
    };

    random_host(sc_core::sc_module_name name, const settings& s, bus_model& bus);
    ~random_host() override;

    bool finished() const { return m_finished; }
    const host_tally& tally() const { return m_tally; }
    unsigned wrongs() const { return m_wrongs; }
    bool payloads_are_back() const;

private:
    class lone_payload;
    enum class stop { none, abort, reset_register, reset_pin };

    void run();
    void idle_accesses();
    void run_program();
    void write_inputs(const random_program& p);
    void start_twice();
    void accesses_while_busy();
    void await_end();
    void pulse_reset();
    void check_end(const random_program& p, stop how);
    void check_results(const random_program& p, bool finished);
    void expect_end(const random_program& p);
    void check_abort(const random_program& p);
    void check_registers();

    bus_access draw_access();
    bus_access access(tlm::tlm_command command, std::uint64_t address, std::vector<unsigned char> data);
    void send(bus_access& a); ///< any way
    void send_blocking(bus_access& a);
    void send_in_phases(bus_access& a);
    void register_access(bus_access a); ///< with the model's answer
    void debug_access();
    std::uint32_t read(std::uint32_t offset);
    void write(std::uint32_t offset, std::uint32_t value);
    std::uint32_t learn(std::uint32_t offset);
    void catch_up();
    void settle();
    void wrong(const std::string& what);
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay);

    settings m_settings;
    bus_model& m_bus;
    random_source m_random;
    register_model m_registers;
    std::unique_ptr<lone_payload> m_payload;
    host_tally m_tally;
    std::uint32_t m_irq_before = 0; // IRQ_STATUS at START
    unsigned m_wrongs = 0;
    bool m_finished = false;
    sc_core::sc_time m_ahead;
    sc_core::sc_event m_answered;
    bool m_waiting = false; // for BEGIN_RESP
};

} // namespace tensorloom::test
