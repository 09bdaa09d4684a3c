#include "tnn_training/tnn_training.h"
#include "tnn_training/sample_files.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <tensorloom/models/arch/fetta/costs.h>
#include <tensorloom/workloads/training/model_emulation.h>
#include "platform/process/process_resources.h"
#include "platform/process/progress.h"
#include "platform/process/testbench_run.h"
#include "platform/process/fetta_run.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

/// Plans, trains in a simulation, trains again on the host, compares.
class tnn_training_run : public fetta_run<tnn_training_options, tnn_training_findings> {
public:
    using fetta_run::fetta_run;

    void prepare(const arch::technology& /*technology*/) override
    {
        const auto& o = m_options;
        if (m_samples.features != o.model.features() || m_samples.classes != o.model.classes()) {
            throw arch::input_error("--model: its layers take " + std::to_string(o.model.features()) + " and give " +
                                    std::to_string(o.model.classes()) + " numbers, expected the " +
                                    std::to_string(m_samples.features) + " features and " +
                                    std::to_string(m_samples.classes) + " classes of " + m_samples.name);
        }
        const std::uint64_t steps = workloads::batches_of(o.model, order_of_epoch(0).size());
        if (steps == 0) {
            throw arch::input_error("--batch is " + std::to_string(o.model.batch) + ", expected at most the " +
                                    std::to_string(m_samples.training.size()) +
                                    " samples of the training set with --drop-last");
        }
        m_training.emplace(o.model, m_samples, o.device.config.geometry, steps, testbench::data_base,
                           data_room(o.common));
        m_found.begin = begin_with();
        m_found.first_epoch = m_found.begin.epochs;
    }

    void simulate(const arch::technology& technology) override
    {
        progress shown(m_options.common.quiet);
        const auto& o = m_options;
        const auto& training = *m_training;
        m_found.harness = make_fetta_harness(
            "platform", o.device, o.common, sram_bytes_for(training.end() - testbench::data_base),
            o.common.out ? activity::log_detail::every_record : activity::log_detail::per_command,
            [&](workloads::fetta_runtime& runtime) {
                training.begin(runtime, m_found.begin);
                for (std::uint64_t e = m_found.first_epoch; e < o.model.epochs && m_found.not_a_number.empty(); ++e) {
                    train(runtime, e, shown);
                }
                m_found.end = training.state(runtime, m_found.first_epoch + m_found.epochs.size());
            },
            nullptr);
        run_harness(technology);
        for (std::size_t e = 0; e < m_found.epochs.size(); ++e) { add_costs(e); }
        if (o.common.check && m_found.not_a_number.empty()) {
            shown.show("checking the result");
            check();
        }
        if (o.save && m_found.passed()) { workloads::save_training(*o.save, o.model, o.common.seed, m_found.end); }
    }

    void tell(run_report& report) const override { testbench::tell(report, m_options, m_found); }
    std::string failure() const override { return m_found.failure(); }

private:
    workloads::training_state begin_with() const
    {
        const auto& o = m_options;
        if (!o.resume) { return workloads::initial_state(o.model, o.common.seed); }
        auto state = arch::complaining_of("--resume",
                                          [&] { return workloads::load_training(*o.resume, o.model, o.common.seed); });
        if (state.epochs >= o.model.epochs) {
            throw arch::input_error("--resume is '" + *o.resume + "', a state behind epoch " +
                                    std::to_string(state.epochs) + ", expected one before epoch " +
                                    std::to_string(o.model.epochs));
        }
        return state;
    }

    std::vector<std::uint32_t> order_of_epoch(std::uint64_t epoch) const
    {
        auto order = workloads::order_of_epoch(m_samples, m_options.common.seed, epoch);
        if (m_options.drop_last) { order.resize(order.size() / m_options.model.batch * m_options.model.batch); }
        return order;
    }

    void train(workloads::fetta_runtime& runtime, std::uint64_t epoch, progress& shown)
    {
        auto& found = m_found.epochs.emplace_back();
        found.batches = m_training->train(runtime, order_of_epoch(epoch)).batches;
        found.test = workloads::sum_of(m_training->test(runtime).batches);
        m_found.not_a_number = not_a_number(found, epoch);
        shown.show(static_cast<double>(epoch + 1) / static_cast<double>(m_options.model.epochs),
                   "epoch " + std::to_string(epoch + 1) + ", loss " +
                       number_text(workloads::sum_of(found.batches).mean_loss()) + ", test accuracy " +
                       number_text(100 * found.test.accuracy()) + " %");
    }

    // The first step whose loss is no finite number; the test set is behind them all.
    static std::string not_a_number(const epoch_findings& found, std::uint64_t epoch)
    {
        const auto at = "the loss of epoch " + std::to_string(epoch + 1) + ", ";
        constexpr const char* complaint = " is no finite number";
        for (std::size_t b = 0; b < found.batches.size(); ++b) {
            if (!std::isfinite(found.batches[b].loss)) { return at + "step " + std::to_string(b + 1) + complaint; }
        }
        return std::isfinite(found.test.loss) ? "" : at + "test set" + complaint;
    }

    // Each epoch is two programs: training, test.
    void add_costs(std::size_t epoch)
    {
        auto& found = m_found.epochs[epoch];
        const std::size_t program = 2 * epoch;
        found.training_costs = m_found.harness->costs(program, program + 1, m_found.energy_models);
        found.test_costs = m_found.harness->costs(program + 1, program + 2, m_found.energy_models);
        const auto& commands = m_training->training_program().commands;
        for (const auto& record : m_found.harness->runs().all()[program].log->records()) {
            const std::size_t last = commands.size() - 1;
            const auto command = std::min<std::size_t>(record.cause == "other" ? last : record.command, last);
            found.phase_cycles[static_cast<std::size_t>(commands[command].phase)] += record.cycles;
        }
    }

    void check()
    {
        const auto& o = m_options;
        workloads::model_emulation host(o.model, m_samples, m_training->contractions(), o.device.config.geometry,
                                        m_found.begin);
        const auto differs = [&](const std::string& where) {
            m_found.same_bits = false;
            m_found.first_difference = where;
        };
        m_found.same_bits = true;
        for (std::size_t e = 0; e < m_found.epochs.size() && *m_found.same_bits; ++e) {
            const std::uint64_t epoch = m_found.first_epoch + e;
            const auto trained = host.train(order_of_epoch(epoch));
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
            m_found.compared += (trained.size() + 1) * workloads::step_metrics;
        }
        m_found.compared += m_found.end.numbers();
        if (*m_found.same_bits && !(host.state() == m_found.end)) { differs("parameters in the end"); }
    }

    const workloads::labelled_samples m_samples = samples_of(m_options.model.data, m_options.data);
    std::optional<workloads::model_training> m_training;
};

} // namespace

std::string tnn_training_findings::failure() const
{
    if (!not_a_number.empty()) { return "training failed: " + not_a_number; }
    return first_difference.empty() ? "" : "check failed: other bits than those of the emulation: " + first_difference;
}

int sc_main(int argc, char* argv[])
{
    return testbench_main("tnn_training", argc, argv, read_tnn_training_options,
                          [](const tnn_training_options& o) { return std::make_unique<tnn_training_run>(o); });
}
