#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <tensorloom/models/activity/activity_files.h>
#include <tensorloom/models/activity/trace_json.h>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/triada/isa/energy.h>
#include <tensorloom/workloads/npy_file.h>
#include "dxt/dxt.h"
#include "dxt/ranks/launch.h"
#include "dxt/ranks/rank_checkpoint.h"
#include "dxt/ranks/rank_group.h"
#include "dxt/ranks/rank_plan.h"
#include "dxt/ranks/slab_transform.h"
#include "platform/process/process_resources.h"
#include "platform/report/testbench_run.h"
#include "platform/triada/triada_counts.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

constexpr const char* stage_phases[] = {"stage_1", "stage_2", "stage_3"};

// The options that determine slabs, and hashes of the files read.
std::string problem_of(const dxt_options& o)
{
    static const std::set<std::string> others{"checkpoint", "resume", "ranks",   "out",     "output",
                                              "quiet",      "config", "threads", "no-check"};
    std::string lines;
    for (const auto& [name, text] : o.given) {
        if (others.count(name) == 0) { lines += "--" + name + " " + text + "\n"; }
    }
    for (const auto& input : o.files.hashed_inputs(o.common)) {
        lines += input.option + " " + input.name + " " + input.sha256 + "\n";
    }
    return lines;
}

// Wall and CPU time of the parts of a run, of one rank.
struct rank_times {
    double load_cpu_s = 0, stages_cpu_s = 0, exchange_cpu_s = 0, waiting_s = 0, checkpoint_s = 0, wall_s = 0;
    std::uint64_t checkpoint_bytes = 0;
};

