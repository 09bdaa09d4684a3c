#include "tnn_training/tnn_training.h"
#include "tnn_training/step_excerpt.h"
#include "tnn_training/weights_file.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/fetta/isa/costs.h>
#include <tensorloom/workloads/training/model_emulation.h>
#include "platform/process/process_resources.h"
#include "platform/process/progress.h"
#include "platform/report/testbench_run.h"
#include "platform/fetta/fetta_memory_estimate.h"
#include "platform/fetta/fetta_run.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

/// Plans, trains in a simulation, trains again on the host, compares.
class tnn_training_run : public fetta_run<tnn_training_options, tnn_training_findings> {
public:
    using fetta_run::fetta_run;

    void prepare(const costs::technology& technology) override
    {
        fetta_run::prepare(technology);
        const auto& o = m_options;
        const auto& g = o.device.config.limits;
        base::complaining_of("--model " + o.model.name + ", --batch " + std::to_string(o.model.batch) +
                                 ", --bank-bytes " + std::to_string(g.bank_bytes) + ", --engines " +
                                 std::to_string(g.engines),
                             [&] {
                                 const workloads::step_device device{g,
                                                                     o.paths,
                                                                     o.device.config.lanes,
                                                                     memory_estimate_of(o.common, technology, 0),
                                                                     o.device.config.bank_broadcast,
                                                                     o.device.config.overlap};
                                 m_training.emplace(o.model, o.samples, device, o.block, o.steps, testbench::data_base,
                                                    data_room(o.common));
                             });
        const auto& plan = m_training->plan();
        m_found.plan = {plan.contractions.blocks, plan.contractions.samples, plan.stays, plan.estimate};
        m_found.memory = m_training->memory();
        m_found.paths = m_training->training_program().paths;
        m_found.dense_memory = workloads::memory_of(o.model.dense_twin(), o.device.config.limits);
        m_found.occupied_bytes = m_training->occupied_bytes();
        begin_with();
        m_found.first_epoch = m_found.begin.epochs;
        m_traced = traced_step(o.steps);
    }

    void simulate(const costs::technology& technology) override
    {
        progress shown(m_options.common.quiet);
        const auto& o = m_options;
        const auto& training = *m_training;
        m_found.testbed = make_fetta_testbed(
            "platform", o.device, o.common, sram_bytes_for(training.end() - testbench::data_base),
            activity::log_detail::per_command,
            [&](workloads::fetta_session& session) {
                training.begin(session, m_found.begin);
                for (std::uint64_t e = m_found.first_epoch;
                     e < o.model.epochs && m_found.not_a_number.empty() && !m_found.is_stopped; ++e) {
                    train(session, e, shown);
                }
                m_found.end = training.state(session, m_found.first_epoch + m_found.epochs.size());
            },
            nullptr);
        if (o.common.out) {
            m_found.testbed->take_excerpt(programs_of_epoch() * (m_traced.epoch - 1 - m_found.first_epoch),
                                          records_of_turn(training.training_program().bytes, m_traced.step - 1));
        }
        run_testbed(technology);
        for (std::size_t e = 0; e < m_found.epochs.size(); ++e) { add_costs(e); }
        if (o.common.check && m_found.not_a_number.empty()) {
            shown.show("checking the result");
            check();
        }
        if (o.save && m_found.passed()) {
            workloads::save_training(*o.save, o.model, o.common.seed, m_found.result(), m_found.best);
        }
        if (o.weights_out && m_found.passed()) {
            save_weights(*o.weights_out, training.contractions(), m_found.result().masters);
        }
    }

    void write_report(run_report& report) const override { testbench::write_report(report, m_options, m_found); }
    void write_programs(const output_directory& directory) const override
    {
        std::vector<const epoch_costs*> epochs;
        for (const auto& epoch : m_found.epochs) { epochs.push_back(&epoch.phases); }
        write_epoch_files(directory, epochs, m_found.first_epoch + 1, *m_found.testbed->runs().all().front().log);
        write_banks_file(directory, m_found.testbed->counted_memories());
        write_memory_file(directory.file(memory_file), m_options, m_found);
        m_found.by_step.write(directory.file(step_costs::file_name));
        write_trace_file(directory, m_options.device, m_options.common, m_found, m_found.testbed->runs().excerpt());
    }
    std::string failure() const override { return m_found.failure(); }

private:
    void begin_with()
    {
        const auto& o = m_options;
        m_found.begin = workloads::initial_state(o.model, o.common.seed);
        if (o.weights_in) {
            m_found.begin.masters = base::complaining_of(
                "--weights-in", [&] { return load_weights(*o.weights_in, m_training->contractions(), o.model.name); });
        }
        if (!o.resume) { return; }
        const auto state = base::complaining_of(
            "--resume", [&] { return workloads::load_training(*o.resume, o.model, o.common.seed); });
        if (state.epochs >= o.model.epochs) {
            throw base::input_error("--resume is '" + *o.resume + "', a state after epoch " +
                                    std::to_string(state.epochs) + ", expected one before epoch " +
                                    std::to_string(o.model.epochs));
        }
        m_found.begin = state;
        if (o.model.patience == 0) { return; }
        m_found.best = state.best;
        if (workloads::has_lost_patience(o.model, m_found.best, state.epochs)) {
            throw base::input_error("--resume is '" + *o.resume + "', a state after epoch " +
                                    std::to_string(state.epochs) + " whose best one is epoch " +
                                    std::to_string(m_found.best->state.epochs) + ", expected a patience above " +
                                    std::to_string(state.epochs - m_found.best->state.epochs));
        }
    }

