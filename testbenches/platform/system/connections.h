#pragma once
#include <memory>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/tlm/protocol_checker.h>
#include <tensorloom/tlm/recorder.h>
#include <tensorloom/tlm/transaction_sink.h>
#include <tensorloom/tlm/width_adapter.h>

namespace tensorloom::testbench {

/// Binds the sockets of a platform: directly, or with a protocol checker in between; sockets of different widths with
/// an adapter; on request with a recorder.
class connections {
public:
    /// `recording`: sink of the recorders; nullptr: no recorders.
    explicit connections(bool checked, bus::transaction_sink* recording = nullptr)
        : m_checked(checked), m_recording(recording)
    {}

    /// Elaboration, within the platform's constructor. `name`: of the connection.
    template <unsigned BUSWIDTH, class Initiator, class Target>
    void connect(Initiator& from, Target& to, const std::string& name)
    {
        if (!m_checked) {
            from.bind(to);
            return;
        }
        auto& checker = add<bus::protocol_checker<BUSWIDTH>>("check_" + name);
        from.bind(checker.in);
        checker.out.bind(to);
    }

    /// The same with a recorder, if there are any, named like the connection.
    template <unsigned BUSWIDTH, class Initiator, class Target>
    void connect_recorded(Initiator& from, Target& to, const std::string& name)
    {
        if (m_recording == nullptr) {
            connect<BUSWIDTH>(from, to, name);
            return;
        }
        auto& recorder = add<bus::recorder<BUSWIDTH>>(name, *m_recording);
        from.bind(recorder.in);
        connect<BUSWIDTH>(recorder.out, to, name);
    }

    /// The same to a memory, whose traffic also goes to `traced`, if given.
    template <unsigned BUSWIDTH, class Initiator, class Target>
    void connect_memory(Initiator& from, Target& to, const std::string& name, bus::transaction_sink* traced)
    {
        if (traced == nullptr) {
            connect_recorded<BUSWIDTH>(from, to, name);
            return;
        }
        auto& trace = add<bus::recorder<BUSWIDTH>>("trace_" + name, *traced);
        connect_recorded<BUSWIDTH>(from, trace.in, name); // which sees the initiator itself
        trace.out.bind(to);
    }

    /// Between an initiator of width FROM and a target of width TO; a recorder, if there are any, faces the initiator.
    template <unsigned FROM, unsigned TO, class Initiator, class Target>
    void connect_widths(Initiator& from, Target& to, const std::string& name)
    {
        auto& adapter = add<bus::width_adapter<FROM, TO>>("width_" + name);
        connect_recorded<FROM>(from, adapter.in, name);
        connect<TO>(adapter.out, to, name + "_adapted");
    }

private:
    template <class Module, class... Arguments> Module& add(const std::string& name, Arguments&... arguments)
    {
        auto module = std::make_unique<Module>(name.c_str(), arguments...);
        Module& added = *module;
        m_modules.push_back(std::move(module));
        return added;
    }

    bool m_checked;
    bus::transaction_sink* m_recording;
    std::vector<std::unique_ptr<sc_core::sc_module>> m_modules;
};

} // namespace tensorloom::testbench
