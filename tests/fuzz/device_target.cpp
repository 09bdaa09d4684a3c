// Programs on devices of every kind, in both fidelities: a device never fails itself, both fidelities do the same, and
// what runs to its end, or to an error of its data, does what the reference interpreter does.
//
// All devices are elaborated once; the host of each waits for the next program.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>
#include <systemc>
#include <tensorloom/models/triada/isa/gemt_command.h>
#include "fuzz/device_input.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/fuzzed_variants.h"
#include "fuzz/gemt_reference.h"
#include "models/fetta/hostile_case.h"
#include "models/mmv/hostile_case.h"
#include "models/triada/mesh_config.h"
#include "models/triada/triada_bench.h"
#ifdef TENSORLOOM_FUZZ
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#endif

using namespace tensorloom;
using namespace tensorloom::test;
using isa::error_code;

// libFuzzer has the main(), SystemC calls this from its own.
int sc_main(int, char*[]) { return 0; }

namespace tensorloom::testbench {

// Compiled here, so that the testbeds and all that they stand on are not needed.
template testbed_device<mmv::device_base> make_device<mmv::traits>(const char*, const mmv::config&, unsigned,
                                                                   bus::activity_sink*);
template testbed_device<fetta::device_base> make_device<fetta::traits>(const char*, const fetta::config&, unsigned,
                                                                       bus::activity_sink*);
template testbed_device<triada::device_base> make_device<triada::traits>(const char*, const triada::config&, unsigned,
                                                                         bus::activity_sink*);

} // namespace tensorloom::testbench

namespace {

constexpr std::uint64_t patience_ns = 100'000'000; // of simulated time; all runs together must fit into sc_time

// ---- how much a program asks for ----

constexpr std::uint32_t most_bytes = 8192;   // of a program
constexpr std::uint64_t most_commands = 300; // that run, loops turned round
constexpr std::uint64_t most_runs = 4096;    // pieces of memory that a program moves
constexpr std::uint64_t most_macs = 1u << 16;

/// What the host should not wait for: counts are as if nothing was refused.
struct asked_work {
    std::uint64_t commands = 0;
    std::uint64_t runs = 0;

    bool is_small() const { return commands <= most_commands && runs <= most_runs; }
};

std::uint64_t at_most(std::uint64_t value, std::uint64_t most) { return std::min(value, most); }

/// Loops turned round. `runs_of(command)`: pieces of memory that one execution moves.
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

std::uint64_t runs_of_tensor(const isa::tensor_descriptor& t)
{
    return t.present() && !validate(t) ? isa::descriptor_runs(t).runs() : 0;
}

std::uint64_t runs_of_transfer(const isa::program_command& c)
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
void notify_main_stack()
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
void notify_main_stack() {}
#endif

/// What one program left behind on a device.
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
        notify_main_stack();
        expect(m_done, "a device that nobody hears of again");
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
    if (!bench.cpu().wait_interrupt(patience_ns)) {
        run.timed_out = true;
        driver.abort();
    }
    run.outcome.result = driver.finish(patience_ns);
    bench.collect(run.outcome, driver);
}

/// A device in both fidelities, with the data that programs of a test's case find, and its oracle.
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

// ---- devices with a reference interpreter ----

