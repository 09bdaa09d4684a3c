#include "segmented/segmented_run.h"
#include <type_traits>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/segmented/closed_forms.h>
#include "segmented/segmented_data.h"

namespace tensorloom::testbench {
namespace {

template <class T>
void write_result(const segmented_options& o, const workloads::segmented_problem<T>& problem,
                  const std::vector<T>& values)
{
    const bool matrix = o.operation == workloads::segmented_operation::matrix_product;
    workloads::tensor<T> result;
    result.shape = matrix ? std::vector<std::size_t>{problem.shape.rows, problem.shape.columns}
                          : std::vector<std::size_t>{values.size()};
    result.data = values;
    workloads::save_npy(*o.output, result);
}

} // namespace

template <class T> segmented_findings run_variant(const segmented_options& o, const arch::technology& technology)
{
    progress shown(o.common.quiet);
    shown.show("making the data");
    const auto problem = make_problem<T>(o);
    const auto device = device_config(o.device, o.common, o.side, o.format);
    require_energies(technology, device);

    segmented_findings f;
    workloads::segmented_result<T> result;
    f.station = std::make_unique<mmv_station>(
        "platform", device, o.common, mmv_station::memory_for(workloads::largest_transfer(*o.variant, problem, o.side)),
        o.common.out ? activity::log_detail::every_record : activity::log_detail::totals,
        [&](workloads::mmv_machine& machine) { result = workloads::run_segmented(*o.variant, machine, problem); },
        &shown);
    f.usage = run_stations({f.station.get()}, o.common, f.station->waveform(o.device.watched));

    f.results = result.values.size();
    f.nonzeros = problem.matrix.nonzeros();
    if constexpr (std::is_integral_v<T>) { f.checksum = workloads::weighted_checksum(result.values); }
    f.scratchpad_bytes = o.device.scratchpad_bytes.value_or(result.scratchpad_bytes);
    f.energy_models = f.station->energy_models(technology, f.scratchpad_bytes);
    f.costs = f.station->costs(0, f.station->programs(), f.energy_models);
    f.model = arch::mmv::mmv_ram_meter_of(f.costs.counts, o.side);
    f.expected = workloads::expected_meter(*o.variant, workloads::sizes_of(*o.variant, problem), mmv::limits_of(device),
                                           device.word_bits);
    if (o.common.check) {
        shown.show("checking the result");
        f.check = workloads::check_segmented(*o.variant, problem, result.values, o.side);
    }
    if (o.output) { write_result(o, problem, result.values); }
    return f;
}

template segmented_findings run_variant<std::int64_t>(const segmented_options&, const arch::technology&);
template segmented_findings run_variant<double>(const segmented_options&, const arch::technology&);

} // namespace tensorloom::testbench
