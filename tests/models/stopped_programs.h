#pragma once
#include <cstdint>
#include <optional>
#include <ostream>
#include <tuple>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/isa/program/register_map.h>
#include "models/random_programs.h"

namespace tensorloom::test {

enum class how { abort, reset };
inline void PrintTo(how h, std::ostream* out) { *out << (h == how::abort ? "abort" : "reset"); }

/// A piece of memory on the bus.
struct memory_piece {
    std::uint64_t at = 0;
    std::uint64_t bytes = 0;
};

/// A program that works on some data in every unit, and one that shows what a stop leaves in the device's memory.
struct stopped_job {
    program_bytes data;
    program_bytes program;
    memory_piece stored;         ///< by the program
    program_bytes show;          ///< none of a device that keeps nothing
    memory_piece shown;          ///< by it
    bool counters_first = false; ///< are read before the stop is asked for, which takes its time
};

template <class Bench> struct stopped_program {
    typename Bench::outcome_type asked; ///< as the stop was asked for
    typename Bench::outcome_type stopped;
    std::uint32_t status_after = 0;
    program_bytes local;               ///< the device's memory after the stop
    typename Bench::outcome_type next; ///< the same program, run again afterwards
    program_bytes stored;              ///< by it
};

/// Starts the program, asks for the stop some picoseconds after START, and runs the program again. Never: runs it
/// alone.
template <class Bench>
typename Bench::program_type stopping(const stopped_job& job, how stop, std::optional<std::uint64_t> after_ps,
                                      stopped_program<Bench>& s)
{
    return [&job, stop, after_ps, &s](Bench& b) {
        b.cpu().preload(Bench::data_at, job.data.data(), job.data.size());
        if (after_ps) {
            auto driver = b.driver();
            b.cpu().write_block(Bench::program_at, job.program.data(), job.program.size());
            driver.start(Bench::program_at);
            wait(sc_core::sc_time(static_cast<double>(*after_ps), sc_core::SC_PS));
            if (job.counters_first) { b.collect(s.asked, driver); }
            if (stop == how::abort) {
                driver.abort();
                s.stopped.result = driver.finish(Bench::timeout_ns);
                b.collect(s.stopped, driver);
            } else {
                driver.reset();
            }
            do {
                s.status_after = driver.read(isa::reg::status);
            } while (stop == how::reset && (s.status_after & isa::status_busy) != 0);
            if (!job.show.empty()) { b.run(job.show); }
            s.local = b.read(job.shown.at, job.shown.bytes);
        }
        s.next = b.run(job.program);
        s.stored = b.read(job.stored.at, job.stored.bytes);
    };
}

/// Both stop at the same time, a reset clears the device's memory, and the next program is as on a fresh device.
template <class Bench>
void expect_same_stop(how stop, const stopped_program<Bench>& one, const stopped_program<Bench>& other,
                      const stopped_program<Bench>& fresh)
{
    EXPECT_EQ(one.stopped.result.aborted, stop == how::abort);
    EXPECT_EQ(one.status_after, stop == how::abort ? isa::status_error | isa::status_aborted : 0u);
    EXPECT_EQ(other.status_after, one.status_after);
    EXPECT_EQ(one.stopped.result.cycles, other.stopped.result.cycles);
    EXPECT_TRUE(one.stopped.rows == other.stopped.rows);
    EXPECT_TRUE(one.stopped.window == other.stopped.window);
    EXPECT_TRUE(one.asked.window == other.asked.window);
    EXPECT_EQ(one.stopped.logged_cycles(), one.stopped.result.cycles);
    EXPECT_TRUE(fresh.next.result.done);
    for (const auto* s : {&one, &other}) {
        if (stop == how::reset) { EXPECT_TRUE(s->local == program_bytes(s->local.size())); }
        EXPECT_TRUE(s->next.rows == fresh.next.rows);
        EXPECT_TRUE(s->next.window == fresh.next.window);
        EXPECT_EQ(s->next.result.cycles, fresh.next.result.cycles);
        EXPECT_TRUE(s->stored == fresh.stored);
    }
}

} // namespace tensorloom::test
