#include "compare_devices/equal_sizes.h"
#include <limits>
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
        common_options alone = given.common;
        alone.fidelity = blocks::fidelity::fast;
        alone.out.reset();
        alone.vcd.reset();
        alone.address_trace.reset();
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

} // namespace

std::string text_of(const device_budget& budget) { return text_of(budget.resource, budget.most); }

chosen_size choose_size(comparable_device& device, const device_budget& budget, const device_surroundings& around)
{
    const auto on_chip_bytes = budget.resource == equal_resource::onchip
                                   ? std::optional(static_cast<std::uint64_t>(budget.most))
                                   : std::nullopt;
    chosen_size chosen;
    std::optional<std::size_t> best;
    double fewest = std::numeric_limits<double>::infinity(), nearest = fewest;
    for (std::size_t size = 0; size < device.sizes(); ++size) {
        around.shown.show(static_cast<double>(size) / static_cast<double>(device.sizes()),
                          "sizes of " + device.title());
        device.choose_size(size, on_chip_bytes);
        const double found = simulated(device, budget, around);
        ++chosen.simulated;
        if (found < 0) { nearest = std::min(nearest, -found); }
        if (found <= 0) { continue; }
        ++chosen.within;
        if (found >= fewest) { continue; }
        fewest = found;
        best = size;
    }
    if (!best) {
        throw too_small(nearest == std::numeric_limits<double>::infinity()
                            ? "no size holds the work"
                            : "no size is within " + text_of(budget) + ", the nearest has " +
                                  text_of(budget.resource, nearest));
    }
    device.choose_size(*best, on_chip_bytes);
    return chosen;
}

} // namespace tensorloom::testbench
