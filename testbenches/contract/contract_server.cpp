#include <array>
#include <iostream>
#include <malloc.h>
#include <map>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/base/values/input_error.h>
#include <nlohmann/json.hpp>
#include "contract/contract.h"
#include "platform/process/process_resources.h"

// contract --serve: a device is elaborated once and contracts many pairs of tensors, one after the other. Each takes
// the cycles, the energy and the bits that it takes in a process of its own (device_testbed::run_afresh).
//
//     request   a line of JSON: {"einsum": "ij,jk->ik", "shapes": [[2, 3], [3, 4]]}, followed by the elements of both
//               operands, float32, little-endian, in C order; or with "input": ["a.npy", "b.npy"] in place of "shapes"
//     answer    a line of JSON: {"status": 0, "shape": [2, 4], "bytes": 32, "cycles": 812, ...}, followed by so many
//               bytes of the result; with "output": "c.npy" in the request it lies in that file, and no bytes follow;
//               with "summary": true there is the "summary", too
//
// "status" is the exit status that a process of this contraction has; unless it is 0 there is an "error" of one line.
// After 1 and 2 the next request may follow. The process ends after 3, after a line that is no request, and after
// operands that do not fit in memory: what follows these cannot be told from requests.

namespace tensorloom::testbench {
namespace {

using shapes = std::array<std::vector<std::size_t>, 2>;

constexpr std::uint64_t sram_bytes = std::uint64_t{4} << 30;           // reserved, not allocated
constexpr std::uint64_t kept_program_bytes = std::uint64_t{256} << 20; // of planned jobs
constexpr int kept_free_bytes = 32 << 20;                              // by the allocator
constexpr std::size_t large_elements = 1u << 24; // of an operand; below, asking for free memory takes too long

// Nothing after this request can be read: what follows may be elements.
class unreadable_request : public base::input_error {
public:
    using base::input_error::input_error;
};

struct request {
    std::string einsum;
    std::optional<shapes> operands;  // that follow
    std::vector<std::string> inputs; // or of these files
    std::optional<std::string> output;
    bool summary = false;
    bool check = true; // unless --no-check
};

bool is_field(const std::string& name)
{
    return name == "einsum" || name == "shapes" || name == "input" || name == "output" || name == "summary" ||
           name == "check";
}

std::vector<std::size_t> shape_of(const json& listed)
{
    std::vector<std::size_t> shape;
    std::uint64_t elements = 1;
    if (!listed.is_array()) { throw unreadable_request("request: shapes has no list, expected two lists of sizes"); }
    for (const auto& size : listed) {
        if (!size.is_number_unsigned()) {
            throw unreadable_request("request: shapes has " + size.dump() + ", expected sizes from 1");
        }
        shape.push_back(size.get<std::size_t>());
        if (shape.back() == 0 || elements > workloads::max_tensor_elements / shape.back()) {
            throw unreadable_request("request: shapes has " + listed.dump() + ", expected sizes from 1 and up to " +
                                     std::to_string(workloads::max_tensor_elements) + " elements");
        }
        elements *= shape.back();
    }
    return shape;
}

std::string text_in(const json& fields, const std::string& name)
{
    const auto& value = fields[name];
    if (value.is_string()) { return value.get<std::string>(); }
    throw unreadable_request("request: " + name + " is " + value.dump() + ", expected a text");
}

bool flag_in(const json& fields, const std::string& name)
{
    const auto& value = fields[name];
    if (value.is_boolean()) { return value.get<bool>(); }
    throw unreadable_request("request: " + name + " is " + value.dump() + ", expected true or false");
}

request request_of(const std::string& line)
{
    auto fields = json::parse(line, nullptr, false);
    if (!fields.is_object()) {
        throw unreadable_request("request: found " + base::in_quotes(line) +
                                 ", expected a line of JSON with einsum and shapes");
    }
    for (const auto& field : fields.items()) {
        const auto& name = field.key();
        if (is_field(name)) { continue; }
        throw unreadable_request("request: found " + base::in_quotes(name) +
                                 ", expected einsum, shapes or input, output, summary and check");
    }
    if (fields.contains("shapes") == fields.contains("input")) {
        throw unreadable_request(std::string("request: found ") + (fields.contains("input") ? "both" : "neither") +
                                 " of shapes and input, expected one of them");
    }
    if (!fields.contains("einsum")) { throw unreadable_request("request: found no einsum, expected one"); }
    request r;
    r.einsum = text_in(fields, "einsum");
    if (fields.contains("output")) { r.output = text_in(fields, "output"); }
    if (fields.contains("summary")) { r.summary = flag_in(fields, "summary"); }
    if (fields.contains("check")) { r.check = flag_in(fields, "check"); }
    const auto& two = fields.contains("shapes") ? fields["shapes"] : fields["input"];
    if (!two.is_array() || two.size() != 2) {
        throw unreadable_request("request: found " + base::in_quotes(two.dump()) + ", expected two operands");
    }
    if (fields.contains("shapes")) {
        r.operands = shapes{shape_of(two[0]), shape_of(two[1])};
        return r;
    }
    for (const auto& file : two) {
        if (!file.is_string()) {
            throw unreadable_request("request: input has " + file.dump() + ", expected two files");
        }
        r.inputs.push_back(file.get<std::string>());
    }
    return r;
}

// An answer without its bytes.
std::string line_of(const json& answer) { return answer.dump(-1, ' ', false, json::error_handler_t::replace) + '\n'; }

void answer(const json& fields, const std::vector<float>& result = {})
{
    std::cout << line_of(fields);
    std::cout.write(reinterpret_cast<const char*>(result.data()),
                    static_cast<std::streamsize>(result.size() * sizeof(float)));
    std::cout.flush();
    if (!std::cout) { throw base::input_error("standard output could not be written"); }
}

json error_answer(int status, const std::string& text)
{
    return {{"status", status}, {"error", base::on_one_line(text)}, {"bytes", 0}};
}

/// Elaborates one device, then reads and answers requests to the end of standard input.
class contract_server : public fetta_run<contract_options, contract_findings> {
public:
    using fetta_run::fetta_run;

