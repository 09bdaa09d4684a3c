#include "compare_measured/compare_measured.h"
#include <algorithm>
#include <tensorloom/models/base/files/atomic_file.h>
#include "platform/report/testbench_run.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace tensorloom::testbench {

namespace {

std::vector<std::string> machine_names()
{
    std::vector<std::string> names;
    for (const auto& m : measured_machines()) { names.emplace_back(m.facts().name); }
    return names;
}

option_table compare_measured_table()
{
    option_table table("compare_measured",
                       "Runs what a machine was measured with on the preset of ours that stands for it, and compares "
                       "the cycles.");
    table.begin_group("Machine");
    table.add_value("machine", form_of(machine_names()), "The machine that was measured.", machine_names().front());
    table.add_value("cases", "FILE.csv",
                    "Measurements, in the columns of those that ship with the project (default: those).");
    table.add_value("only", "NAME", "Only the cases of this name, such as 16x256x256 (default: all).");
    add_common_options(table);
    return table;
}

} // namespace

std::optional<compare_measured_options> read_compare_measured_options(int argc, char** argv, std::ostream& out)
{
    const auto values = compare_measured_table().parse(argc, argv, out);
    if (!values) { return std::nullopt; }
    compare_measured_options o;
    const auto name = values->get_choice("machine", machine_names());
    const auto& all = measured_machines();
    o.machine = &*std::find_if(all.begin(), all.end(), [&](const auto& m) { return name == m.facts().name; });
    check_absent(*values,
                 {"memory", "dram", "memory-bandwidth", "memory-latency", "memory-ports", "dma-width", "burst",
                  "outstanding", "overlap-runs"},
                 "--machine " + name, "without it: a preset has its own memory");
    o.common = read_common_options(*values);
    if (values->has("cases")) {
        o.cases = values->get_string("cases");
        o.files.add_input("--cases", *o.cases);
    }
    if (values->has("only")) { o.only = values->get_string("only"); }
    o.finish(*values, {"cases.csv"});
    return o;
}

} // namespace tensorloom::testbench

namespace {

constexpr std::size_t most_bytes = 16u << 20; // of a file of cases

/// Every case with a host and a memory of its own, all in one simulation.
class compare_measured_run : public testbench_run {
public:
    explicit compare_measured_run(const compare_measured_options& options)
        : m_options(options), m_facts(options.machine->facts()), m_machine(options.machine->make()),
          m_file(options.cases.value_or(m_facts.name))
    {
        m_common = options.common;
        m_common.platform = m_machine->platform();
        base::complaining_of("--cases", [&] {
            const auto text =
                options.cases ? base::read_whole_file(*options.cases, most_bytes) : std::string(m_facts.shipped);
            m_machine->read(read_measured_rows(text, m_file, m_facts.columns));
        });
        std::vector<std::string> names;
        for (const auto& name : m_machine->names()) {
            if (std::find(names.begin(), names.end(), name) == names.end()) { names.push_back(name); }
        }
        if (options.only) {
            if (std::find(names.begin(), names.end(), *options.only) == names.end()) {
                throw base::input_error("--only is " + base::in_quotes(*options.only) + ", expected one of " +
                                        listed(names, [](const auto& name) { return name; }));
            }
            m_machine->keep(*options.only);
        }
        if (m_common.address_trace) { m_common.address_trace->further = m_machine->further_platforms(); }
    }

    std::vector<costs::floor_plan> devices(const costs::technology& technology) const override
    {
        return {m_machine->plan(m_common, technology)};
    }
    void prepare(const costs::technology& technology) override { m_machine->require_prices(m_common, technology); }

    void simulate(const costs::technology& technology) override
    {
        const auto testbeds = m_machine->build(m_common, m_options.detail());
        m_found.usage = run_testbeds(testbeds, m_common, m_machine->waveform());
        m_found.cases = m_machine->results(technology);
        m_found.configuration = m_machine->configuration(m_common);
    }

    bool passed() const override { return m_found.passed(); }
    void write_report(run_report& report) const override { testbench::write_report(report, m_options, m_found); }
    void write_programs(const output_directory& directory) const override
    {
        write_program_files(directory, m_options.common, m_machine->programs());
        base::write_whole_file(directory.file("cases.csv").string(), cases_csv(m_facts.quantity, m_found));
    }
    std::string failure() const override
    {
        const auto wrong =
            std::find_if(m_found.cases.begin(), m_found.cases.end(), [](const auto& c) { return !c.passed; });
        return "check failed: line " + std::to_string(wrong->line) + ", " + wrong->name +
               ", has values other than the host's";
    }

private:
    const compare_measured_options& m_options;
    machine_facts m_facts;
    std::unique_ptr<measured_machine> m_machine;
    std::string m_file; // its name in errors
    common_options m_common;
    compare_measured_findings m_found;
};

} // namespace

int sc_main(int argc, char* argv[])
{
    return testbench_main("compare_measured", argc, argv, read_compare_measured_options,
                          [](const auto& options) { return std::make_unique<compare_measured_run>(options); });
}
