#pragma once
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/models/memory/dram.h>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/tlm/router.h>
#include <tensorloom/tlm/width_adapter.h>
#include "conformance/target_bench.h"

namespace tensorloom::test {

/// A target_bench whose sockets have a width.
template <unsigned BUSWIDTH> class target_bench_of final : public target_bench {
public:
    target_bench_of(sc_core::sc_module_name name, const target_subject& subject_, const target_options& options)
        : target_bench(name, subject_)
    {
        if (subject.is_dram()) {
            auto& memory = add<memory::dram<BUSWIDTH>>("memory", dram_settings(options));
            counts = [&memory] { return std::vector<std::uint64_t>(memory.counts().begin(), memory.counts().end()); };
            grain = sc_core::sc_time(625, sc_core::SC_PS);
            interval = ns(2.5);
            latency = ns(300);
            put_before(memory, options);
        } else {
            auto& memory = add<memory::sram<BUSWIDTH>>("memory", sram_settings(options));
            counts = [&memory] {
                return std::vector<std::uint64_t>(memory.counts(), memory.counts() + costs::sram_event_count);
            };
            interval = ns(1);
            latency = ns(10);
            put_before(memory, options);
        }
    }

private:
    std::uint64_t memory_bytes() const { return subject.is_routed() ? 2 * bytes : bytes; }

    template <class Common> static Common with_manners(Common c, const target_options& o)
    {
        c.allow_dmi = o.allow_dmi;
        c.streaming_bursts = o.streaming_bursts;
        c.tolerance.zero_streaming_width = o.zero_streaming_width;
        c.tolerance.wait_out_delay = o.wait_out_delay;
        c.queue_depth = o.queue_depth;
        c.phases = o.phases;
        return c;
    }
    memory::sram_config sram_settings(const target_options& o) const
    {
        auto c = with_manners(memory::sram_config{}, o);
        c.bytes = memory_bytes();
        c.read_only = o.read_only;
        return c;
    }
    memory::dram_settings dram_settings(const target_options& o) const
    {
        auto s = with_manners(memory::dram_settings{}, o);
        s.dram.organisation.rows = static_cast<unsigned>(memory_bytes() / 0x1'0000);
        if (!o.refresh) { s.dram.controller.refresh = costs::dram_refresh::off; }
        return s;
    }

    template <unsigned WIDTH, class Initiator, class Target>
    void join(Initiator& from, Target& to, const std::string& of)
    {
        auto& checker = add<bus::protocol_checker<WIDTH>>("check_" + of, bus::on_violation::count);
        from.bind(checker.in);
        checker.out.bind(to);
        checkers.push_back(&checker);
    }
    template <class Memory> void put_before(Memory& memory, const target_options& options)
    {
        memory.rst.bind(rst);
        set_dmi_allowed = [&memory](bool allowed) { memory.set_dmi_allowed(allowed); };
        invalidate_dmi = [&memory] { memory.invalidate_dmi(); };
        if (!subject.is_routed()) {
            put_initiators(memory.in, options);
            return;
        }
        bus::router_config settings;
        settings.allow_dmi = options.router_allows_dmi;
        if (options.router_waits) {
            settings.arbitrate_blocking = true;
            settings.bytes_per_cycle = 4;
        }
        auto& router = add<bus::router<BUSWIDTH>>("router", settings);
        put_initiators(router.in, options);
        join<BUSWIDTH>(router.out, memory.in, "memory");
        router.map(base, last(), 0);
        latency += ns(2);
    }
    template <class Socket> void put_initiators(Socket& to, const target_options& o)
    {
        if (subject.is_routed() || !o.with_queue) {
            prober = put<rogue_initiator_body, rogue_initiator_of>("prober", to, o);
        }
        if (o.with_queue) {
            queue = put<at_initiator_body, at_initiator>("queue", to, o);
            queue_checker = checkers.back();
            queue->one_order_on_the_way_back = !subject.is_routed(); // a router takes requests ahead of time
        }
    }
    template <class Body, template <unsigned> class Initiator, class Socket>
    Body* put(const std::string& initiator_name, Socket& to, const target_options& o)
    {
        if (!o.from_32_bits) {
            auto& initiator = add<Initiator<BUSWIDTH>>(initiator_name);
            join<BUSWIDTH>(initiator.out, to, initiator_name);
            return &initiator;
        }
        auto& initiator = add<Initiator<32>>(initiator_name);
        auto& adapter = add<bus::width_adapter<32, BUSWIDTH>>("width_of_" + initiator_name);
        join<32>(initiator.out, adapter.in, initiator_name);
        join<BUSWIDTH>(adapter.out, to, "wide_" + initiator_name);
        return &initiator;
    }
};

template <unsigned BUSWIDTH>
std::unique_ptr<target_bench> make_target_bench_of(const std::string& name, const target_subject& subject,
                                                   const target_options& options)
{
    return std::make_unique<target_bench_of<BUSWIDTH>>(name.c_str(), subject, options);
}

} // namespace tensorloom::test