/// The part of a run that every rank has.
template <class T> class shared_run {
public:
    shared_run(const dxt_options& options, const rank_group& group)
        : m_options(options), m_group(group), m_plan(plan_ranks(options, group.size())),
          m_slab(options, m_plan, group.size(), group.rank())
    {}

    const rank_plan& plan() const { return m_plan; }
    std::uint64_t bytes() const { return slab_transform<T>::bytes(m_options, m_plan, m_group.size()); }

    /// `problem`: of rank 0. `result`: on rank 0 the name under which the result is written.
    void run(const std::string& problem, const std::string& result)
    {
        std::optional<rank_checkpoint> checkpoint;
        unsigned done = 0;
        m_group.together([&] { m_slab.make_matrices(); });
        if (m_options.ranks.checkpoint) {
            checkpoint.emplace(*m_options.ranks.checkpoint, m_group.text_of_first(problem), m_group);
            done = checkpoint->open(m_options.ranks.resume);
            if (m_options.ranks.resume) { m_found.resumed = done; }
        }
        if (done > 0) {
            checkpoint->load(done, [&](base::state_reader& state) { m_slab.read_state(state, done); });
        } else {
            const usage_meter meter;
            m_group.together([&] { m_slab.load(); });
            m_times.load_cpu_s = meter.elapsed().cpu_s;
        }
        run_stages(done, checkpoint);
        gather_counts();
        write_result(m_group.text_of_first(result));
        gather_times();
    }

    /// Of all ranks: of each row that was sent, stage by stage.
    const std::vector<std::vector<arithmetic::product_counts>>& driven() const { return m_driven; }
    const std::vector<streamed_row>& rows(std::size_t stage) const { return m_slab.rows(stage); }
    std::uint64_t saturated_result() const { return m_saturated; }
    const rank_findings& findings() const { return m_found; }
    const process_usage& usage() const { return m_usage; }

private:
    void run_stages(unsigned done, std::optional<rank_checkpoint>& checkpoint)
    {
        const usage_meter whole;
        const auto& stages = m_plan.stages;
        for (std::size_t s = 0; s < stages.size(); ++s) {
            m_found.splits.push_back(stages[s].split + 1);
            const bool other_split = s > 0 && stages[s].split != stages[s - 1].split && m_group.size() > 1;
            if (other_split && s >= done) { exchange(s); }
            if (s < done) { continue; }
            if (m_options.initial && s + 1 == stages.size()) {
                m_group.together([&] { m_slab.load_initial(); });
            }
            const usage_meter meter;
            m_slab.run_stage(s, progress_of(s));
            m_times.stages_cpu_s += meter.elapsed().cpu_s;
            if (!checkpoint) { continue; }
            const usage_meter saving;
            m_times.checkpoint_bytes += checkpoint->save(static_cast<unsigned>(s + 1),
                                                         [&](base::state_writer& state) { m_slab.write_state(state); });
            m_times.checkpoint_s += saving.elapsed().wall_s;
        }
        wait();
        m_times.wall_s = whole.elapsed().wall_s;
        if (shows_progress()) { std::fputs("@\n", stderr); }
    }

    void exchange(std::size_t next)
    {
        wait();
        const usage_meter meter;
        const auto& before = m_plan.stages[next - 1];
        std::uint64_t sent = 0;
        m_slab.exchange(next, [&](std::size_t bytes, const unsigned char* from, unsigned char* to) {
            sent += m_group.cut_again({before.output, before.split}, m_plan.stages[next].split, bytes, from, to);
        });
        const auto used = meter.elapsed();
        m_times.exchange_cpu_s += used.cpu_s;
        m_exchange_s.push_back(used.wall_s);
        m_found.exchanges.push_back({before.position + 1, sent, 0});
    }

    void wait()
    {
        const usage_meter meter;
        m_group.wait();
        m_times.waiting_s += meter.elapsed().wall_s;
    }

    bool shows_progress() const { return m_group.rank() == 0 && std::getenv(progress_variable) != nullptr; }
    std::function<void(double)> progress_of(std::size_t stage) const
    {
        if (!shows_progress()) { return {}; }
        return [this, stage](double done) {
            const double stages = static_cast<double>(m_plan.stages.size());
            std::fprintf(stderr, "@%g %s of rank 0\n", (static_cast<double>(stage) + done) / stages,
                         stage_phases[m_plan.stages[stage].position]);
        };
    }

    // Throws wrong_result on every rank when a sum overflowed.
    void gather_counts()
    {
        bool overflowed = false;
        for (const auto& stage : m_slab.driven()) {
            std::vector<std::uint64_t> numbers;
            for (const auto& c : stage) { numbers.insert(numbers.end(), {c.operands, c.saturated, c.overflowed}); }
            numbers = m_group.sum(numbers);
            auto& sums = m_driven.emplace_back();
            for (std::size_t i = 0; i < numbers.size(); i += 3) {
                sums.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
                overflowed = overflowed || numbers[i + 2] > 0;
            }
        }
        if (overflowed) {
            throw wrong_result(
                "a sum overflows its accumulator, expected numbers or shifts with sums from -2^31 to 2^31 - 1");
        }
    }

    void write_result(const std::string& file)
    {
        const auto shape = m_options.result_shape();
        const bool as_int8 = std::is_same_v<T, std::int8_t> && m_options.result == result_format::element;
        m_group.together([&] {
            if (file.empty() || m_group.rank() != 0) { return; }
            if (as_int8) { return workloads::create_npy<std::int8_t>(file, shape); }
            workloads::create_npy<typename slab_transform<T>::sum>(file, shape);
        });
        std::uint64_t saturated = 0;
        m_group.together([&] {
            saturated = m_slab.unload([&](const workloads::box3& part, const auto& elements) {
                if (!file.empty()) { workloads::write_npy_box(file, part, elements); }
            });
        });
        m_saturated = m_group.sum({saturated}).front();
    }

    void gather_times()
    {
        const usage_meter meter;
        std::vector<double> mine{m_times.load_cpu_s,
                                 m_times.stages_cpu_s + m_times.exchange_cpu_s,
                                 m_times.exchange_cpu_s,
                                 m_times.waiting_s,
                                 m_times.checkpoint_s,
                                 m_times.wall_s,
                                 static_cast<double>(meter.elapsed().peak_rss_bytes),
                                 static_cast<double>(m_times.checkpoint_bytes)};
        const std::size_t exchanges_from = mine.size();
        for (std::size_t e = 0; e < m_exchange_s.size(); ++e) {
            mine.push_back(m_exchange_s[e]);
            mine.push_back(static_cast<double>(m_found.exchanges[e].bytes));
        }
        const auto all = m_group.gather(mine);
        const auto most = [&](std::size_t i) {
            double largest = 0;
            for (const auto& rank : all) { largest = std::max(largest, rank[i]); }
            return largest;
        };
        const auto sum = [&](std::size_t i) {
            double total = 0;
            for (const auto& rank : all) { total += rank[i]; }
            return total;
        };
        m_found.load_cpu_s = most(0);
        m_found.cpu_s = most(1);
        m_found.exchange_cpu_s = most(2);
        m_found.waiting_s = most(3);
        m_found.checkpoint_s = most(4);
        m_found.most_rss_bytes = static_cast<std::uint64_t>(most(6));
        m_found.checkpoint_bytes = static_cast<std::uint64_t>(sum(7));
        for (std::size_t e = 0; e < m_exchange_s.size(); ++e) {
            m_found.exchanges[e].wall_s = most(exchanges_from + 2 * e);
            m_found.exchanges[e].bytes = static_cast<std::uint64_t>(sum(exchanges_from + 2 * e + 1));
        }
        m_usage = {most(5), sum(1), m_found.most_rss_bytes};
    }

    const dxt_options& m_options;
    const rank_group& m_group;
    rank_plan m_plan;
    slab_transform<T> m_slab;
    std::vector<std::vector<arithmetic::product_counts>> m_driven;
    std::uint64_t m_saturated = 0;
    rank_times m_times;
    std::vector<double> m_exchange_s;
    rank_findings m_found;
    process_usage m_usage;
};

