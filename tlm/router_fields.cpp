#include <tensorloom/tlm/router.h>
#include <cstdint>
#include <string>
#include <utility>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/tlm/simulated_time.h>

namespace tensorloom::bus {

namespace {

// A number for each initiator, "0,3,1", or "none".
base::config_field by_initiator(std::vector<unsigned>& at, unsigned least, unsigned most, base::field_texts says)
{
    const auto text = [&at] {
        std::string all;
        for (const auto value : at) { all += (all.empty() ? "" : ",") + std::to_string(value); }
        return at.empty() ? "none" : all;
    };
    const std::string values = "none or integers" + base::range_text(least, most) + " with a comma between them";
    const auto read = [&at, least, most, values](const std::string& given) -> std::optional<std::string> {
        std::vector<unsigned> numbers;
        for (const auto part : given == "none" ? std::vector<std::string_view>{} : base::split(given, ',')) {
            const auto value = base::parse_number<unsigned>(part);
            if (!value || *value < least || *value > most) { return values; }
            numbers.push_back(*value);
        }
        at = numbers;
        return std::nullopt;
    };
    return base::members_of("ranks", {base::text_field(text, read, values, std::move(says))}).front();
}

} // namespace

base::config_fields fields_of(router_config& c)
{
    base::names_of_values arbitrations;
    for (const auto kind : arbitration_kinds) {
        arbitrations.emplace_back(arbitration_name(kind), static_cast<std::uint64_t>(kind));
    }
    return {
        base::number(place_of(c.latency), picosecond_range(0, 1'000'000'000),
                     {"latency", "latency_ps", "PS", "Latency of a request from initiator to target."}),
        base::number(place_of(c.clock_period), picosecond_range(1, 1'000'000'000),
                     {"clock-period", "clock_period_ps", "PS", "Period of the clock."}),
        base::number(
            c.bytes_per_cycle, {0, UINT32_MAX},
            {"bytes-per-cycle", "bytes_per_cycle", "BYTES", "Bandwidth of each link to a target; 0: no limit."}),
        base::choice(c.arbitration, std::move(arbitrations),
                     {"arbitration", "arbitration", "NAME", "Order of service when several initiators wait."}),
        by_initiator(c.ranks.priorities, 0, most_priority,
                     {"priorities", "priorities", "N,...",
                      "Priorities of the initiators, by number; the highest is served first."}),
        by_initiator(c.ranks.weights, 1, most_weight,
                     {"weights", "weights", "N,...", "Weights of the initiators, by number: shares of the bytes."}),
        base::number(c.queue_depth, {1, 1024},
                     {"queue-depth", "queue_depth", "COUNT", "AT requests per initiator that the router holds."}),
        base::flag(c.arbitrate_blocking,
                   {"arbitrate-blocking", "arbitrate_blocking", "", "Blocking transactions take part in arbitration."}),
        base::flag(c.allow_dmi, {"allow-dmi", "allow_dmi", "", "Direct memory pointers bypass the router."}),
    };
}

} // namespace tensorloom::bus