    void simulate(const costs::technology& technology) override
    {
        m_technology = &technology;
        testbed_settings settings;
        settings.memory_bytes = sram_bytes;
        const auto& common = m_options.common;
        require_addresses("unified memory", m_options.device.config.limits.memory_bytes(),
                          common.platform.memory_bytes(sram_bytes));
        m_found.testbed = std::make_unique<fetta_testbed>(
            "platform", device_config(m_options.device, common), common, settings,
            bus::host_thread::program_type([this](bus::host_thread& cpu) { serve(cpu); }));
        std::ios::sync_with_stdio(false);
        mallopt(M_MMAP_THRESHOLD, kept_free_bytes); // tensors come and go with each request: their pages stay
        mallopt(M_TRIM_THRESHOLD, kept_free_bytes);
        run_testbeds({m_found.testbed.get()}, common, {});
    }

    void write_report(run_report&) const override {} // every answer has its own
    void write_programs(const output_directory&) const override {}

private:
    void serve(bus::host_thread& cpu)
    {
        std::string line;
        while (std::getline(std::cin, line)) {
            try {
                serve(cpu, request_of(line));
            } catch (const unreadable_request& e) {
                answer(error_answer(exit_bad_input, e.what()));
                throw;
            } catch (const base::input_error& e) {
                answer(error_answer(exit_bad_input, explained(e.what())));
            } catch (const std::exception& e) {
                answer(error_answer(exit_internal, std::string("internal failure: ") + e.what()));
                throw;
            }
        }
    }

    void serve(bus::host_thread& cpu, const request& asked)
    {
        const usage_meter meter;
        std::array<std::vector<float>, 2> raw;
        if (asked.operands) {
            for (std::size_t i = 0; i < raw.size(); ++i) { raw[i] = elements_of((*asked.operands)[i]); }
        }
        contract_options o = options_of(asked);
        contract_findings found;
        found.job = job_of(cpu, o);
        if (found.job.data_bytes() > room()) {
            throw base::input_error("--serve: the tensors have " + std::to_string(found.job.data_bytes()) +
                                    " bytes in memory, expected at most " + std::to_string(room()));
        }
        const auto a = operand(o, asked, raw, 0), b = operand(o, asked, raw, 1);
        std::vector<float> c;
        run(cpu, [&](workloads::fetta_session& session) { c = run_planned(session, found.job, a, b); });
        found.costs = costs_now();
        base::file_transaction files; // the output of this request alone
        take_result(o, {a, b, c}, found);
        files.commit();
        json fields = {
            {"status", found.passed() ? exit_right : exit_wrong},       {"shape", o.problem.shape(o.problem.c)},
            {"bytes", asked.output ? 0 : c.size() * sizeof(float)},     {"cycles", found.costs.cycles},
            {"simulated_time_ns", ns_of(found.costs.cycles, o.common)}, {"energy_pJ", found.costs.pj()}};
        if (asked.summary) { fields["summary"] = summary_of(o, found, meter); }
        if (!found.passed()) { fields["error"] = failure_text(o, found); }
        if (asked.output) { c.clear(); }
        answer(fields, c);
    }

    json summary_of(const contract_options& o, contract_findings& found, const usage_meter& meter) const
    {
        found.take_costs(*m_found.testbed, o.device, o.common, *m_technology);
        take_details(o, *m_technology, *m_found.testbed, found);
        found.usage = meter.elapsed();
        run_report report(o, "contract", m_technology->second_source_name());
        testbench::write_report(report, o, found);
        return report.summary();
    }

