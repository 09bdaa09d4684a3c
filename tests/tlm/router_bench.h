#pragma once
#include <functional>
#include <utility>
#include <vector>
#include <tensorloom/tlm/router.h>
#include "tlm/byte_target.h"
#include "tlm/payload.h"
#include "tlm/thread_initiator.h"

namespace tensorloom::test {

/// Keeps what modules attach, to look at their counters.
class counter_view : public bus::activity_sink {
public:
    const std::uint64_t* counts = nullptr;
    std::string object;

    void attach(const std::string& name, const base::event_table&, const std::uint64_t* at) override
    {
        object = name;
        counts = at;
    }
    void started(const std::string&, std::uint64_t) override {}
    void log(const std::string&, const bus::log_record&) override {}
    void finished(const std::string&, std::uint64_t) override {}
};

/// Two initiators, a router of 2 ns, two targets of 4 KiB: `near` at 0x1000..0x1fff (addresses from 0), `far` at the
/// top of the address space (absolute addresses).
struct router_bench {
    using initiator = thread_initiator<64>;
    static constexpr std::uint64_t near_at = 0x1000;
    static constexpr std::uint64_t far_at = UINT64_MAX - 0xfff;

    explicit router_bench(initiator::program_type first, initiator::program_type second = {})
        : cpu("cpu", std::move(first)), other("other", std::move(second)), router("router", settings(), &activity),
          near("near", 4096), far("far", 4096)
    {
        cpu.out.bind(router.in);
        other.out.bind(router.in);
        router.out.bind(near.in);
        router.out.bind(far.in);
        router.map(near_at, near_at + 0xfff, 0);
        router.map(far_at, UINT64_MAX, 1, false);
        far.base = far_at;
        for (std::size_t i = 0; i < 4096; ++i) {
            near.bytes[i] = static_cast<unsigned char>(i), far.bytes[i] = static_cast<unsigned char>(~i);
        }
    }

    static bus::router_config settings()
    {
        bus::router_config c;
        c.latency = ns(2);
        return c;
    }

    counter_view activity;
    initiator cpu;
    initiator other;
    bus::router<64> router;
    byte_target<64> near;
    byte_target<64> far;
};

} // namespace tensorloom::test
