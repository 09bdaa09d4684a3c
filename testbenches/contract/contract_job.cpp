#include "contract/contract.h"
#include <limits>
#include <tensorloom/models/fetta/isa/driver.h>
#include <tensorloom/models/isa/export/assembler.h>
#include <tensorloom/models/fetta/isa/costs.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/workloads/input_file.h>
#include "platform/fetta/fetta_memory_estimate.h"

namespace tensorloom::testbench {
namespace {

constexpr std::size_t longest_text = 256u << 20;
constexpr char binary_start[] = "TLPM";

// The device sees what follows in memory where a file is cut off.
void check_size(const std::string& path, const std::vector<std::uint8_t>& program)
{
    using isa::program_header;
    if (program.size() < program_header::encoded_bytes || program.size() > program_header::max_bytes) {
        throw base::input_error(path + " has " + std::to_string(program.size()) + " bytes, expected " +
                                std::to_string(program_header::encoded_bytes) + " to " +
                                std::to_string(program_header::max_bytes));
    }
    const auto header = program_header::decode(program.data());
    if (header.bytes != program.size()) {
        throw base::input_error(path + " has " + std::to_string(program.size()) + " bytes, expected " +
                                std::to_string(header.bytes) + " as its header says");
    }
}

std::vector<std::uint8_t> load_program(const std::string& path)
{
    try {
        workloads::input_file_bytes(path, "a program"); // refuses what is empty or no file
        const std::string content = base::read_whole_file(path, longest_text);
        if (content.compare(0, 4, binary_start) != 0) { return isa::assemble(content, path, fetta::description); }
        const std::vector<std::uint8_t> program(content.begin(), content.end());
        check_size(path, program);
        return program;
    } catch (const base::input_error& e) {
        throw base::input_error(std::string("--program: ") + e.what());
    }
}

} // namespace

std::uint64_t contract_job::data_bytes() const { return addresses.end - testbench::data_base; }

contract_job make_job(const contract_options& o, const costs::technology& technology)
{
    contract_job job;
    const auto base = testbench::data_base;
    if (o.program) {
        job.programs.resize(1);
        job.programs.front().bytes = load_program(*o.program);
        job.addresses =
            workloads::linear_addresses(o.problem, o.device.config.limits, o.store_bf16(), base, data_room(o.common));
        return job;
    }
    auto settings = o.settings;
    const auto energy = fetta::device_energy(technology, energy_settings_of(o.device, o.common));
    settings.costs = workloads::mapping_costs(energy, static_cast<double>(clock_period_ps(o.common)) / 1000);
    const auto unplanned =
        workloads::linear_addresses(o.problem, o.device.config.limits, o.store_bf16(), base, data_room(o.common));
    settings.memory = memory_estimate_of(o.common, technology, unplanned.end - base);
    job.plan = workloads::plan_contraction(o.problem, o.device.config.limits, settings);
    auto written = workloads::write_programs(*job.plan, base, data_room(o.common));
    job.addresses = written.addresses;
    job.programs = std::move(written.programs);
    return job;
}

} // namespace tensorloom::testbench
