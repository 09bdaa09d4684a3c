// training_step_speed tnn_training|tnn_step OPTIONS...: CPU time of a training step as that testbench simulates it with
// these options, for a program that takes turns with it. First a line of JSON: seconds of planning and of elaboration
// until the first step may begin, and the contractions of tnn_step's layer. Then, for each line that comes, the CPU
// seconds of one step: of tnn_training the mean over an epoch, without its test; of tnn_step one step. What programs
// load at their start, and their lists, are in it; checks and files are not.
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <nlohmann/json.hpp>
#include <tensorloom/models/fetta/isa/costs.h>
#include <tensorloom/workloads/step_planner/step_run.h>
#include <tensorloom/workloads/training/training_run.h>
#include "benchmarks/rounds.h"
#include "platform/process/main.h"
#include "platform/fetta/fetta_memory_estimate.h"
#include "tnn_step/tnn_step.h"
#include "tnn_training/tnn_training.h"
#include "workloads/training/graph_description.h"

using namespace tensorloom;
using benchmarks::cpu_seconds;
using nlohmann::json;

namespace {

/// Who asks for steps.
class step_turns {
public:
    void planned() { m_planned_s = cpu_seconds(); }
    /// From a thread of the simulation: step() runs so many steps, whenever asked.
    template <class Step> void take(json said, std::uint64_t steps, const Step& step)
    {
        said["planning_s"] = m_planned_s;
        said["elaboration_s"] = cpu_seconds() - m_planned_s;
        std::cout << said << std::endl;
        std::string line;
        while (std::getline(std::cin, line)) {
            const double begin = cpu_seconds();
            step();
            std::cout << std::setprecision(9) << (cpu_seconds() - begin) / static_cast<double>(steps) << std::endl;
        }
    }

private:
    double m_planned_s = 0;
};

template <class Options>
void simulate(const Options& o, std::uint64_t end, const testbench::fetta_testbed::program_type& program)
{
    const auto testbed = testbench::make_fetta_testbed("platform", o.device, o.common,
                                                       testbench::sram_bytes_for(end - testbench::data_base),
                                                       activity::log_detail::per_command, program);
    testbench::run_testbeds({testbed.get()}, o.common, testbed->waveform(o.device.traced));
}

void train(const testbench::tnn_training_options& o)
{
    step_turns turns;
    const auto& samples = o.samples;
    const std::uint64_t steps = workloads::batches_of(o.model, samples.training.size());
    const workloads::step_device device{
        o.device.config.limits, workloads::operand_paths::gathered, o.device.config.lanes, {}};
    const workloads::model_training training(o.model, samples, device, 0, steps, testbench::data_base,
                                             testbench::data_room(o.common));
    turns.planned();
    simulate(o, training.end(), [&](workloads::fetta_session& session) {
        training.begin(session, workloads::initial_state(o.model, o.common.seed));
        std::uint64_t epoch = 0;
        turns.take({}, steps, [&] {
            training.train(session, workloads::order_of_epoch(samples, o.common.seed, epoch), o.common.seed, epoch);
            ++epoch;
        });
    });
}

void step(const testbench::tnn_step_options& o)
{
    step_turns turns;
    const auto technology = costs::load_technology(o.common.technology);
    auto settings = o.settings;
    settings.memory = testbench::memory_estimate_of(o.common, technology, 0);
    settings.lanes = o.device.config.lanes;
    const auto graph = workloads::step_graph(o.shape, *o.tree, o.dx);
    const auto plan = workloads::plan_step(graph, o.device.config.limits, settings);
    const auto program = workloads::write_step(plan, testbench::data_base, testbench::data_room(o.common));
    const auto data = workloads::random_values(workloads::with_batch(plan.graph, settings.samples), o.common.seed);
    const auto batch = workloads::shuffled_samples(settings.samples, o.shape.batch, o.common.seed);
    turns.planned();
    simulate(o, program.addresses.end, [&](workloads::fetta_session& session) {
        workloads::place_data(session, plan, program, data, o.rate);
        turns.take(test::graph_description(graph), 1, [&] {
            session.write(program.addresses.list, batch.data(), plan.list_bytes());
            session.run(program.bytes);
        });
    });
}

} // namespace

int sc_main(int argc, char* argv[])
{
    return testbench::run_main(argc, argv, [&](int count, char** arguments) -> int {
        const std::string program = count < 2 ? "" : arguments[1];
        if (program == "tnn_training") {
            if (const auto o = testbench::read_tnn_training_options(count - 1, arguments + 1, std::cout)) { train(*o); }
        } else if (program == "tnn_step") {
            const auto o = testbench::read_tnn_step_options(count - 1, arguments + 1, std::cout);
            if (o && !o->tree) { throw base::input_error("--sequence is estimate, expected one that is known"); }
            if (o) { step(*o); }
        } else {
            throw base::input_error("found '" + program + "', expected tnn_training or tnn_step and its options");
        }
        testbench::leave(arguments[0], testbench::exit_right);
    });
}
