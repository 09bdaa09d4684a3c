#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>
#include <tensorloom/workloads/npy_file.h>
#include "dxt/dxt.h"
#include "dxt/ranks/launch.h"
#include "dxt/ranks/rank_checkpoint.h"
#include "dxt/ranks/rank_group.h"
#include "dxt/ranks/rank_plan.h"
#include "dxt/ranks/slab_transform.h"
#include "platform/process/main.h"
#include "platform/process/process_resources.h"

namespace tensorloom::testbench {

/// Names of stages in a log.
inline constexpr const char* stage_phases[] = {"stage_1", "stage_2", "stage_3"};

/// The part of a run that every rank has: its slab from X to the result, exchanges, checkpoints, and the sums of counts
/// and times over all ranks. All functions but those that return what was found are collective.
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

    /// Products of each row that was sent, summed over all ranks, by stage.
    const std::vector<std::vector<arithmetic::product_counts>>& driven() const { return m_driven; }
    const std::vector<streamed_row>& rows(std::size_t stage) const { return m_slab.rows(stage); }
    std::uint64_t saturated_result() const { return m_saturated; }
    const rank_findings& findings() const { return m_found; }
    const process_usage& usage() const { return m_usage; }

private:
    // Time that this rank spent in each part of a run.
    struct times {
        double load_cpu_s = 0, stages_cpu_s = 0, exchange_cpu_s = 0, waiting_s = 0, checkpoint_s = 0, wall_s = 0;
        std::uint64_t checkpoint_bytes = 0;
    };

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
    times m_times;
    std::vector<double> m_exchange_s;
    rank_findings m_found;
    process_usage m_usage;
};

} // namespace tensorloom::testbench
