#include "contract/contract.h"
#include <limits>
#include <tensorloom/models/fetta/isa/driver.h>
#include <tensorloom/models/isa/export/assembler.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/workloads/input_file.h>

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

contract_job make_job(const contract_options& o, const costs::technology& technology,
                      const std::function<void(std::size_t, std::size_t)>& show, const program_cost& cost)
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
    const auto settings = settings_for(o.problem, o.device, o.common, technology, o.settings);
    auto found = search_by_simulation(o.problem, o.device, o.common, technology, settings, show, cost);
    job.plan = std::move(found.plan);
    job.simulated_plans = found.simulated;
    job.addresses = found.programs.addresses;
    job.programs = std::move(found.programs.programs);
    return job;
}

} // namespace tensorloom::testbench
