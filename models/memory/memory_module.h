#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <tensorloom/models/base/files/saved_state.h>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/memory/byte_store.h>
#include <tensorloom/tlm/at_target.h>

namespace tensorloom::memory {

/// Appends the fields that every memory has (those of its port) to the fields of a configuration.
template <class Config> base::config_fields with_port_fields(base::config_fields own, Config& c)
{
    const base::config_fields port = {
        base::number(c.queue_depth, {1, UINT32_MAX},
                     {"queue-depth", "queue_depth", "COUNT", "Non-blocking transactions inside the memory."}),
        base::choice(c.phases, {{"4", 4}, {"2", 2}, {"1", 1}},
                     {"phases", "phases", "4|2|1", "Phases of a non-blocking transaction."}),
        base::flag(c.streaming_bursts,
                   {"streaming-bursts", "streaming_bursts", "",
                    "A streaming width below the length wraps the address; otherwise it is a burst error."}),
        base::flag(c.allow_dmi, {"allow-dmi", "allow_dmi", "", "Direct pointers are granted."}),
    };
    for (const auto& fields : {port, fields_of(c.tolerance)}) { own.insert(own.end(), fields.begin(), fields.end()); }
    return own;
}

/// The common part of memories, without timing: contents, debug transport, direct pointers.
class memory_body : public bus::timed_service {
public:
    unsigned transport_dbg(tlm::tlm_generic_payload& transaction) override
    {
        return m_bytes.transport_dbg(transaction);
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi) override
    {
        return m_bytes.get_direct_mem_ptr(transaction, dmi, m_time_per_byte);
    }

    void set_dmi_allowed(bool allowed) { m_bytes.set_dmi_allowed(allowed); }
    bool take_back_dmi() { return m_bytes.take_back_dmi(); } ///< whether a DMI pointer was granted since the last time

    /// Resets the timing to its state after construction; contents and counts stay.
    virtual void reset() = 0;

    void save(base::state_writer& state) const { m_bytes.save(state); }
    void restore(base::state_reader& state) { m_bytes.restore(state); }

    std::uint64_t size() const { return m_bytes.size(); }

protected:
    /// `time_per_byte`: of a direct access.
    memory_body(const byte_store_config& store, const sc_core::sc_time& time_per_byte)
        : m_bytes(store), m_time_per_byte(time_per_byte)
    {}

    byte_store m_bytes;

private:
    sc_core::sc_time m_time_per_byte;
};

/// A memory on the bus without its socket, which has a width. Body: a memory_body constructed from a configuration that
/// is an at_target_config and has a `tolerance`, and from the name of its instance.
///
/// Example
///
///     struct plain_memory : memory::memory_module<memory::sram_body> {
///         explicit plain_memory(sc_core::sc_module_name name) : memory_module(name, memory::sram_config{}) {}
///         bus::at_target_socket<32> in{"in", m_port};
///     } memory("memory");
///     initiator.bind(memory.in);
template <class Body> class memory_module : public sc_core::sc_module {
public:
    sc_core::sc_in<bool> rst;

    /// Ends transactions in the memory as at_target does, resets the body, invalidates DMI. Contents and counts stay.
    void reset()
    {
        m_port.reset();
        m_body.reset();
        invalidate_dmi();
    }

    /// Invalidates every DMI pointer; later requests are answered as before.
    void invalidate_dmi()
    {
        if (m_body.take_back_dmi()) { m_port.invalidate_dmi(0, m_body.size() - 1); }
    }

    /// Allows or refuses DMI from now on; refusing invalidates the pointers too.
    void set_dmi_allowed(bool allowed)
    {
        m_body.set_dmi_allowed(allowed);
        if (!allowed) { invalidate_dmi(); }
    }

    /// save() writes the contents (base/files/saved_state.h); restore() reads them into a memory of the same kind and
    /// configuration, of any name and width. Takes no time; direct pointers stay valid.
    /// Not saved: simulated time, occupation of ports, banks and rows (the memory continues with its own; after
    /// construction all rows are closed), event counts.
    /// Both throw base::input_error, and nothing has changed then: with transactions in flight; when the stream fails;
    /// for anything but a complete state of this kind and configuration.
    void save(std::ostream& to) const
    {
        base::complaining_of(name(), [&] {
            require_idle("save");
            base::state_writer state(to, kind(), m_configuration);
            m_body.save(state);
            state.finish();
        });
    }
    void restore(std::istream& from)
    {
        base::complaining_of(name(), [&] {
            require_idle("restore");
            base::state_reader state(from, kind(), m_configuration);
            m_body.restore(state);
        });
    }

    std::uint64_t size() const { return m_body.size(); }
    /// Illegal non-blocking calls, see at_target.
    std::uint64_t protocol_errors() const { return m_port.protocol_errors(); }

protected:
    template <class Config>
    memory_module(sc_core::sc_module_name name, const Config& config)
        : sc_core::sc_module(name), rst("rst"), m_body(config, this->name()),
          m_port("port", config, m_body, config.tolerance),
          m_configuration(base::configuration_text(config) + "size=" + std::to_string(m_body.size()) + "\n")
    {
        SC_HAS_PROCESS(memory_module);
        SC_METHOD(reset);
        sensitive << rst.pos();
        dont_initialize();
    }

    void before_end_of_elaboration() override
    {
        if (rst.bind_count() == 0) {
            m_unbound_rst = std::make_unique<sc_core::sc_signal<bool>>("unbound_rst");
            rst.bind(*m_unbound_rst);
        }
    }

    Body m_body;
    bus::at_target m_port;

private:
    void require_idle(const char* to) const
    {
        if (m_port.outstanding() == 0) { return; }
        throw base::input_error("transactions in flight: " + std::to_string(m_port.outstanding()) +
                                ", expected none to " + to);
    }

    std::string m_configuration;
    std::unique_ptr<sc_core::sc_signal<bool>> m_unbound_rst;
};

} // namespace tensorloom::memory
