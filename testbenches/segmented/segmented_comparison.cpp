#include "segmented/segmented_comparison.h"
#include <algorithm>
#include <cmath>
#include <tensorloom/models/arch/mmv/meters.h>
#include <tensorloom/workloads/segmented/references.h>
#include "segmented/segmented_data.h"

namespace tensorloom::testbench {
namespace {

struct scale {
    const char* platform;
    double factor;
};
constexpr scale scales[] = {{"vector_half", 0.5}, {"vector_once", 1}, {"vector_twice", 2}};
constexpr std::size_t unscaled = 1;

constexpr std::uint64_t first_length = 4;

std::vector<std::uint64_t> lengths_of(const segmented_options& o, std::uint64_t largest)
{
    if (o.source.matrix) { return {largest}; }
    std::vector<std::uint64_t> lengths;
    for (std::uint64_t n = std::min(first_length, largest); n < largest; n *= 2) { lengths.push_back(n); }
    lengths.push_back(largest);
    return lengths;
}

// What one program of the host's gave, before energy.
struct raw_run {
    std::size_t first_program = 0;
    std::size_t end_program = 0;
    std::uint64_t scratchpad_bytes = 0;
    bool passed = true;
};

} // namespace

arch::vector::costs scaled_costs(const arch::vector::costs& costs, double factor)
{
    const auto times = [factor](unsigned cycles) {
        return std::max(1u, static_cast<unsigned>(std::ceil(factor * cycles)));
    };
    auto scaled = costs;
    for (auto& c : scaled) { c = {times(c.depth), times(c.cycles_per_group)}; }
    return scaled;
}

bool segmented_comparison::passed() const
{
    return std::all_of(runs.begin(), runs.end(), [](const compared_run& r) { return r.passed; });
}

template <class T> segmented_comparison compare_variants(const segmented_options& o, const arch::technology& technology)
{
    require_energies(technology, device_config(o.device, o.common, o.side, o.format));
    progress shown(o.common.quiet);
    shown.show("making the data");
    const auto whole = make_problem<T>(o);
    segmented_comparison found;
    found.left_out = o.left_out;
    const bool spmv = o.operation == workloads::segmented_operation::spmv;
    const auto& s = whole.shape;
    found.lengths = lengths_of(o, spmv                ? whole.matrix.rows
                                  : !whole.shape.rows ? whole.x.size()
                                                      : std::max({s.rows, s.inner, s.columns}));
    std::vector<workloads::segmented_problem<T>> problems;
    for (const auto length : found.lengths) { problems.push_back(part_of(o, whole, length)); }

    auto variants = o.compared;
    const bool empty_rows =
        spmv && std::any_of(problems.begin(), problems.end(), [](const auto& p) { return p.matrix.empty_rows() > 0; });
    const auto full_only = std::stable_partition(
        variants.begin(), variants.end(), [&](const auto* v) { return !(v->is(workloads::full_rows) && empty_rows); });
    for (auto v = full_only; v != variants.end(); ++v) {
        found.left_out.emplace_back((*v)->name, "found empty rows, expected none");
    }
    variants.erase(full_only, variants.end());

    std::uint64_t largest = 0;
    for (const auto* v : variants) { largest = std::max(largest, workloads::largest_transfer(*v, whole, o.side)); }

    // The same on three devices, which differ in the costs of their vector units.
    const std::size_t all = variants.size() * problems.size();
    std::size_t done = 0;
    std::vector<std::vector<raw_run>> raw(std::size(scales), std::vector<raw_run>(all));
    std::vector<std::unique_ptr<mmv_station>> stations(std::size(scales));
    for (std::size_t k = 0; k < std::size(scales); ++k) {
        auto device = device_config(o.device, o.common, o.side, o.format, std::size(scales));
        device.vector_costs = scaled_costs(device.vector_costs, scales[k].factor);
        const auto program = [&, k](workloads::mmv_machine& machine) {
            for (std::size_t i = 0; i < all; ++i) {
                const auto& problem = problems[i % problems.size()];
                const auto& variant = *variants[i / problems.size()];
                auto& run = raw[k][i];
                run.first_program = stations[k]->programs();
                const auto result = workloads::run_segmented(variant, machine, problem);
                run.end_program = stations[k]->programs();
                run.scratchpad_bytes = result.scratchpad_bytes;
                if (o.common.check && k == unscaled) {
                    run.passed = workloads::check_segmented(variant, problem, result.values, o.side).passed;
                }
                ++done;
                shown.show(static_cast<double>(done) / static_cast<double>(all * std::size(scales)),
                           std::string(variant.name) + " of " + std::to_string(found.lengths[i % problems.size()]));
            }
        };
        stations[k] = std::make_unique<mmv_station>(
            scales[k].platform, device, o.common, mmv_station::memory_for(largest),
            o.common.out && k == unscaled ? activity::log_detail::every_record : activity::log_detail::totals, program);
    }
    std::vector<device_station*> together;
    for (const auto& station : stations) { together.push_back(station.get()); }
    found.usage = run_stations(together, o.common, {});

    // One scratchpad for all of them: the largest that any needs.
    std::uint64_t scratchpad_bytes = 0;
    for (const auto& run : raw[unscaled]) { scratchpad_bytes = std::max(scratchpad_bytes, run.scratchpad_bytes); }
    scratchpad_bytes = o.device.scratchpad_bytes.value_or(scratchpad_bytes);
    for (std::size_t k = 0; k < std::size(scales); ++k) {
        const auto models = stations[k]->energy_models(technology, scratchpad_bytes, scales[k].factor);
        scaled_curves scaled{scales[k].factor, {}};
        for (std::size_t i = 0; i < all; ++i) {
            const auto* variant = variants[i / problems.size()];
            const std::uint64_t length = found.lengths[i % problems.size()];
            if (i % problems.size() == 0) { scaled.curves.push_back({variant->name, {}}); }
            auto costs = stations[k]->costs(raw[k][i].first_program, raw[k][i].end_program, models);
            scaled.curves.back().points.push_back({length, arch::mmv::mmv_ram_meter_of(costs.counts, o.side).steps(),
                                                   costs.cycles, costs.pj(), costs.pj_of("vector_unit")});
            found.macs += costs.counts[arch::mmv::event::mac];
            if (k != unscaled) { continue; }
            found.runs.push_back({variant, length, spmv ? problems[i % problems.size()].matrix.nonzeros() : length,
                                  raw[k][i].first_program, raw[k][i].scratchpad_bytes, raw[k][i].passed,
                                  std::move(costs)});
        }
        found.sensitivity.push_back(std::move(scaled));
        if (k == unscaled) { found.energy_models = models; }
    }
    found.station = std::move(stations[unscaled]);
    return found;
}

template segmented_comparison compare_variants<std::int64_t>(const segmented_options&, const arch::technology&);
template segmented_comparison compare_variants<double>(const segmented_options&, const arch::technology&);

} // namespace tensorloom::testbench
