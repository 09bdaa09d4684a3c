#include "tensor_unit/tensor_unit_run.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <variant>
#include <tensorloom/workloads/npy_file.h>
#include "platform/memory_need.h"

namespace tensorloom::testbench {
namespace {

using workloads::tensor_unit_input;
using workloads::tensor_unit_values;

// Numbers as the file has them: whole, real or complex.
tensor_unit_values load_values(const std::string& path, std::vector<std::uint64_t>& shape)
{
    const auto header = workloads::read_npy_header(path);
    shape.assign(header.shape.begin(), header.shape.end());
    switch (header.kind) {
    case workloads::npy_kind::real: return workloads::load_npy_as<double>(path).data;
    case workloads::npy_kind::complex: return workloads::load_npy_as<std::complex<double>>(path).data;
    default: return workloads::load_npy_as<std::int64_t>(path).data;
    }
}

// The numbers that a device of this format can hold at all; whole ones become so.
tensor_unit_values fitting_values(const tensor_unit_options& o, const std::string& name, tensor_unit_values values)
{
    const std::string what = "--input: " + name;
    if (arch::is_integer(o.format)) { return workloads::whole_numbers(values, what.c_str()); }
    if (!arch::is_complex(o.format) && std::holds_alternative<std::vector<std::complex<double>>>(values)) {
        throw arch::input_error(what + " is complex, expected real numbers for --format " +
                                std::string(arch::element_type_name(o.format)));
    }
    const bool finite = std::visit(
        [](const auto& numbers) {
            return std::all_of(numbers.begin(), numbers.end(),
                               [](const auto& n) { return std::isfinite(std::abs(n)); });
        },
        values);
    if (!finite) { throw arch::input_error(what + " has an element that is not finite, expected finite numbers"); }
    return values;
}

std::vector<tensor_unit_input> make_inputs(const tensor_unit_options& o)
{
    auto inputs = o.algorithm->inputs(o.problem);
    if (o.inputs.empty()) { return inputs; }
    if (o.inputs.size() != inputs.size()) {
        std::string names;
        for (const auto& i : inputs) { names += (names.empty() ? "" : ", ") + i.name; }
        throw arch::input_error(
            "--input names " + std::to_string(o.inputs.size()) + (o.inputs.size() == 1 ? " file" : " files") +
            ", expected " + std::to_string(inputs.size()) + " for " + std::string(o.algorithm->name) + ": " + names);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        inputs[i].values =
            fitting_values(o, inputs[i].name + " (" + o.inputs[i] + ")", load_values(o.inputs[i], inputs[i].shape));
    }
    try {
        workloads::check_inputs(*o.algorithm, o.problem, inputs);
    } catch (const arch::input_error& e) {
        throw arch::input_error(std::string("--input: ") + e.what() + " for " + problem_options_text(o));
    }
    return inputs;
}

// What an algorithm refuses of values from files names the files.
workloads::tensor_unit_result run_on(workloads::mmv_machine& machine, const tensor_unit_options& o,
                                     const std::vector<tensor_unit_input>& inputs)
{
    try {
        return o.algorithm->run(machine, o.problem, inputs);
    } catch (const arch::input_error& e) {
        if (o.inputs.empty()) { throw; }
        std::string files;
        for (const auto& path : o.inputs) { files += (files.empty() ? "" : ",") + path; }
        throw arch::input_error("--input " + files + ": " + e.what());
    }
}

std::uint64_t largest_array(const std::vector<tensor_unit_input>& inputs)
{
    std::uint64_t largest = 0;
    for (const auto& i : inputs) { largest = std::max<std::uint64_t>(largest, workloads::count_of(i.values)); }
    return largest;
}

// Operands and result: as made or read, on the memory's bus, as they come back, and once more for the reference; and
// the scratchpad.
std::uint64_t needed_bytes(const tensor_unit_options& o)
{
    const std::uint64_t number = arch::is_complex(o.format) ? sizeof(std::complex<double>) : sizeof(double);
    const std::uint64_t copies = o.common.check ? 4 : 3;
    return copies * number * o.algorithm->numbers(o.problem) +
           workloads::least_scratchpad_bytes(*o.algorithm, o.problem, o.side, o.format);
}

void write_result(const std::string& path, const workloads::tensor_unit_result& result)
{
    std::visit(
        [&](const auto& values) {
            workloads::tensor<typename std::decay_t<decltype(values)>::value_type> file;
            file.shape.assign(result.shape.begin(), result.shape.end());
            file.data = values;
            workloads::save_npy(path, file);
        },
        result.values);
}

} // namespace

workloads::tensor_unit_cost model_cost(const arch::mmv::counts& counts)
{
    return {counts[arch::mmv::event::matmul_call], counts[arch::mmv::event::matmul_row],
            counts[arch::mmv::event::cpu_op]};
}

tensor_unit_findings run_algorithm(const tensor_unit_options& o, const arch::technology& technology)
{
    require_memory(needed_bytes(o), "a smaller problem");
    progress shown(o.common.quiet);
    shown.show("making the inputs");
    const auto inputs = make_inputs(o);
    const auto device = device_config(o.device, o.common, o.side, o.format);
    require_energies(technology, device);

    tensor_unit_findings f;
    workloads::tensor_unit_result result;
    f.station = std::make_unique<mmv_station>(
        "platform", device, o.common, mmv_station::memory_for(2 * largest_array(inputs)),
        o.common.out ? activity::log_detail::every_record : activity::log_detail::totals,
        [&](workloads::mmv_machine& machine) { result = run_on(machine, o, inputs); }, &shown);
    f.usage = run_stations({f.station.get()}, o.common, f.station->waveform(o.device.watched));

    f.shape = result.shape;
    f.checksum = workloads::checksum_of(result.values);
    f.rounds = result.rounds;
    f.expected = o.algorithm->cost(o.problem, o.side);
    f.scratchpad_bytes = o.device.scratchpad_bytes.value_or(result.scratchpad_bytes);
    f.energy_models = f.station->energy_models(technology, f.scratchpad_bytes);
    f.costs = f.station->costs(0, f.station->programs(), f.energy_models);
    f.model = model_cost(f.costs.counts);
    if (o.common.check) {
        shown.show("checking the result");
        f.check = check_values(result.values, o.algorithm->reference(o.problem, inputs));
    }
    if (o.output) { write_result(*o.output, result); }
    return f;
}

} // namespace tensorloom::testbench
