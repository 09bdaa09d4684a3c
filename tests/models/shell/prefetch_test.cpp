// Programs that are fetched while their commands run: the values of a program that is fetched whole first, the times of
// bytes that arrive, and what becomes of programs that turn out to be malformed.
#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>
#include <gmock/gmock.h>
#include "models/shell/mixer_bench.h"

namespace tensorloom::test {
namespace {

namespace reg = isa::reg;
using isa::error_code;
using isa::opcode;
using testing::ElementsAre;

shell::shell_config prefetching(bool overlap, std::uint32_t piece_bytes)
{
    auto c = mixer_settings(overlap);
    c.program_prefetch = piece_bytes;
    return c;
}

// What a program leaves to be seen.
struct end_state {
    std::uint32_t status, commands_done, token, error_command;
    error_code error;
    std::uint64_t cycles;
    two_memories memories;
    std::vector<kept_record> records;

    std::uint64_t cycles_of(const std::string& cause) const
    {
        return std::accumulate(records.begin(), records.end(), std::uint64_t{0}, [&](std::uint64_t n, const auto& r) {
            return n + (cause.empty() || r.cause == cause ? r.cycles : 0);
        });
    }
};

end_state end_of(mixer_bench& b)
{
    EXPECT_TRUE(b.poll_end());
    end_state e{b.read(reg::status), b.read(reg::commands_done),  b.read(reg::token), b.read(reg::error_command),
                b.error(),           b.read_pair(reg::cycles_lo), memories_of(b),     b.kept.records};
    b.kept.records.clear();
    EXPECT_EQ(e.cycles_of(""), e.cycles);
    return e;
}
end_state run_program(mixer_bench& b, const std::vector<std::uint8_t>& program)
{
    fill_memories(b);
    b.start(program);
    return end_of(b);
}

program_step mix_for(std::uint32_t cycles, std::uint32_t unit = 0)
{
    return {mixer_device::mix, {unit, cycles, 0, 16, 16 + 16 * unit, 16, {}}, {}, 0, 0, {}};
}
program_step load_of(std::uint32_t words)
{
    program_step s;
    s.code = opcode::load;
    s.transfer.tensor = isa::dense_descriptor(mixer_data_at, base::element_type::int32, {words});
    return s;
}

class prefetch_test : public bench_run_test<mixer_bench> {
protected:
    void run_prefetching(bool overlap, std::uint32_t piece_bytes, mixer_bench::program_type program)
    {
        run(prefetching(overlap, piece_bytes), std::move(program));
    }
};

// ---- programs that are fine ----

using bus::dma_transport;
class random_prefetch : public prefetch_test,
                        public testing::WithParamInterface<std::tuple<bool, std::uint32_t, dma_transport, unsigned>> {};

TEST_P(random_prefetch, has_the_values_of_one_command_at_a_time)
{
    const auto [overlap, piece, transport, seed] = GetParam();
    auto config = prefetching(overlap, piece);
    config.dma.transport = transport;
    run(config, [overlap = overlap, piece = piece, seed = seed](mixer_bench& b) {
        mixer_programs programs(3000 + seed);
        for (int i = 0; i < 12; ++i) {
            const auto steps = programs.draw();
            const auto program = program_bytes(steps);
            if (program.size() > 4096) { continue; }
            fill_memories(b);
            b.place(program);
            auto expected = memories_of(b);
            const auto all = unrolled(steps);
            std::uint64_t one_at_a_time = fetch_cycles(program);
            for (const auto& e : all) {
                execute_plainly(e, expected);
                one_at_a_time += duration(e);
            }
            const auto whole_first = fetch_cycles(program) + (overlap ? schedule(all).total : 0);
            b.start(program);
            const auto e = end_of(b);
            EXPECT_EQ(e.status, isa::status_done);
            EXPECT_EQ(e.memories.local, expected.local);
            EXPECT_EQ(e.memories.bus, expected.bus);
            EXPECT_EQ(e.commands_done, all.size());
            EXPECT_EQ(e.token, 100 + all.back().index);
            EXPECT_GE(e.cycles, fetch_cycles(program));
            if (piece >= program.size()) { EXPECT_LE(e.cycles, overlap ? whole_first : one_at_a_time); }
        }
    });
}

INSTANTIATE_TEST_SUITE_P(pieces, random_prefetch,
                         testing::Combine(testing::Bool(), testing::Values(16u, 80u, 4096u),
                                          testing::Values(dma_transport::blocking, dma_transport::non_blocking),
                                          testing::Range(0u, 4u)));

// The header is there at 4 cycles and 16 bytes 4 cycles later; a MIX has 48 bytes and begins when the header behind it
// has come, too: at 20, 32, 44; the last one, with nothing behind it, at 52.
TEST_F(prefetch_test, commands_begin_as_they_arrive)
{
    run_prefetching(true, 4096, [](mixer_bench& b) {
        const auto e = run_program(b, program_bytes({mix_for(5), mix_for(5), mix_for(5), mix_for(5)}));
        EXPECT_EQ(e.cycles, 57u);
        std::vector<std::string> rows;
        for (const auto& r : e.records) {
            if (r.cycles > 0) {
                rows.push_back(r.cause + std::to_string(r.command) + " " + std::to_string(r.start_cycle));
            }
        }
        EXPECT_THAT(rows, ElementsAre("fetch0 0", "fetch0 8", "fetch1 20", "fetch2 32", "fetch3 44", "fill3 52",
                                      "mix3 53", "drain3 56"));
    });
}

TEST_F(prefetch_test, fetch_hides_behind_long_commands)
{
    run_prefetching(true, 4096, [](mixer_bench& b) {
        const auto e = run_program(b, program_bytes({mix_for(30), mix_for(30), mix_for(30), mix_for(30)}));
        EXPECT_EQ(e.cycles, 20u + 4 * 30u);
        EXPECT_EQ(e.cycles_of("fetch"), 32u); // at 20 the second one has not come; the first works beside that
    });
}

TEST_F(prefetch_test, whole_program_first_when_it_is_off)
{
    run_prefetching(true, 0, [](mixer_bench& b) {
        const auto e = run_program(b, program_bytes({mix_for(30), mix_for(30), mix_for(30), mix_for(30)}));
        EXPECT_EQ(e.cycles, 52u + 4 * 30u);
        EXPECT_EQ(e.cycles_of("fetch"), 52u);
    });
}

// A loop is fetched once: 3 turns of a MIX and a cycle for END.
TEST_F(prefetch_test, loop_runs_from_what_has_been_fetched)
{
    run_prefetching(false, 4096, [](mixer_bench& b) {
        program_step loop = plain(opcode::loop);
        loop.count = 3;
        loop.body = {mix_for(5)};
        const auto program = program_bytes({loop});
        const auto e = run_program(b, program);
        EXPECT_EQ(e.cycles, fetch_cycles(program) + 5 + 2 * 6 + 1);
        EXPECT_EQ(b.memory.log.size(), program.size() / 16);
    });
}

// Between two pieces a LOAD has the DMA, when it wants it in the middle of the cycle behind the first one.
TEST_F(prefetch_test, transfers_come_between_pieces)
{
    constexpr std::uint32_t piece = 16 + isa::transfer_command::payload_bytes + 16; // a LOAD, and the header behind it
    run_prefetching(true, piece, [](mixer_bench& b) {
        const auto program = program_bytes({load_of(8), mix_for(5), mix_for(5), mix_for(5), mix_for(5)});
        ASSERT_GT(program.size(), 16u + piece);
        const auto e = run_program(b, program);
        EXPECT_EQ(e.status, isa::status_done);
        std::vector<std::uint64_t> expected;
        const auto bursts = [&](std::uint64_t first, std::uint64_t end) {
            for (std::uint64_t at = first; at < end; at += 16) { expected.push_back(at); }
        };
        bursts(mixer_bench::memory_at, mixer_bench::memory_at + 16 + piece);
        bursts(mixer_data_at, mixer_data_at + 32);
        bursts(mixer_bench::memory_at + 16 + piece, mixer_bench::memory_at + program.size());
        EXPECT_EQ(b.memory.addresses(), expected);
    });
}

// ---- programs that are not ----

// Commands before the malformed one have run, and only those.
TEST_F(prefetch_test, malformed_command_ends_the_program_where_it_is_reached)
{
    run_prefetching(true, 4096, [](mixer_bench& b) {
        const std::vector<program_step> steps{mix_for(5), mix_for(5, 1), plain(opcode::nop), mix_for(5, 2)};
        const auto fine = run_program(b, program_bytes({steps[0], steps[1]}));
        auto program = program_bytes(steps);
        program[16 + 2 * 48 + 2] = 1; // a flag of the NOP
        const auto e = run_program(b, program);
        EXPECT_EQ(e.status, isa::status_error);
        EXPECT_EQ(e.error, error_code::bad_command);
        EXPECT_EQ(e.error_command, 2u);
        EXPECT_EQ(e.commands_done, 2u);
        EXPECT_EQ(e.memories.local, fine.memories.local);
        EXPECT_EQ(run_program(b, program_bytes({steps[0], steps[1]})).memories.local, fine.memories.local);
    });
}

TEST_F(prefetch_test, headers_and_loops_are_checked_as_they_come)
{
    run_prefetching(true, 4096, [](mixer_bench& b) {
        const auto expect = [&](const std::vector<std::uint8_t>& program, error_code code, std::uint32_t command,
                                std::uint32_t done) {
            const auto e = run_program(b, program);
            EXPECT_EQ(e.error, code);
            EXPECT_EQ(e.error_command, command);
            EXPECT_EQ(e.commands_done, done);
        };
        program_step loop = plain(opcode::loop);
        loop.count = 2;
        const auto fine = program_bytes({mix_for(5), plain(opcode::nop)});
        const auto spoiled = [&](std::size_t at, std::uint32_t value) {
            auto p = fine;
            base::store_le(p.data() + at, value);
            return p;
        };
        expect(spoiled(16 + 48 + 4, 8), error_code::bad_command, 1, 1);  // a length below a header
        expect(spoiled(16 + 48 + 4, 64), error_code::bad_command, 1, 1); // ... past the end
        expect(spoiled(8, 1), error_code::bad_program, 1, 1);            // a command too few
        expect(spoiled(8, 3), error_code::bad_program, 2, 2);            // ... too many
        expect(spoiled(12, 16), error_code::bad_program, 0, 0);          // a header alone
        expect(spoiled(0, 0), error_code::bad_program, 0, 0);            // magic
        expect(isa::program_builder().bytes(), error_code::none, 0, 0);  // nothing to do
        expect(program_bytes({mix_for(5), plain(opcode::end)}), error_code::bad_command, 1, 1);
        auto open = program_bytes({loop});
        open = isa::program_builder().add(opcode::nop).add(opcode::loop, 0, 0, isa::loop_command{2}.encode()).bytes();
        expect(open, error_code::bad_command, 1, 2); // a LOOP without END has run, as far as there is something to run
    });
}

// A random program with a byte of one of its headers changed.
std::vector<std::uint8_t> spoiled_program(mixer_programs& programs, std::mt19937& random)
{
    auto program = program_bytes(programs.draw());
    std::vector<std::size_t> headers{0};
    for (const auto& c : isa::program_commands(program)) {
        headers.push_back(static_cast<std::size_t>(c.payload - program.data()) - isa::command_header::encoded_bytes);
    }
    program[headers[random() % headers.size()] + random() % 16] ^= static_cast<std::uint8_t>(1u << random() % 8);
    return program;
}

class spoiled_prefetch : public sim_test, public testing::WithParamInterface<std::tuple<bool, unsigned>> {};

// As on a device that fetches them whole, but that commands before the malformed one have run; so they may have ended
// the program before it.
TEST_P(spoiled_prefetch, ends_with_the_error_of_the_whole_program_or_before_it)
{
    const auto [overlap, seed] = GetParam();
    std::mt19937 random(seed);
    mixer_programs programs(7000 + seed);
    std::vector<std::vector<std::uint8_t>> spoiled;
    while (spoiled.size() < 40) {
        auto program = spoiled_program(programs, random);
        if (program.size() <= 4096) { spoiled.push_back(std::move(program)); }
    }
    std::vector<end_state> ends[2];
    const auto run_all = [&](std::vector<end_state>& to) {
        return [&](mixer_bench& b) {
            for (const auto& program : spoiled) { to.push_back(run_program(b, program)); }
        };
    };
    mixer_bench whole("whole", run_all(ends[0]), prefetching(overlap, 0));
    mixer_bench arriving("arriving", run_all(ends[1]), prefetching(overlap, 64));
    sc_core::sc_start();
    ASSERT_TRUE(whole.finished() && arriving.finished());
    unsigned refused = 0;
    for (std::size_t p = 0; p < spoiled.size(); ++p) {
        SCOPED_TRACE("program " + std::to_string(p));
        const auto &expected = ends[0][p], &found = ends[1][p];
        if (expected.error == error_code::none) {
            EXPECT_EQ(found.status, expected.status);
            EXPECT_EQ(found.commands_done, expected.commands_done);
            EXPECT_EQ(found.memories.local, expected.memories.local);
            EXPECT_EQ(found.memories.bus, expected.memories.bus);
            continue;
        }
        refused += expected.commands_done == 0 ? 1 : 0;
        if (found.status == isa::status_done) {
            EXPECT_GT(found.commands_done, 0u); // the last of them a HALT
        } else if (found.error_command >= expected.error_command) {
            EXPECT_EQ(found.error_command, expected.error_command);
            EXPECT_EQ(found.error, expected.error);
        }
    }
    EXPECT_GT(refused, 10u); // the programs are worth it
}

INSTANTIATE_TEST_SUITE_P(seeds, spoiled_prefetch, testing::Combine(testing::Bool(), testing::Range(0u, 6u)));

TEST_F(prefetch_test, what_lies_behind_a_halt_is_not_looked_at)
{
    run_prefetching(true, 4096, [](mixer_bench& b) {
        auto program = program_bytes({mix_for(5), plain(opcode::halt), plain(opcode::nop), plain(opcode::nop)});
        program[16 + 48 + 16 + 2] = 1;
        EXPECT_EQ(run_program(b, program).status, isa::status_done);
        b.memory.intercept = [&](tlm::tlm_generic_payload& t, sc_core::sc_time&) {
            if (t.get_address() == mixer_bench::memory_at + 16 + 48 + 16 + 16) {
                t.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
            }
        };
        EXPECT_EQ(run_program(b, program).status, isa::status_done);
    });
}

TEST_F(prefetch_test, bus_error_is_that_of_the_first_command_that_does_not_arrive)
{
    run_prefetching(true, 64, [](mixer_bench& b) {
        constexpr std::uint64_t bad = mixer_bench::memory_at + 16 + 2 * 48;
        b.memory.intercept = [](tlm::tlm_generic_payload& t, sc_core::sc_time&) {
            if (t.get_address() == bad) { t.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE); }
        };
        const auto e = run_program(b, program_bytes({mix_for(5), mix_for(5), mix_for(5), mix_for(5)}));
        EXPECT_EQ(e.error, error_code::bus_error);
        EXPECT_EQ(e.error_command, 1u); // the header behind it did not come
        EXPECT_EQ(b.read_pair(reg::error_addr_lo), bad);
        EXPECT_EQ(e.commands_done, 1u);
        b.memory.intercept = nullptr;
        EXPECT_EQ(run_program(b, program_bytes({mix_for(5)})).status, isa::status_done);
    });
}

// ---- stops ----

class stopped_prefetch : public prefetch_test, public testing::WithParamInterface<bool> {};

TEST_P(stopped_prefetch, ends_soon_and_leaves_a_device_that_runs_the_next_program)
{
    run_prefetching(GetParam(), 48, [](mixer_bench& b) {
        const auto program =
            program_bytes({mix_for(7), load_of(8), mix_for(7, 1), mix_for(3), mix_for(7, 2), load_of(4)});
        const auto whole = run_program(b, program);
        for (std::uint64_t half_cycles = 1; half_cycles < 2 * whole.cycles; half_cycles += 3) {
            fill_memories(b);
            b.start(program);
            sc_core::wait(ns(static_cast<double>(half_cycles)));
            b.write(reg::ctrl, half_cycles % 2 == 0 ? isa::ctrl_abort : isa::ctrl_reset);
            if (half_cycles % 2 == 0) {
                const auto e = end_of(b);
                EXPECT_EQ(e.error, e.status == isa::status_done ? error_code::none : error_code::aborted);
                EXPECT_LE(e.cycles, half_cycles / 2 + 20);
            } else {
                EXPECT_TRUE(b.poll_end());
                b.kept.records.clear();
            }
            const auto next = run_program(b, program);
            EXPECT_EQ(next.cycles, whole.cycles);
            EXPECT_TRUE(next.records == whole.records);
            EXPECT_EQ(next.memories.local, whole.memories.local);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(overlap, stopped_prefetch, testing::Bool());

// ---- configuration ----

TEST_F(prefetch_test, refuses_a_piece_that_cuts_a_header)
{
    expected_report report("/tensorloom/shell/config");
    EXPECT_THAT(*shell::validate_prefetch(40, ns(1)), testing::HasSubstr("found 40"));
    EXPECT_EQ(shell::validate_prefetch(0, sc_core::sc_get_time_resolution()), std::nullopt);
    EXPECT_NE(shell::validate_prefetch(16, sc_core::sc_get_time_resolution()), std::nullopt);
    EXPECT_THROW(mixer_device("device", prefetching(true, 40), nullptr), sc_core::sc_report);
    EXPECT_EQ(report.count(), 1u);
}

// ---- a memory that hangs ----

class hung_fetch : public prefetch_test, public testing::WithParamInterface<std::tuple<bool, std::uint32_t>> {};

// At each burst of the program's bytes and of its LOAD in turn.
TEST_P(hung_fetch, reset_frees_the_device)
{
    const auto [overlap, piece] = GetParam();
    run_prefetching(overlap, piece, [](mixer_bench& b) {
        const auto program = program_bytes({load_of(8), mix_for(5), mix_for(5, 1), mix_for(30)});
        const auto fresh = run_program(b, program);
        const auto bursts = b.memory.log.size();
        EXPECT_EQ(bursts, program.size() / 16 + 2);
        sc_core::sc_event never;
        for (std::size_t hung = 0; hung < bursts; ++hung) {
            fill_memories(b);
            std::size_t sent = 0;
            b.memory.intercept = [&](auto&, auto&) {
                if (sent++ == hung) { sc_core::wait(never); }
            };
            b.start(program);
            sc_core::wait(ns(20'000));
            EXPECT_EQ(sent, hung + 1);
            EXPECT_EQ(b.read(reg::status), isa::status_busy);
            b.write(reg::ctrl, isa::ctrl_reset);
            EXPECT_TRUE(b.poll_end());
            EXPECT_EQ(b.read(reg::status), 0u);
            b.memory.intercept = {};
            b.kept.records.clear();
            const auto next = run_program(b, program);
            EXPECT_EQ(next.status, isa::status_done);
            EXPECT_EQ(next.cycles, fresh.cycles);
            EXPECT_EQ(next.memories.local, fresh.memories.local);
            EXPECT_EQ(next.memories.bus, fresh.memories.bus);
            EXPECT_EQ(next.records, fresh.records);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(pieces, hung_fetch, testing::Combine(testing::Bool(), testing::Values(0u, 80u, 4096u)));

} // namespace
} // namespace tensorloom::test
