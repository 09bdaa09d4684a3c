#include "compare_devices/equal_sizes.h"
#include <algorithm>
#include <limits>
#include <utility>
#include "platform/run/child_process.h"
#include "platform/process/text.h"

namespace tensorloom::testbench {
namespace {

std::string text_of(equal_resource resource, double amount)
{
    switch (resource) {
    case equal_resource::area: return number_text(amount) + " mm^2 of die";
    case equal_resource::power: return number_text(amount) + " W of the die";
    default: return grouped_text(static_cast<std::uint64_t>(amount)) + " bytes on chip";
    }
}

double used(const device_result& run, equal_resource resource, const common_options& common)
{
    const run_power power(run.costs.energy, ns_of(run.costs.cycles, common), run.on);
    switch (resource) {
    case equal_resource::area: return run.on.um2() * 1e-6;
    case equal_resource::power: return (power.mw - power.dram_mw) * 1e-3;
    default: return static_cast<double>(run.on_chip_bytes);
    }
}

constexpr double does_not_hold_the_work = 0;

/// Cycles within the budget, or minus what the size uses of the resource.
double simulated(const comparable_device& device, const device_budget& budget, const device_surroundings& given)
{
    return number_from_child([&] {
        const common_options alone = for_search(given.common);
        progress silent(true);
        const device_surroundings around{
            given.work, alone, given.technology, given.mac_latency, activity::log_detail::totals, silent};
        try {
            const auto made = device.make(around);
            run_testbeds({&made->around()}, alone, {});
            const auto run = made->measure();
            const double amount = used(run, budget.resource, alone);
            return amount <= budget.most ? static_cast<double>(run.costs.cycles) : -amount;
        } catch (const too_small&) {
            return does_not_hold_the_work;
        }
    });
}

/// The shortest clock period of the size in ps, 0 where it does not hold the work.
double shortest_period_ps(const comparable_device& device, const device_surroundings& given)
{
    return number_from_child([&] {
        try {
            return clock_limit_of(die_of(given.technology, {device.make(given)->plan()})).ps;
        } catch (const too_small&) {
            return 0.0;
        }
    });
}

} // namespace

std::string text_of(const device_budget& budget) { return text_of(budget.resource, budget.most); }

chosen_size choose_size(comparable_device& device, const device_budget& budget, const device_surroundings& around)
{
    const auto on_chip_bytes = budget.resource == equal_resource::onchip
                                   ? std::optional(static_cast<std::uint64_t>(budget.most))
                                   : std::nullopt;
    chosen_size chosen;
    std::optional<std::size_t> best;
    constexpr double none = std::numeric_limits<double>::infinity();
    double fewest = none, nearest = none, least_ps = none;
    bool overclocked = true;
    const auto period_ps = static_cast<double>(clock_period_ps(around.common));
    for (std::size_t size = 0; size < device.sizes(); ++size) {
        around.shown.show(static_cast<double>(size) / static_cast<double>(device.sizes()),
                          "sizes of " + device.title());
        device.choose_size(size, on_chip_bytes);
        const double limit_ps = shortest_period_ps(device, around);
        const bool too_fast = limit_ps > period_ps && !around.common.allow_overclock;
        if (too_fast && around.common.clock_given) {
            least_ps = std::min(least_ps, limit_ps);
            continue;
        }
        const double found = simulated(device, budget, around);
        ++chosen.simulated;
        if (found < 0) { nearest = std::min(nearest, -found); }
        if (found <= 0) { continue; }
        ++chosen.within;
        if (best && std::pair(too_fast, found) >= std::pair(overclocked, fewest)) { continue; }
        overclocked = too_fast;
        fewest = found;
        best = size;
    }
    if (!best) {
        if (nearest == none && least_ps < none) {
            throw too_small("no size allows --clock " + number_text(around.common.clock_ghz) + " GHz, but " +
                            number_text(fastest_ghz({least_ps, ""})) + " at most, or --allow-overclock");
        }
        throw too_small(nearest == none ? "no size holds the work within " + text_of(budget)
                                        : "no size is within " + text_of(budget) + ", the nearest has " +
                                              text_of(budget.resource, nearest));
    }
    device.choose_size(*best, on_chip_bytes);
    return chosen;
}

} // namespace tensorloom::testbench
