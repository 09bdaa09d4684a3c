#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
#include <systemc>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include "fuzz/fuzz_target.h"
#include "models/random_programs.h"
#ifdef TENSORLOOM_FUZZ
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace tensorloom::test {

using isa::error_code;

// What every program of the target `device` goes through: the device runs it in both fidelities, which must agree.

/// Longest simulated time of a program. All runs together must fit into sc_time.
inline constexpr std::uint64_t program_patience_ns = 100'000'000;

// ---- how much a program asks for ----

inline constexpr std::uint32_t most_bytes = 8192;   // of a program
inline constexpr std::uint64_t most_commands = 300; // that run, each iteration of a loop counted
inline constexpr std::uint64_t most_runs = 4096;    // pieces of memory that a program moves
inline constexpr std::uint64_t most_macs = 1u << 16;

/// What a program asks for, as if the device refused nothing. The host skips programs that ask for too much.
struct asked_work {
    std::uint64_t commands = 0;
    std::uint64_t runs = 0;

    bool is_small() const { return commands <= most_commands && runs <= most_runs; }
};

inline std::uint64_t at_most(std::uint64_t value, std::uint64_t most) { return std::min(value, most); }

/// Counts every iteration of a loop. `runs_of(command)`: pieces of memory that one execution moves.
template <class Runs> asked_work asked(const program_bytes& program, const Runs& runs_of)
{
    asked_work work;
    if (program.size() < isa::program_header::encoded_bytes) { return work; }
    constexpr std::uint64_t many = 1u << 20;
    std::vector<std::uint64_t> times{1};
    for (const auto& c : isa::program_commands(program)) {
        if (!c.is_whole()) { break; }
        work.commands = at_most(work.commands + times.back(), many);
        if (c.header.opcode == static_cast<std::uint8_t>(isa::opcode::loop) &&
            c.payload_bytes() >= isa::loop_command::payload_bytes) {
            const std::uint64_t count = isa::loop_command::decode(c.payload).count;
            times.push_back(at_most(times.back() * at_most(count, many), many));
        } else if (c.header.opcode == static_cast<std::uint8_t>(isa::opcode::end) && times.size() > 1) {
            times.pop_back();
        } else {
            work.runs = at_most(work.runs + times.back() * at_most(runs_of(c), many), many * many);
        }
    }
    return work;
}

inline std::uint64_t runs_of_tensor(const isa::tensor_descriptor& t)
{
    return t.present() && !validate(t) ? isa::descriptor_runs(t).runs() : 0;
}

inline std::uint64_t runs_of_transfer(const isa::program_command& c)
{
    if (c.header.opcode == static_cast<std::uint8_t>(isa::opcode::gather)) {
        if (c.payload_bytes() < isa::gather_command::payload_bytes) { return 0; }
        auto t = isa::gather_command::decode(c.payload).tensor;
        const std::uint64_t slices = t.size[0];
        t.size[0] = 1; // a run of each, or more
        t.stride[0] = 0;
        return slices * runs_of_tensor(t);
    }
    const bool moves = c.header.opcode == static_cast<std::uint8_t>(isa::opcode::load) ||
                       c.header.opcode == static_cast<std::uint8_t>(isa::opcode::store);
    if (!moves || c.payload_bytes() < isa::transfer_command::payload_bytes) { return 0; }
    return runs_of_tensor(isa::transfer_command::decode(c.payload).tensor);
}

// ---- a device that waits for programs ----

#ifdef TENSORLOOM_FUZZ
// SystemC does not tell the address sanitizer where the main stack is; without that it finds faults where exceptions
// have passed (tests/support/asan_coroutines.cpp).
inline void tell_main_stack()
{
    static const auto stack = [] {
        std::pair<void*, std::size_t> found;
        pthread_attr_t attributes;
        expect(pthread_getattr_np(pthread_self(), &attributes) == 0, "a thread without attributes");
        pthread_attr_getstack(&attributes, &found.first, &found.second);
        pthread_attr_destroy(&attributes);
        return found;
    }();
    void* left = nullptr;
    __sanitizer_start_switch_fiber(&left, stack.first, stack.second);
    __sanitizer_finish_switch_fiber(left, nullptr, nullptr);
}
#else
inline void tell_main_stack() {}
#endif

/// The outcome of one program on a device.
template <class Outcome> struct device_run {
    Outcome outcome;
    bool timed_out = false;
    program_bytes memory;
};

template <class Bench> class serving_device {
public:
    using outcome_type = typename Bench::outcome_type;
    using job_type = std::function<void(Bench&, device_run<outcome_type>&)>;

    template <class Config>
    serving_device(const std::string& name, const Config& config)
        : m_asked((name + "_asked").c_str()),
          m_bench(name, config, [this](auto& bench) { serve(static_cast<Bench&>(bench)); })
    {}

    /// Runs a job of the host to its end.
    device_run<outcome_type> run(const job_type& job)
    {
        m_job = &job;
        m_done = false;
        m_run = {};
        m_asked.notify(sc_core::SC_ZERO_TIME);
        sc_core::sc_start();
        tell_main_stack();
        expect(m_done, "a device that never answers");
        return std::move(m_run);
    }

private:
    void serve(Bench& bench)
    {
        for (;;) {
            while (m_job == nullptr) { sc_core::wait(m_asked); }
            (*m_job)(bench, m_run);
            bench.cpu().fence();
            m_job = nullptr;
            m_done = true;
        }
    }

    sc_core::sc_event m_asked;
    const job_type* m_job = nullptr;
    bool m_done = false;
    device_run<outcome_type> m_run;
    Bench m_bench;
};

/// Runs a program; one that takes too long is aborted.
template <class Bench>
void run_patiently(Bench& bench, const program_bytes& program, device_run<typename Bench::outcome_type>& run)
{
    auto driver = bench.driver();
    bench.cpu().write_block(Bench::program_at, program.data(), program.size());
    bench.cpu().fence();
    driver.start(Bench::program_at);
    if (!bench.cpu().wait_interrupt(program_patience_ns)) {
        run.timed_out = true;
        driver.abort();
    }
    run.outcome.result = driver.finish(program_patience_ns);
    bench.collect(run.outcome, driver);
}

/// A device in both fidelities.
template <class Bench> class twin {
public:
    template <class Config>
    twin(const std::string& name, const Config& fast, const Config& detailed)
        : m_fast(name + "_fast", fast), m_detailed(name + "_detailed", detailed)
    {}

protected:
    using run_type = device_run<typename Bench::outcome_type>;

    /// In both fidelities; nothing when it was too long for the host.
    std::optional<run_type> run(const typename serving_device<Bench>::job_type& job)
    {
        run_type fast = m_fast.run(job), detailed = m_detailed.run(job);
        expect(fast.timed_out == detailed.timed_out, "one fidelity takes longer than the other");
        if (fast.timed_out) { return std::nullopt; }
        const auto& a = fast.outcome.result;
        const auto& b = detailed.outcome.result;
        expect(a.done == (a.error == error_code::none), "done with an error, or neither");
        expect(std::tie(a.error, a.error_command, a.error_address, a.error_response, a.cycles) ==
                   std::tie(b.error, b.error_command, b.error_address, b.error_response, b.cycles),
               "the fidelities end differently: " + text(a) + " and " + text(b));
        expect(fast.outcome.rows == detailed.outcome.rows, "the fidelities log other rows");
        expect(fast.memory == detailed.memory, "the fidelities have other results");
        return fast;
    }

    static std::string text(const isa::program_result& r)
    {
        return std::string(isa::error_text(r.error)) + " of command " + std::to_string(r.error_command) + " in " +
               std::to_string(r.cycles) + " cycles";
    }

private:
    serving_device<Bench> m_fast, m_detailed;
};

} // namespace tensorloom::test