    std::vector<std::uint32_t> order_of_epoch(std::uint64_t epoch) const
    {
        const auto& o = m_options;
        auto order = workloads::order_of_epoch(o.samples, o.common.seed, epoch);
        if (o.drop_last) { order.resize(o.steps * o.model.batch); }
        return order;
    }

    void train(workloads::fetta_session& session, std::uint64_t epoch, progress& shown)
    {
        auto& found = m_found.epochs.emplace_back();
        found.batches = m_training->train(session, order_of_epoch(epoch), m_options.common.seed, epoch).batches;
        if (has_validation()) { found.validation = workloads::sum_of(m_training->validate(session).batches); }
        found.test = workloads::sum_of(m_training->test(session).batches);
        m_found.not_a_number = not_a_number(found, epoch);
        if (m_found.not_a_number.empty()) { keep(session, epoch + 1); }
        shown.show(static_cast<double>(epoch + 1) / static_cast<double>(m_options.model.epochs),
                   "epoch " + std::to_string(epoch + 1) + ", loss " +
                       number_text(workloads::sum_of(found.batches).mean_loss()) +
                       (m_options.model.loss.takes_targets()
                            ? ", test loss " + number_text(found.test.mean_loss())
                            : ", test accuracy " + number_text(100 * found.test.accuracy()) + " %"));
    }

    bool has_validation() const { return !m_options.samples.validation.empty(); }

    // The best state, and a checkpoint, after so many epochs.
    void keep(workloads::fetta_session& session, std::uint64_t epochs)
    {
        const auto& o = m_options;
        const auto& found = m_found.epochs.back();
        const bool is_best =
            o.model.patience != 0 && (!m_found.best || found.validation.mean_loss() < m_found.best->validation_loss);
        m_found.is_stopped =
            !is_best && epochs < o.model.epochs && workloads::has_lost_patience(o.model, m_found.best, epochs);
        const bool is_last = epochs == o.model.epochs || m_found.is_stopped,
                   is_due = o.checkpoint && (is_last || epochs % o.checkpoint_epochs == 0);
        if (!is_due && !is_best) { return; }
        const auto state = m_training->state(session, epochs);
        if (is_best) { m_found.best = workloads::best_training{state, found.validation.mean_loss(), found.test}; }
        if (is_due) {
            base::write_whole_file_at_once(*o.checkpoint,
                                           workloads::saved_training(o.model, o.common.seed, state, m_found.best));
        }
    }

    // The first loss that is not a finite number: of the steps, then of the validation set and of the test set.
    static std::string not_a_number(const epoch_findings& found, std::uint64_t epoch)
    {
        const auto at = "the loss of epoch " + std::to_string(epoch + 1) + ", ";
        constexpr const char* error = " is not finite";
        for (std::size_t b = 0; b < found.batches.size(); ++b) {
            if (!std::isfinite(found.batches[b].loss)) { return at + "step " + std::to_string(b + 1) + error; }
        }
        if (!std::isfinite(found.validation.loss)) { return at + "validation set" + error; }
        return std::isfinite(found.test.loss) ? "" : at + "test set" + error;
    }

    // Each epoch is two or three programs: training, validation, test.
    std::size_t programs_of_epoch() const { return has_validation() ? 3 : 2; }