/// Case: of the suites over device kinds, with what the checks say (models/hostile_programs.h).
template <class Case> class checked_device : twin<typename Case::bench> {
    using bench = typename Case::bench;
    using base = twin<bench>;

public:
    checked_device(const std::string& name, Case c)
        : base(name, c.config(blocks::fidelity::fast, false), c.config(blocks::fidelity::detailed, false)),
          m_case(std::move(c)), m_fill(m_case.maker.program(0))
    {}

    void run(const program_bytes& program)
    {
        if (!asked(program, runs_of_transfer).is_small() || works_long(program)) { return; }
        const auto found = base::run([&](bench& b, auto& r) {
            b.cpu().preload(bench::data_at, m_case.data.data(), m_case.data.size());
            b.driver().reset();
            expect(b.run(m_fill).result.done, "the device cannot be filled");
            run_patiently(b, program, r);
            if (r.timed_out) { return; }
            expect(b.run(m_case.dump()).result.done, "the device cannot be emptied");
            r.memory = b.read(bench::data_at, m_case.memory_bytes());
        });
        if (found) { compare(program, *found); }
    }

private:
    // Nothing after the first that is not whole.
    std::vector<placed_command> whole_commands(const program_bytes& program) const
    {
        std::vector<placed_command> all;
        if (program.size() < isa::program_header::encoded_bytes) { return all; }
        for (const auto& c : isa::program_commands(program)) {
            const auto* const layout = Case::layout_of(c.header);
            if (!c.is_whole() || (layout != nullptr && c.payload_bytes() < layout->bytes())) { break; }
            all.push_back({static_cast<std::size_t>(c.payload - program.data()) - isa::command_header::encoded_bytes,
                           c.index, c.header});
        }
        return all;
    }

    bool works_long(const program_bytes& program) const
    {
        for (const auto& c : whole_commands(program)) {
            if (Case::layout_of(c.header) != nullptr && !m_case.check_error_of(program, c, std::nullopt) &&
                m_case.works_long(program, c)) {
                return true;
            }
        }
        return false;
    }

    bool is_refused(const program_bytes& program) const
    {
        for (const auto& c : whole_commands(program)) {
            if (Case::layout_of(c.header) != nullptr && m_case.check_error_of(program, c, std::nullopt)) {
                return true;
            }
        }
        return false;
    }

    void compare(const program_bytes& program, const typename base::run_type& found) const
    {
        const auto& result = found.outcome.result;
        switch (result.error) {
        case error_code::none:
        case error_code::bad_index:
        case error_code::accumulator_overflow:
        case error_code::arithmetic_overflow:
        case error_code::never_signalled: break;
        default: return; // refused, by checks that suites of their own look at; or outside of memory
        }
        expect(!is_refused(program), "a program was taken that the checks refuse");
        const auto reference = m_case.make_reference();
        reference->run(m_fill);
        const auto end = run_on_reference(m_case, *reference, program);
        if (end.error == error_code::bus_error) { return; } // the reference has less memory
        expect(end.error == result.error && (result.done || end.command == result.error_command),
               "the reference ends otherwise: " + std::string(isa::error_text(end.error)) + " of command " +
                   std::to_string(end.command) + ", the device: " + base::text(result));
        const auto counts = difference<Case>(Case::counted_by_both(found.outcome.counts), end.counts);
        expect(counts.empty(), "other counts than the reference: " + counts);
        expect(Case::cycles_of(found.outcome) == end.cycles, "other cycles than the reference");
        const auto memory = difference(found.memory, end.memory);
        expect(memory.empty(), "other results than the reference: " + memory);
    }

    Case m_case;
    program_bytes m_fill;
};

// ---- TriADA ----

class checked_triada : twin<triada_bench> {
public:
    static constexpr std::uint64_t memory_bytes = 1u << 16;

    checked_triada(const std::string& name, const triada::config& config)
        : twin(name, with(config, blocks::fidelity::fast), with(config, blocks::fidelity::detailed)), m_config(config),
          m_data(memory_bytes)
    {
        std::mt19937_64 random(1);
        for (std::size_t at = 0; at < m_data.size(); ++at) { // small numbers in every format, zeros among them
            m_data[at] = static_cast<std::uint8_t>(random() % 3 == 0 ? 0 : random() % 64);
        }
        for (std::uint32_t i = 0; i < 64; ++i) { m_data[4 * i] = static_cast<std::uint8_t>(i); } // row orders
        for (std::uint32_t i = 0; i < 256; ++i) { m_data[i] = i % 4 == 0 ? m_data[i] : 0; }
    }

    void run(const program_bytes& program)
    {
        if (!asked(program, runs_of_gemt).is_small() || works_long(program)) { return; }
        const auto found = twin::run([&](triada_bench& b, auto& r) {
            b.cpu().preload(triada_bench::data_at, m_data.data(), m_data.size());
            b.driver().reset();
            run_patiently(b, program, r);
            if (!r.timed_out) { r.memory = b.read(triada_bench::data_at, memory_bytes); }
        });
        if (!found || !found->outcome.result.done) { return; }
        auto expected = m_data;
        if (run_gemts(m_config, program, triada_bench::data_at, found->memory, expected)) {
            const auto memory = difference(found->memory, expected);
            expect(memory.empty(), "other results than the reference: " + memory);
        }
    }

private:
    static triada::config with(triada::config config, blocks::fidelity model)
    {
        config.fidelity = model;
        return config;
    }