/// Rank 0: besides its part, the log of the mesh from the counts of all ranks, costs and report.
template <class T> class first_rank_run : public testbench_run {
public:
    first_rank_run(const dxt_options& options, const rank_group& group, bool& met)
        : m_options(options), m_group(group), m_met(met), m_shared(options, group),
          m_energy_parameters(energy_parameters_of(options.device, options.mesh, options.format)),
          m_log(device_name, options.detail())
    {}

    std::vector<costs::floor_plan> devices(const costs::technology& technology) const override
    {
        return {triada::device_area(technology, m_energy_parameters)};
    }
    void prepare(const costs::technology& technology) override
    {
        m_device_energy = triada::device_energy(technology, m_energy_parameters);
        // A limit on the address space is for each process, the memory of a machine for all that are there.
        const bool is_limited = address_space_left_bytes() != std::numeric_limits<std::uint64_t>::max();
        require_memory(m_shared.bytes() * (is_limited ? 1 : m_group.of_machine()),
                       is_limited ? "more ranks, or a smaller problem" : "more machines, or a smaller problem");
    }
    void simulate(const costs::technology& technology) override
    {
        std::optional<base::atomic_file> place;
        if (m_options.output) { place.emplace(*m_options.output); }
        const auto problem = m_options.ranks.checkpoint ? problem_of(m_options) : "";
        m_group.text_of_first("run");
        m_met = true;
        m_shared.run(problem, place ? place->temporary() : "");
        if (place) { place->commit(); }
        write_log();
        m_energy.emplace(m_log, static_cast<double>(clock_period_ps(m_options.common)) / 1000,
                         std::vector<activity::module_energy>{{device_name, m_device_energy}});
        m_found.on = die_of(technology, devices(technology));
        add_program(m_found.costs, m_log, *m_energy);
        m_found.plan = plan_of(m_options, m_options.mesh);
        m_found.usage = m_shared.usage();
        m_found.ranks = m_shared.findings();
    }
    bool passed() const override { return true; } // not checked
    void write_report(run_report& report) const override { testbench::write_report(report, m_options, m_found, m_log); }
    void write_programs(const output_directory& directory) const override
    {
        const auto utilisation = triada_utilisation();
        activity::write_latency_csv(directory.latency().string(), m_log);
        activity::write_energy_csv(directory.energy().string(), m_log, *m_energy);
        activity::write_trace_json(
            directory.trace().string(), m_log, *m_energy,
            {utilisation.unit, [&](std::size_t record) { return utilisation.share(m_log, record); }});
    }

private:
    void add(bus::log_record record, std::uint64_t cycles, const triada::counts& counts)
    {
        record.during(m_cycle, cycles).with_counts(counts.data());
        m_log.log(device_name, record);
        m_found.active_cell_steps += active_cells(record);
        m_freed += std::string_view(record.cause) == "compute" ? base::freed_cycles::of(base::resource::compute, cycles)
                                                               : base::freed_cycles::of(base::resource::port, cycles);
        m_cycle += cycles;
    }

    // The records of the mesh: matrices in the actuators, transfers through the memory port, and every row.
    void write_log()
    {
        const triada::counts none;
        m_log.attach(device_name, triada::events, none.data());
        m_log.started(device_name, 0);
        add(bus::log_record("fetch"), 0, none);
        add_matrices();
        add_load();
        for (std::size_t s = 0; s < m_shared.plan().stages.size(); ++s) { add_stage(s); }
        add_unload();
        m_log.freed(device_name, m_freed);
        m_log.finished(device_name, m_cycle);
    }
    void add_matrices()
    {
        triada::counts c;
        for (const auto& stage : m_shared.plan().stages) {
            c[triada::event::coefficient_write] +=
                std::uint64_t{m_options.shape[stage.mode]} * m_options.result_shape()[stage.mode];
        }
        add(bus::log_record("matrices"), 0, c);
    }
    static triada::shape3 corner_of(const workloads::shape3& s)
    {
        return {static_cast<std::uint32_t>(s[0]), static_cast<std::uint32_t>(s[1]), static_cast<std::uint32_t>(s[2])};
    }
    std::uint64_t cycles_of(const std::vector<triada::shape3>& corners) const
    {
        const auto& device = m_options.device.config;
        return triada::port_cycles(corners, device.load_elements, device.port_aligner);
    }
    void add_load()
    {
        std::vector<triada::shape3> corners{corner_of(m_options.shape)};
        if (m_options.initial) { corners.push_back(corner_of(m_options.result_shape())); }
        triada::counts c;
        for (const auto& corner : corners) { c[triada::event::element_load] += isa::volume_of(corner); }
        c[triada::event::register_write] = c[triada::event::element_load];
        c[triada::event::load_cycle] = cycles_of(corners);
        add(bus::log_record("load"), c[triada::event::load_cycle], c);
    }
    void add_stage(std::size_t s)
    {
        const auto& stage = m_shared.plan().stages[s];
        triada::stage_lines lines;
        lines.box = corner_of(m_options.box());
        lines.line_cells =
            m_options.device.config.line_extent == triada::line_extent::mesh ? m_options.mesh : lines.box;
        lines.mode = stage.mode;
        lines.x_mode = triada::x_mode_of(m_options.order, stage.position);
        lines.esop = m_options.esop;
        auto driven = m_shared.driven()[s].begin();
        std::uint32_t step = 0;
        for (const auto& row : m_shared.rows(s)) {
            auto record = bus::log_record("compute", stage_phases[stage.position]).with_id(step++).with_detail(row.row);
            if (row.sent == 0) {
                add(record, 0, triada::counts_of_skipped_row(isa::volume_of(lines.box)));
                continue;
            }
            const auto& d = *driven++;
            add(record, m_options.device.config.step_cycles,
                triada::counts_of_step(lines, {row.sent, row.nonzeros, d.operands, d.saturated, d.overflowed}));
        }
    }
    void add_unload()
    {
        triada::counts c;
        const std::vector<triada::shape3> corners{corner_of(m_options.result_shape())};
        c[triada::event::element_unload] = c[triada::event::register_read] = isa::volume_of(corners.front());
        c[triada::event::operand_saturated] = m_shared.saturated_result();
        c[triada::event::unload_cycle] = cycles_of(corners);
        add(bus::log_record("unload"), c[triada::event::unload_cycle], c);
    }

    const dxt_options& m_options;
    const rank_group& m_group;
    bool& m_met;
    shared_run<T> m_shared;
    triada::energy_parameters m_energy_parameters;
    costs::energy_model m_device_energy;
    activity::program_log m_log;
    std::optional<activity::energy_report> m_energy;
    base::freed_cycles m_freed;
    std::uint64_t m_cycle = 0;
    dxt_findings m_found;
};

