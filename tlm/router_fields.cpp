#include <tensorloom/tlm/router.h>
#include <cstdint>
#include <utility>
#include <tensorloom/tlm/simulated_time.h>

namespace tensorloom::bus {

arch::config_fields fields_of(router_config& c)
{
    arch::names_of_values arbitrations;
    for (const auto kind :
         {arbitration_kind::round_robin, arbitration_kind::fixed_priority, arbitration_kind::first_come}) {
        arbitrations.emplace_back(arbitration_name(kind), static_cast<std::uint64_t>(kind));
    }
    return {
        arch::number(place_of(c.latency), {0, 1'000'000'000},
                     {"latency", "latency_ps", "PS", "Of a request's way from initiator to target."}),
        arch::number(place_of(c.clock_period), {1, 1'000'000'000},
                     {"clock-period", "clock_period_ps", "PS", "Period of the clock."}),
        arch::number(c.bytes_per_cycle, {0, UINT32_MAX},
                     {"bytes-per-cycle", "bytes_per_cycle", "BYTES", "Of each link to a target; 0: no limit."}),
        arch::choice(c.arbitration, std::move(arbitrations),
                     {"arbitration", "arbitration", "NAME", "Who goes next when several initiators wait."}),
        arch::number(c.queue_depth, {1, 1024},
                     {"queue-depth", "queue_depth", "COUNT", "AT requests of an initiator that wait in the router."}),
        arch::flag(c.arbitrate_blocking, {"arbitrate-blocking", "arbitrate_blocking", "",
                                          "Blocking transactions wait for their turn among all that wait."}),
        arch::flag(c.allow_dmi, {"allow-dmi", "allow_dmi", "", "Direct memory pointers go past the router."}),
    };
}

} // namespace tensorloom::bus