    template <class Action> static void for_each_gemt(const program_bytes& program, const Action& action)
    {
        if (program.size() < isa::program_header::encoded_bytes) { return; }
        for (const auto& c : isa::program_commands(program)) {
            if (c.is_whole() && c.header.opcode == static_cast<std::uint8_t>(triada::opcode::gemt) &&
                c.payload_bytes() >= triada::gemt_command::payload_bytes) {
                action(triada::gemt_command::decode(c.header.flags, c.payload));
            }
        }
    }
    static std::uint64_t runs_of_gemt(const isa::program_command& c)
    {
        if (c.header.opcode != static_cast<std::uint8_t>(triada::opcode::gemt) ||
            c.payload_bytes() < triada::gemt_command::payload_bytes) {
            return 0;
        }
        const auto g = triada::gemt_command::decode(c.header.flags, c.payload);
        std::uint64_t runs = 0;
        for (const auto* t : {&g.x, &g.y, &g.initial_y, &g.matrix[0], &g.matrix[1], &g.matrix[2]}) {
            runs += at_most(runs_of_tensor(*t), most_runs);
        }
        return runs;
    }
    // Volumes that a run of the reference ends on; the rest is too large for the mesh's tests, too.
    static bool works_long(const program_bytes& program)
    {
        bool is_long = false;
        for_each_gemt(program, [&](const triada::gemt_command& g) {
            std::uint64_t volume = 1;
            for (unsigned m = 0; m < 3; ++m) {
                volume = at_most(volume * at_most(std::max({g.x.size[m], g.y.size[m], 1u}), most_macs), most_macs);
            }
            is_long = is_long || volume > 4096;
        });
        return is_long;
    }

    triada::config m_config;
    program_bytes m_data;
};

// ---- all of them ----

class devices {
public:
    devices()
    {
        sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
        for (const std::uint64_t seed : mmv_variants()) {
            m_mmv.push_back(std::make_unique<checked_device<hostile_mmv_case>>("mmv_" + std::to_string(seed),
                                                                               hostile_mmv_case(seed, 0)));
        }
        for (const auto& limits : fetta_variants()) {
            m_fetta.push_back(std::make_unique<checked_device<hostile_fetta_case>>(
                "fetta_" + std::to_string(m_fetta.size()), hostile_fetta_case(limits, 0)));
        }
        for (const auto format : triada_variants) {
            m_triada.push_back(std::make_unique<checked_triada>("triada_" + std::to_string(m_triada.size()),
                                                                mesh_config({3, 4, 2}, format)));
        }
    }

    void run(const device_input& input)
    {
        switch (input.device) {
        case 0: return m_mmv[input.variant % m_mmv.size()]->run(input.program);
        case 1: return m_fetta[input.variant % m_fetta.size()]->run(input.program);
        default: return m_triada[input.variant % m_triada.size()]->run(input.program);
        }
    }

private:
    std::vector<std::unique_ptr<checked_device<hostile_mmv_case>>> m_mmv;
    std::vector<std::unique_ptr<checked_device<hostile_fetta_case>>> m_fetta;
    std::vector<std::unique_ptr<checked_triada>> m_triada;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes)
{
    static auto& all = *new devices; // as long as the process: tearing a simulation down proves nothing
    auto input = device_input::decode(data, bytes);
    auto& program = input.program;
    if (program.size() < isa::program_header::encoded_bytes) { return 0; }
    // What a device reads: as many bytes as the header says, zeros behind those that there are.
    const auto size = isa::program_header::decode(program.data()).bytes;
    program.resize(std::clamp<std::size_t>(size, isa::program_header::encoded_bytes, most_bytes));
    if (size <= most_bytes) { all.run(input); }
    return 0;
}