// The options, for the ranks that MPI has started.
std::optional<dxt_options> read_options(int argc, char** argv, std::ostream& out, const rank_group& group)
{
    auto options = read_dxt_options(argc, argv, out);
    if (options && options->ranks.count != group.size()) {
        base::refuse("--ranks", std::to_string(options->ranks.count),
                     std::to_string(group.size()) + ", the ranks that were started");
    }
    return options;
}

int run_first_rank(int argc, char** argv, const rank_group& group, bool& met)
{
    auto options = read_options(argc, argv, std::cout, group);
    if (!options) { return exit_right; }
    return with_triada_element(options->format, [&](auto element) {
        first_rank_run<decltype(element)> run(*options, group, met);
        return run_to_the_end("dxt", *options, run);
    });
}

// Rank 0 reports what all ranks agree on.
int run_other_rank(int argc, char** argv, const rank_group& group)
{
    std::ostringstream unused;
    const auto options = read_options(argc, argv, unused, group);
    try {
        with_triada_element(options->format, [&](auto element) {
            shared_run<decltype(element)> run(*options, group);
            run.run({}, {});
            return exit_right;
        });
    } catch (const base::input_error&) {
        return exit_bad_input;
    } catch (const wrong_result&) {
        return exit_wrong;
    }
    return exit_right;
}

} // namespace

int sc_main(int argc, char* argv[])
{
    const rank_group group(argc, argv);
    bool met = false; // rank 0 has told the others to run, or not to
    int status = exit_right;
    if (group.rank() == 0) {
        status = run_main(argc, argv,
                          [&](int count, char** arguments) { return run_first_rank(count, arguments, group, met); });
        if (!met) { group.text_of_first("leave"); }
    } else if (group.text_of_first({}) == "run") {
        status =
            run_main(argc, argv, [&](int count, char** arguments) { return run_other_rank(count, arguments, group); });
    }
    if (status == exit_internal) { group.abort(status); }
    return status;
}