    // Costs of the programs that ran last. The energy of an event is computed once for each size of the memory.
    fetta_costs costs_now()
    {
        const auto& testbed = *m_found.testbed;
        auto& models = m_models[testbed.memory_bytes()];
        if (models.empty()) {
            const auto settings = energy_settings_of(m_options.device, m_options.common);
            models = testbed.energy_models(*m_technology, fetta::device_energy(*m_technology, settings));
        }
        return testbed.costs(0, testbed.programs(), models);
    }

    static std::vector<float> elements_of(const std::vector<std::size_t>& shape)
    {
        std::size_t elements = 1;
        for (const auto size : shape) { elements *= size; }
        if (elements > large_elements) {
            try {
                require_memory(elements * sizeof(float), "smaller tensors");
            } catch (const base::input_error& e) {
                throw unreadable_request(e.what()); // the elements, which are not read, are no requests
            }
        }
        std::vector<float> values(elements);
        const auto bytes = static_cast<std::streamsize>(elements * sizeof(float));
        std::cin.read(reinterpret_cast<char*>(values.data()), bytes);
        if (std::cin.gcount() != bytes) {
            throw unreadable_request("request: found " + std::to_string(std::cin.gcount()) +
                                     " bytes of an operand, expected " + std::to_string(bytes));
        }
        return values;
    }

    contract_options options_of(const request& asked) const
    {
        contract_options o = m_options;
        o.einsum = asked.einsum;
        o.inputs = asked.inputs;
        o.output = asked.output;
        o.common.check = o.common.check && asked.check;
        const auto of =
            asked.operands ? *asked.operands : shapes{shape_of_file(asked.inputs[0]), shape_of_file(asked.inputs[1])};
        o.problem = workloads::parse_einsum(o.einsum, of[0], of[1]);
        const auto give = [&](const std::string& name, const std::string& text) {
            o.given.emplace_back(name, text);
            o.options_given.push_back({name, false, {text}});
        };
        o.options_given.clear();
        for (const auto& given : m_options.options_given) {
            if (given.name != "serve") { o.options_given.push_back(given); }
        }
        o.given.clear();
        for (const auto& given : m_options.given) {
            if (given.first != "serve" && given.first != "einsum") { o.given.push_back(given); }
        }
        give("einsum", o.einsum);
        if (!o.inputs.empty()) {
            give("input", o.inputs[0] + "," + o.inputs[1]);
            for (const auto& path : o.inputs) { o.files.add_input("--input", path); }
        }
        if (o.output) {
            give("output", *o.output);
            o.files.add_output("--output", *o.output);
            o.files.check_outputs(o.common);
        }
        return o;
    }

    std::vector<float> operand(const contract_options& o, const request& asked,
                               const std::array<std::vector<float>, 2>& raw, std::size_t which) const
    {
        if (!asked.operands) { return operand_of_file(o, asked.inputs[which]); }
        return operand_of(o, {raw[which].begin(), raw[which].end()}, (*asked.operands)[which],
                          which == 0 ? "the first operand: " : "the second operand: ");
    }

    // Planned once: the steps of a training repeat their contractions.
    const contract_job& job_of(bus::host_thread& cpu, const contract_options& o)
    {
        const std::string key = o.einsum + ";" + sizes_text(o.problem);
        if (const auto known = m_jobs.find(key); known != m_jobs.end()) { return known->second; }
        auto job = make_job(o, *m_technology, {}, [&](const workloads::contraction_programs& programs) {
            run(cpu, [&](workloads::fetta_session& session) {
                for (const auto& p : programs.programs) { session.run(p.bytes); }
            });
            return cost_of(costs_now(), o.settings.request.objective);
        });
        std::uint64_t bytes = 0;
        for (const auto& p : job.programs) { bytes += p.bytes.size(); }
        if (m_kept_bytes + bytes > kept_program_bytes) {
            m_jobs.clear();
            m_kept_bytes = 0;
        }
        m_kept_bytes += bytes;
        return m_jobs.emplace(key, std::move(job)).first->second;
    }

    void run(bus::host_thread& cpu, const fetta_testbed::program_type& program)
    {
        m_found.testbed->run_afresh(cpu, m_options.common, sram_bytes, program);
    }

    std::uint64_t room() const
    {
        return m_options.common.platform.memory_bytes(sram_bytes) - session_memory::program_bytes;
    }

    const costs::technology* m_technology = nullptr;
    std::map<std::string, contract_job> m_jobs;                             // by contraction and sizes
    std::map<std::uint64_t, std::vector<activity::module_energy>> m_models; // by bytes of memory
    std::uint64_t m_kept_bytes = 0;                                         // of the programs of these jobs
};

} // namespace

std::unique_ptr<testbench_run> make_contract_server(const contract_options& options)
{
    return std::make_unique<contract_server>(options);
}

} // namespace tensorloom::testbench