    void add_costs(std::size_t epoch)
    {
        auto& found = m_found.epochs[epoch];
        const std::size_t program = programs_of_epoch() * epoch, test = program + programs_of_epoch() - 1;
        found.training = m_found.testbed->costs(program, program + 1, m_found.energy_models);
        const auto log_of = [&](std::size_t p) -> const auto& { return *m_found.testbed->runs().all()[p].log; };
        const auto energy_of = [&](std::size_t p) {
            return activity::energy_report(log_of(p), m_found.testbed->clock_period_ns(), m_found.energy_models);
        };
        const auto of_training = energy_of(program), of_test = energy_of(test);
        add_training(found.phases, m_training->training_program(), log_of(program), of_training);
        if (has_validation()) {
            add_phase(found.phases[validation_phase], log_of(program + 1), energy_of(program + 1));
        }
        add_phase(found.phases[test_phase], log_of(test), of_test);
        if (!m_options.common.out) { return; }
        add_steps(m_training->training_program(), log_of(program), of_training, nullptr);
        if (has_validation()) {
            add_steps(m_training->validation_program(), log_of(program + 1), energy_of(program + 1),
                      epoch_phase_name(validation_phase));
        }
        add_steps(m_training->test_program(), log_of(test), of_test, epoch_phase_name(test_phase));
    }

    // The layer whose name ends the purpose of a command; none for what belongs to the whole model.
    std::string layer_of(const std::string& what) const
    {
        for (const auto& layer : m_options.model.layers) {
            if (ends_with(what, " of " + layer.name)) { return layer.name; }
        }
        return "";
    }

    // `phase`: of all records; null: each has that of its command.
    void add_steps(const workloads::written_program& program, const activity::program_log& log,
                   const activity::energy_report& energy, const char* phase)
    {
        for (std::size_t r = 0; r < log.records().size(); ++r) {
            const auto& record = log.records()[r];
            const auto& command = program.commands[command_number(record, program.commands.size())];
            const auto what = record.cause == "fetch" ? std::string("fetch the program") : command.what;
            m_found.by_step.add(layer_of(what),
                                phase != nullptr ? phase : epoch_phase_name(static_cast<std::size_t>(command.phase)),
                                what, log, r, energy, log.counts(r, 0)[static_cast<std::size_t>(fetta::event::mac)]);
        }
    }

    // Of a run whose epochs have so many steps.
    tnn_training_options::step_number traced_step(std::uint64_t steps) const
    {
        const std::uint64_t first = m_found.first_epoch + 1, last = m_options.model.epochs;
        const auto chosen = m_options.trace_step.value_or(tnn_training_options::step_number{first, 1});
        if (chosen.epoch < first || chosen.epoch > last || chosen.step < 1 || chosen.step > steps) {
            throw base::input_error("--trace-step is '" + std::to_string(chosen.epoch) + ":" +
                                    std::to_string(chosen.step) + "', expected EPOCH:STEP with an epoch from " +
                                    std::to_string(first) + " to " + std::to_string(last) + " and a step from 1 to " +
                                    std::to_string(steps));
        }
        return chosen;
    }

    void check()
    {
        const auto& o = m_options;
        workloads::model_emulation host(o.model, o.samples, m_training->contractions(), o.device.config.limits,
                                        m_found.begin);
        const auto differs = [&](const std::string& where) {
            m_found.same_bits = false;
            m_found.first_difference = where;
        };
        m_found.same_bits = true;
        for (std::size_t e = 0; e < m_found.epochs.size() && *m_found.same_bits; ++e) {
            const std::uint64_t epoch = m_found.first_epoch + e;
            const auto trained = host.train(order_of_epoch(epoch));
            const auto validated = workloads::sum_of(host.validate()), tested = workloads::sum_of(host.test());
            const auto& found = m_found.epochs[e];
            const std::string at = "epoch " + std::to_string(epoch + 1);
            for (std::size_t b = 0; b < trained.size() && *m_found.same_bits; ++b) {
                if (!trained[b].same_as(found.batches[b])) {
                    differs(at + ", step " + std::to_string(b + 1) + ", loss " + number_text(found.batches[b].loss) +
                            ", expected " + number_text(trained[b].loss));
                }
            }
            const auto compare = [&](bool is_same, const char* what) {
                if (*m_found.same_bits && !is_same) { differs(at + ", " + what); }
            };
            compare(validated.same_as(found.validation), "validation set");
            compare(tested.same_as(found.test), "test set");
            m_found.compared += (trained.size() + (has_validation() ? 2 : 1)) * workloads::step_metrics;
            if (m_found.best && m_found.best->state.epochs == epoch + 1) {
                compare(host.state() == m_found.best->state, "parameters of the best epoch");
                m_found.compared += m_found.best->state.numbers();
            }
        }
        m_found.compared += m_found.end.numbers();
        if (*m_found.same_bits && !(host.state() == m_found.end)) { differs("parameters at the end"); }
    }

    std::optional<workloads::model_training> m_training;
    tnn_training_options::step_number m_traced;
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
