#pragma once
#include <numeric>
#include <random>
#include "models/shell/mixer_program.h"
#include "models/shell/shell_run_test.h"

namespace tensorloom::test {

using mixer_bench = device_bench<mixer_device>;

inline constexpr std::uint64_t mixer_data_at = mixer_bench::memory_at + 0x8000;

inline shell::shell_config mixer_settings(bool overlap)
{
    auto c = mixer_bench::settings();
    c.overlap = overlap;
    return c;
}

/// Different bytes in both memories, the same each time.
inline void fill_memories(mixer_bench& b)
{
    std::mt19937 random(5);
    for (auto& byte : b.device.memory) { byte = static_cast<unsigned char>(random()); }
    for (auto& byte : b.memory.bytes) { byte = static_cast<unsigned char>(random()); }
}

inline two_memories memories_of(const mixer_bench& b)
{
    return {b.device.memory, b.memory.bytes, mixer_bench::memory_at};
}

/// What became of a program.
struct mixer_run {
    std::uint32_t status = 0;
    isa::error_code error = isa::error_code::none;
    std::uint32_t error_command = 0;
    std::uint32_t commands_done = 0;
    std::uint32_t token = 0;
    std::uint64_t cycles = 0; ///< after the fetch
    base::freed_cycles freed; ///< with the fetch
    two_memories memories;
    std::vector<kept_record> records; ///< after the fetch; start cycles count from its end

    std::uint64_t cycles_logged() const
    {
        return std::accumulate(records.begin(), records.end(), std::uint64_t{0},
                               [](std::uint64_t n, const kept_record& r) { return n + r.cycles; });
    }
    std::uint64_t count(std::size_t event) const
    {
        return std::accumulate(records.begin(), records.end(), std::uint64_t{0},
                               [=](std::uint64_t n, const kept_record& r) { return n + r.counts[event]; });
    }
};

/// Runs a program that has been started, to its end.
inline mixer_run end_of_run(mixer_bench& b, const std::vector<std::uint8_t>& program)
{
    namespace reg = isa::reg;
    EXPECT_TRUE(b.poll_end());
    mixer_run r;
    r.status = b.read(reg::status);
    r.error = b.error();
    r.error_command = b.read(reg::error_command);
    r.commands_done = b.read(reg::commands_done);
    r.token = b.read(reg::token);
    r.cycles = b.read_pair(reg::cycles_lo) - fetch_cycles(program);
    r.memories = memories_of(b);
    r.records = b.kept.records;
    r.freed = b.kept.freed_cycles;
    b.kept.records.clear();
    if (!r.records.empty()) { r.records.erase(r.records.begin()); }
    for (auto& record : r.records) { record.start_cycle -= fetch_cycles(program); }
    return r;
}
inline mixer_run run_mixer(mixer_bench& b, const std::vector<std::uint8_t>& program)
{
    b.start(program);
    return end_of_run(b, program);
}

/// The fixture of tests in which one processor program runs on one mixer device.
class mixer_run_test : public bench_run_test<mixer_bench> {
protected:
    /// With overlap or without.
    explicit mixer_run_test(bool overlap) : m_settings(mixer_settings(overlap)) {}

    void run(mixer_bench::program_type program) { bench_run_test::run(m_settings, std::move(program)); }
    mixer_run run(const program_steps& steps)
    {
        mixer_run r;
        run([&](mixer_bench& b) { r = run_mixer(b, program_bytes(steps)); });
        return r;
    }

private:
    shell::shell_config m_settings;
};

/// The same for tests over parameters, and for tests of both: the parameter is the overlap.
template <bool Overlap, class T>
class mixer_run_test_with_param : public mixer_run_test, public ::testing::WithParamInterface<T> {
protected:
    mixer_run_test_with_param() : mixer_run_test(Overlap) {}
};
class either_mixer_test : public mixer_run_test, public ::testing::WithParamInterface<bool> {
protected:
    either_mixer_test() : mixer_run_test(GetParam()) {}
};

/// Random programs of all that a program can hold, to be run by a mixer device: nested loops, transfers with strides,
/// signals.
class mixer_programs {
public:
    explicit mixer_programs(unsigned seed) : m_random(seed) {}

    program_steps draw(unsigned depth = 0)
    {
        program_steps steps;
        const unsigned n = between(depth == 0 ? 3 : 1, depth == 0 ? 9 : 4);
        for (unsigned i = 0; i < n; ++i) { draw_into(steps, depth); }
        return steps;
    }

private:
    unsigned below(unsigned n) { return static_cast<unsigned>(m_random() % n); }
    unsigned between(unsigned least, unsigned most) { return least + below(most - least + 1); }
    int step() { return static_cast<int>(below(9)) - 4; }

    void draw_into(program_steps& to, unsigned depth)
    {
        program_step s;
        const unsigned kind = below(16);
        if (kind < 7) {
            s.code = mixer_device::mix;
            s.mix = {below(3), below(30), between(32, 160), below(17), between(32, 160), below(17), {step(), step()}};
        } else if (kind < 11) {
            s.code = kind < 9 ? isa::opcode::load : isa::opcode::store;
            s.transfer = draw_transfer();
        } else if (kind < 13 && depth < 4) {
            s.code = isa::opcode::loop;
            s.count = between(1, 3);
            s.body = draw(depth + 1);
        } else if (kind < 14) {
            s.code = isa::opcode::signal;
            s.signal = m_signal;
            to.push_back(s);
            m_signal = (m_signal + 1) % isa::signal_count;
            for (unsigned n = below(3); n > 0; --n) { draw_into(to, 4); }
            s.code = isa::opcode::wait;
        } else {
            s.code = kind == 14 ? isa::opcode::irq : isa::opcode::nop;
        }
        to.push_back(s);
    }

    isa::transfer_command draw_transfer()
    {
        isa::transfer_command t;
        t.tensor = isa::dense_descriptor(mixer_data_at + 0x400 + 4 * below(64), base::element_type::int32,
                                         {between(1, 2), between(1, 3), between(1, 2)});
        for (unsigned m = 0; m < 3; ++m) {
            if (below(2) == 0) { t.tensor.stride[m] = static_cast<std::int64_t>(below(13)) - 6; }
        }
        t.tensor_step = {4 * step(), 4 * step()};
        t.local = between(32, 160);
        t.local_step = {step(), step()};
        return t;
    }

    std::mt19937 m_random;
    unsigned m_signal = 0;
};

} // namespace tensorloom::test
