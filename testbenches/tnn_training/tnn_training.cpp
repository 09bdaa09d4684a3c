#include "tnn_training/tnn_training.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <tensorloom/models/arch/fetta/costs.h>
#include <tensorloom/workloads/training/model_emulation.h>
#include "platform/process/process_resources.h"
#include "platform/process/progress.h"
#include "platform/process/testbench_run.h"
#include "platform/report/fetta_report.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

// An SRAM is made as large as the data.
std::uint64_t memory_left(const tnn_training_options& o)
{
    const auto& around = o.common.platform;
    return around.in_dram() ? around.memory_bytes(0) - runtime_memory::program_bytes
                            : std::numeric_limits<std::int64_t>::max();
}

/// Plans, trains in a simulation, trains again on the host, compares.
class tnn_training_run : public testbench_run {
public:
    explicit tnn_training_run(const tnn_training_options& options) : m_options(options) {}

    void simulate(const arch::technology& technology) override
    {
        progress shown(m_options.common.quiet);
        shown.show("planning");
        const auto& o = m_options;
        const auto base = testbench::data_base;
        const auto samples = workloads::shipped_digits();
        if (samples.features != o.model.features() || samples.classes != o.model.classes()) {
            throw arch::input_error("model: its layers take " + std::to_string(o.model.features()) + " and give " +
                                    std::to_string(o.model.classes()) + " numbers, expected the " +
                                    std::to_string(samples.features) + " features and " +
                                    std::to_string(samples.classes) + " classes of " + samples.name);
        }
        const workloads::model_training training(o.model, samples, o.device.config.geometry,
                                                 workloads::batches_of(o.model, order_of(samples, 0).size()), base,
                                                 memory_left(o));
        m_found.begin = begin_with();
        m_found.first_epoch = m_found.begin.epochs;
        m_found.harness = make_fetta_harness(
            "platform", o.device, o.common, sram_bytes_for(training.end() - base),
            o.common.out ? activity::log_detail::every_record : activity::log_detail::per_command,
            [&](workloads::fetta_runtime& runtime) {
                training.begin(runtime, m_found.begin);
                for (std::uint64_t e = m_found.first_epoch; e < o.model.epochs && m_found.not_a_number.empty(); ++e) {
                    train(runtime, training, samples, e, shown);
                }
                m_found.end = training.state(runtime, m_found.first_epoch + m_found.epochs.size());
            },
            nullptr);
        m_found.usage = run_harnesses({m_found.harness.get()}, o.common, m_found.harness->waveform(o.device.traced));
        m_found.energy_models = m_found.harness->energy_models(
            technology, arch::fetta::device_energy(technology, energy_settings_of(o.device, o.common)));
        m_found.costs = m_found.harness->costs(0, m_found.harness->programs(), m_found.energy_models);
        for (std::size_t e = 0; e < m_found.epochs.size(); ++e) { add_costs(training, e); }
        if (o.save && m_found.not_a_number.empty()) {
            workloads::save_training(*o.save, o.model, o.common.seed, m_found.end);
        }
        if (o.common.check && m_found.not_a_number.empty()) {
            shown.show("checking the result");
            check(samples, training);
        }
    }

    bool passed() const override { return m_found.passed(); }
    void tell(run_report& report) const override { testbench::tell(report, m_options, m_found); }
    void write_programs(const output_directory& directory) const override
    {
        write_program_files(directory, m_options.common,
                            {programs_of(*m_found.harness, m_options.device.config.geometry, m_found.energy_models)});
    }
    std::string failure() const override
    {
        if (!m_found.not_a_number.empty()) { return "training failed: " + m_found.not_a_number; }
        return "check failed: other bits than those of the emulation: " + m_found.first_difference;
    }
    std::string explained(const std::string& complaint) const override { return with_technology_option(complaint); }

private:
    workloads::training_state begin_with() const
    {
        const auto& o = m_options;
        if (!o.resume) { return workloads::initial_state(o.model, o.common.seed); }
        auto state = arch::complaining_of(
            "--resume", [&] { return workloads::load_training(*o.resume, o.model, o.common.seed); });
        if (state.epochs >= o.model.epochs) {
            throw arch::input_error("--resume is '" + *o.resume + "', a state behind epoch " +
                                    std::to_string(state.epochs) + ", expected one before epoch " +
                                    std::to_string(o.model.epochs));
        }
        return state;
    }

    std::vector<std::uint32_t> order_of(const workloads::labelled_samples& samples, std::uint64_t epoch) const
    {
        auto order = workloads::order_of_epoch(samples, m_options.common.seed, epoch);
        if (m_options.drop_last) { order.resize(order.size() / m_options.model.batch * m_options.model.batch); }
        return order;
    }

    void train(workloads::fetta_runtime& runtime, const workloads::model_training& training,
               const workloads::labelled_samples& samples, std::uint64_t epoch, progress& shown)
    {
        auto& found = m_found.epochs.emplace_back();
        found.batches = training.train(runtime, order_of(samples, epoch)).batches;
        found.test = workloads::sum_of(training.test(runtime).batches);
        for (std::size_t b = 0; b < found.batches.size() && m_found.not_a_number.empty(); ++b) {
            if (std::isfinite(found.batches[b].loss)) { continue; }
            m_found.not_a_number = "the loss of epoch " + std::to_string(epoch + 1) + ", step " +
                                   std::to_string(b + 1) + " is no finite number";
        }
        shown.show(static_cast<double>(epoch + 1) / static_cast<double>(m_options.model.epochs),
                   "epoch " + std::to_string(epoch + 1) + ", loss " +
                       number_text(workloads::sum_of(found.batches).mean_loss()) + ", test accuracy " +
                       number_text(100 * found.test.accuracy()) + " %");
    }

    // Each epoch is two programs: training, test.
    void add_costs(const workloads::model_training& training, std::size_t epoch)
    {
        auto& found = m_found.epochs[epoch];
        const std::size_t program = 2 * epoch;
        found.training_costs = m_found.harness->costs(program, program + 1, m_found.energy_models);
        found.test_costs = m_found.harness->costs(program + 1, program + 2, m_found.energy_models);
        const auto& commands = training.training_program().commands;
        for (const auto& record : m_found.harness->runs().all()[program].log->records()) {
            const std::size_t last = commands.size() - 1;
            const auto command = std::min<std::size_t>(record.cause == "other" ? last : record.command, last);
            found.phase_cycles[static_cast<std::size_t>(commands[command].phase)] += record.cycles;
        }
    }

    void check(const workloads::labelled_samples& samples, const workloads::model_training& training)
    {
        const auto& o = m_options;
        workloads::model_emulation host(o.model, samples, training.contractions(), o.device.config.geometry,
                                        m_found.begin);
        const auto differs = [&](const std::string& where) {
            m_found.same_bits = false;
            m_found.first_difference = where;
        };
        m_found.same_bits = true;
        for (std::size_t e = 0; e < m_found.epochs.size() && *m_found.same_bits; ++e) {
            const std::uint64_t epoch = m_found.first_epoch + e;
            const auto trained = host.train(order_of(samples, epoch));
            const auto tested = workloads::sum_of(host.test());
            const auto& found = m_found.epochs[e];
            const std::string at = "epoch " + std::to_string(epoch + 1);
            for (std::size_t b = 0; b < trained.size() && *m_found.same_bits; ++b) {
                if (!trained[b].same_as(found.batches[b])) {
                    differs(at + ", step " + std::to_string(b + 1) + ", loss " + number_text(found.batches[b].loss) +
                            ", expected " + number_text(trained[b].loss));
                }
            }
            if (*m_found.same_bits && !tested.same_as(found.test)) { differs(at + ", test set"); }
        }
        if (*m_found.same_bits && !(host.state() == m_found.end)) { differs("parameters in the end"); }
    }

    const tnn_training_options& m_options;
    tnn_training_findings m_found;
};

} // namespace

int sc_main(int argc, char* argv[])
{
    return testbench_main("tnn_training", argc, argv, read_tnn_training_options,
                          [](const tnn_training_options& o) { return std::make_unique<tnn_training_run>(o); });
}
