// The bus refuses a transaction of the device: address and answer stand in registers, the interrupt comes, and the next
// job is as on a fresh device; blocking and non-blocking, also with an abort or a reset in flight.
#include <algorithm>
#include <functional>
#include <ostream>
#include <string>
#include <tuple>
#include <gmock/gmock.h>
#include "models/shell/shell_run_test.h"

namespace tensorloom::test {
namespace {

namespace reg = isa::reg;
using bus::dma_transport;
using isa::error_code;

constexpr std::uint64_t data_at = shell_bench::memory_at + 0x8000;
constexpr std::uint64_t second_half = shell_bench::memory_at + 0x10; // of the program: its first command

// Where the bus fails; in the order of a program's life.
struct failing_place {
    const char* name;
    std::uint64_t address; // of the burst that fails
    std::uint32_t command; // that is told
};
const failing_place failing_places[] = {{"program_header", shell_bench::memory_at, 0},
                                        {"program_body", second_half, 0},
                                        {"load", data_at + 48, 1},
                                        {"store", data_at + 0x400 + 32, 2}};

struct answer {
    const char* name;
    tlm::tlm_response_status status;
    std::uint32_t error_response; // as docs/registers.md lists it
};
const answer answers[] = {{"address", tlm::TLM_ADDRESS_ERROR_RESPONSE, 1},
                          {"command", tlm::TLM_COMMAND_ERROR_RESPONSE, 2},
                          {"burst", tlm::TLM_BURST_ERROR_RESPONSE, 3},
                          {"byte_enable", tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, 4},
                          {"generic", tlm::TLM_GENERIC_ERROR_RESPONSE, 5}};

struct way {
    const char* name;
    dma_transport transport;
    unsigned outstanding;
    unsigned timeout_cycles = 0;
};
const way ways[] = {{"blocking", dma_transport::blocking, 1},
                    {"blocking_4", dma_transport::blocking, 4},
                    {"non_blocking", dma_transport::non_blocking, 1},
                    {"non_blocking_4", dma_transport::non_blocking, 4}};

shell::shell_config settings_of(const way& w)
{
    auto c = shell_bench::settings();
    c.dma.transport = w.transport;
    c.dma.outstanding = w.outstanding;
    c.dma.timeout_cycles = w.timeout_cycles;
    return c;
}

// NOP, load, store.
std::vector<std::uint8_t> job_with_transfers()
{
    isa::program_builder p;
    p.add(isa::opcode::nop, 0, 1);
    p.add(toil_device::toil, 0, 2, toil_device::payload(5, 128, data_at));
    p.add(toil_device::toil, toil_device::flag_stores, 3, toil_device::payload(5, 128, data_at + 0x400));
    return p.bytes();
}

void let_fail(shell_bench& b, std::uint64_t address, tlm::tlm_response_status status)
{
    b.memory.intercept = [=](tlm::tlm_generic_payload& t, sc_core::sc_time&) {
        if (t.get_address() == address) { t.set_response_status(status); }
    };
}

// What a job leaves to be seen.
struct trace {
    std::vector<std::uint32_t> registers; // STATUS, IRQ_STATUS, errors, cycles, commands, token
    std::vector<unsigned char> stored;
    std::vector<kept_record> records;

    bool operator==(const trace& o) const
    {
        return registers == o.registers && stored == o.stored && records == o.records;
    }
};

trace run_job(shell_bench& b)
{
    trace t;
    const auto before = static_cast<std::ptrdiff_t>(b.kept.records.size());
    const auto store = b.memory.bytes.begin() + 0x8400;
    std::fill(store, store + 128, 0);
    b.run(job_with_transfers());
    for (auto r : {reg::status, reg::irq_status, reg::error_code, reg::error_command, reg::error_addr_lo,
                   reg::error_addr_hi, reg::error_response, reg::cycles_lo, reg::commands_done, reg::token}) {
        t.registers.push_back(b.read(r));
    }
    t.stored.assign(store, store + 128);
    t.records.assign(b.kept.records.begin() + before, b.kept.records.end());
    return t;
}

// The memory works again: the device does the job as one that has never done anything else.
void expect_next_job_as_on_a_fresh_device(shell_bench& b, const trace& fresh)
{
    b.memory.intercept = nullptr;
    b.write(reg::irq_status, 7);
    const trace next = run_job(b);
    EXPECT_EQ(next.registers.front(), isa::status_done);
    EXPECT_THAT(next.stored, testing::Each(toil_device::stored_byte));
    EXPECT_TRUE(next == fresh);
}

// Runs a program on a bench, to the end, beside a device that does the job alone: what it leaves is `fresh`.
template <class T> class failure_fixture : public shell_run_test_with_param<T> {
protected:
    void run_beside_a_fresh_device(const way& w, const std::function<void(shell_bench&, const trace&)>& program)
    {
        trace fresh;
        shell_bench other(
            "fresh", [&](shell_bench& b) { fresh = run_job(b); }, settings_of(w));
        this->run(settings_of(w), [&](shell_bench& b) { program(b, fresh); });
    }
};

using failure_case = std::tuple<failing_place, answer, way>;

std::string name_of(const testing::TestParamInfo<failure_case>& tested)
{
    const auto& [p, a, w] = tested.param;
    return std::string(p.name) + "_" + a.name + "_" + w.name;
}
void PrintTo(const failure_case& c, std::ostream* out) { *out << std::get<0>(c).name; }

class bus_failure_test : public failure_fixture<failure_case> {};

TEST_P(bus_failure_test, is_told_by_registers_and_interrupt_and_then_forgotten)
{
    const auto& [where, how, way_of] = GetParam();
    run_beside_a_fresh_device(way_of, [&, where = where, how = how](shell_bench& b, const trace& fresh) {
        b.write(reg::irq_enable, isa::irq_done | isa::irq_error);
        let_fail(b, where.address, how.status);
        b.start(job_with_transfers());
        sc_core::wait(b.irq.posedge_event());
        EXPECT_EQ(b.read(reg::status), isa::status_error);
        EXPECT_EQ(b.read(reg::irq_status), isa::irq_error);
        EXPECT_EQ(b.error(), error_code::bus_error);
        EXPECT_EQ(b.read(reg::error_command), where.command);
        EXPECT_EQ(b.read_pair(reg::error_addr_lo), where.address);
        EXPECT_EQ(b.read(reg::error_response), how.error_response);
        EXPECT_EQ(b.read(reg::commands_done), where.command);
        b.write(reg::irq_enable, 0);
        sc_core::wait(ns(10000));
        expect_next_job_as_on_a_fresh_device(b, fresh);
    });
}

INSTANTIATE_TEST_SUITE_P(device, bus_failure_test,
                         testing::Combine(testing::ValuesIn(failing_places), testing::ValuesIn(answers),
                                          testing::ValuesIn(ways)),
                         name_of);

// ---- with a stop in flight ----

enum class stop_by { abort, reset };

using stopped_case = std::tuple<failing_place, way, stop_by>;

class stopped_failure_test : public failure_fixture<stopped_case> {};

// The stop comes from inside of the failing transaction, that is while it is in flight.
TEST_P(stopped_failure_test, leaves_a_device_that_works)
{
    const auto& [where, way_of, stop] = GetParam();
    run_beside_a_fresh_device(way_of, [&, where = where, stop = stop](shell_bench& b, const trace& fresh) {
        b.memory.intercept = [&b, where, stop](tlm::tlm_generic_payload& t, sc_core::sc_time&) {
            if (t.get_address() != where.address) { return; }
            b.post(reg::ctrl, stop == stop_by::abort ? isa::ctrl_abort : isa::ctrl_reset);
            t.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        };
        b.start(job_with_transfers());
        EXPECT_TRUE(b.poll_end());
        const bool aborted = stop == stop_by::abort;
        EXPECT_EQ(b.read(reg::status), aborted ? isa::status_error : 0u);
        EXPECT_EQ(b.error(), aborted ? error_code::bus_error : error_code::none);
        EXPECT_EQ(b.read_pair(reg::error_addr_lo), aborted ? where.address : 0u);
        EXPECT_EQ(b.read(reg::error_response), aborted ? 5u : 0u);
        EXPECT_EQ(b.read(reg::irq_status), aborted ? isa::irq_error : 0u);
        sc_core::wait(ns(10000));
        expect_next_job_as_on_a_fresh_device(b, fresh);
    });
}

INSTANTIATE_TEST_SUITE_P(device, stopped_failure_test,
                         testing::Combine(testing::ValuesIn(failing_places), testing::ValuesIn(ways),
                                          testing::Values(stop_by::abort, stop_by::reset)),
                         [](const auto& tested) {
                             return std::string(std::get<0>(tested.param).name) + "_" + std::get<1>(tested.param).name +
                                    (std::get<2>(tested.param) == stop_by::abort ? "_abort" : "_reset");
                         });

// ---- no answer in time ----

constexpr unsigned timeout_cycles = 100; // 200 ns
const way patient_ways[] = {{"non_blocking", dma_transport::non_blocking, 1, timeout_cycles},
                            {"non_blocking_4", dma_transport::non_blocking, 4, timeout_cycles}};

// The memory answers at this address after 5 us only, and takes no other request meanwhile.
void fall_silent(
    shell_bench& b, std::uint64_t address, const std::function<void()>& then = [] {})
{
    b.memory.intercept = [=](tlm::tlm_generic_payload& t, sc_core::sc_time&) {
        if (t.get_address() != address) { return; }
        then();
        sc_core::wait(ns(5000));
    };
}

void expect_time_out(shell_bench& b, const failing_place& where)
{
    EXPECT_EQ(b.read(reg::status), isa::status_error);
    EXPECT_EQ(b.read(reg::irq_status), isa::irq_error);
    EXPECT_EQ(b.error(), error_code::bus_error);
    EXPECT_EQ(b.read(reg::error_command), where.command);
    EXPECT_EQ(b.read_pair(reg::error_addr_lo), where.address);
    EXPECT_EQ(b.read(reg::error_response), 7u);
    EXPECT_EQ(b.read(reg::commands_done), where.command);
}

using silent_case = std::tuple<failing_place, way>;

class bus_silence_test : public failure_fixture<silent_case> {};

TEST_P(bus_silence_test, is_told_after_the_time_out_and_then_forgotten)
{
    const auto& [where, way_of] = GetParam();
    run_beside_a_fresh_device(way_of, [&, where = where](shell_bench& b, const trace& fresh) {
        b.write(reg::irq_enable, isa::irq_error);
        sc_core::sc_time silent_since;
        fall_silent(b, where.address, [&] { silent_since = sc_core::sc_time_stamp(); });
        b.start(job_with_transfers());
        sc_core::wait(b.irq.posedge_event());
        EXPECT_EQ(sc_core::sc_time_stamp() - silent_since, timeout_cycles * ns(2));
        expect_time_out(b, where);
        b.write(reg::irq_status, 7);
        b.run(job_with_transfers()); // does not get the bus
        expect_time_out(b, failing_places[0]);
        b.write(reg::irq_enable, 0);
        sc_core::wait(ns(10000)); // the late answer comes
        expect_next_job_as_on_a_fresh_device(b, fresh);
    });
}

TEST_P(bus_silence_test, does_not_hold_an_abort_or_a_reset)
{
    const auto& [where, way_of] = GetParam();
    run_beside_a_fresh_device(way_of, [&, where = where](shell_bench& b, const trace& fresh) {
        for (const auto stop : {isa::ctrl_abort, isa::ctrl_reset}) {
            sc_core::sc_time silent_since;
            fall_silent(b, where.address, [&] {
                silent_since = sc_core::sc_time_stamp();
                b.post(reg::ctrl, stop);
            });
            b.start(job_with_transfers());
            EXPECT_TRUE(b.poll_end());
            EXPECT_LE(sc_core::sc_time_stamp() - silent_since, (timeout_cycles + 2) * ns(2));
            if (stop == isa::ctrl_abort) {
                expect_time_out(b, where); // in flight when the abort came: it is told
            } else {
                EXPECT_EQ(b.read(reg::status), 0u);
                EXPECT_EQ(b.read(reg::irq_status), 0u);
            }
            const auto since = sc_core::sc_time_stamp();
            b.write(reg::irq_status, 7);
            b.start(job_with_transfers()); // waits for the bus
            b.post(reg::ctrl, stop);
            EXPECT_TRUE(b.poll_end());
            EXPECT_LE(sc_core::sc_time_stamp() - since, (timeout_cycles + 20) * ns(2));
            EXPECT_EQ(b.error(), stop == isa::ctrl_abort ? error_code::aborted : error_code::none);
            sc_core::wait(ns(10000));
            expect_next_job_as_on_a_fresh_device(b, fresh);
            b.write(reg::irq_status, 7);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(device, bus_silence_test,
                         testing::Combine(testing::ValuesIn(failing_places), testing::ValuesIn(patient_ways)),
                         [](const auto& tested) {
                             return std::string(std::get<0>(tested.param).name) + "_" + std::get<1>(tested.param).name;
                         });

// ---- a stop at any time, with nothing wrong ----

using stop_case = std::tuple<way, stop_by>;

class stop_in_flight_test : public failure_fixture<stop_case> {};

TEST_P(stop_in_flight_test, at_any_time_leaves_a_device_that_works)
{
    const auto& [way_of, stop] = GetParam();
    run_beside_a_fresh_device(way_of, [&, stop = stop](shell_bench& b, const trace& fresh) {
        for (double at = 1; at < 400; at += 13) {
            SCOPED_TRACE(at);
            b.write(reg::ctrl, isa::ctrl_reset);
            b.start(job_with_transfers());
            sc_core::wait(ns(at));
            const bool working = b.device.busy();
            b.post(reg::ctrl, stop == stop_by::abort ? isa::ctrl_abort : isa::ctrl_reset);
            EXPECT_TRUE(b.poll_end());
            if (stop == stop_by::reset) {
                EXPECT_EQ(b.read(reg::status), 0u);
            } else if (working && b.read(reg::status) != isa::status_done) {
                EXPECT_EQ(b.read(reg::status), isa::status_error | isa::status_aborted);
                EXPECT_EQ(b.error(), error_code::aborted);
                EXPECT_EQ(b.read(reg::error_response), 0u);
            }
            const auto sent = b.memory.log.size();
            sc_core::wait(ns(1000));
            EXPECT_EQ(b.memory.log.size(), sent); // nothing comes late
            expect_next_job_as_on_a_fresh_device(b, fresh);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(device, stop_in_flight_test,
                         testing::Combine(testing::ValuesIn(ways), testing::Values(stop_by::abort, stop_by::reset)),
                         [](const auto& tested) {
                             return std::string(std::get<0>(tested.param).name) +
                                    (std::get<1>(tested.param) == stop_by::abort ? "_abort" : "_reset");
                         });

// ---- the register itself ----

class error_response_test : public shell_run_test {};

TEST_F(error_response_test, is_cleared_by_start_and_by_reset)
{
    run([](shell_bench& b) {
        let_fail(b, second_half, tlm::TLM_BURST_ERROR_RESPONSE);
        b.run(job_with_transfers());
        EXPECT_EQ(b.read(reg::error_response), 3u);
        b.write(reg::ctrl, isa::ctrl_reset);
        EXPECT_EQ(b.read(reg::error_response), 0u);
        b.run(job_with_transfers());
        EXPECT_EQ(b.read(reg::error_response), 3u);
        b.memory.intercept = nullptr;
        b.post(reg::ctrl, isa::ctrl_start);
        EXPECT_EQ(b.read(reg::error_response), 0u);
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(b.read(reg::status), isa::status_done);
    });
}

// A memory that moves the bytes and sets no response. (No protocol checker: it would object.)
class silent_memory : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<silent_memory, 32> in;
    std::vector<unsigned char> bytes = job_with_transfers();
    explicit silent_memory(sc_core::sc_module_name name) : sc_core::sc_module(name), in("in")
    {
        in.register_b_transport(this, &silent_memory::b_transport);
        bytes.resize(0x10000);
    }

private:
    void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay)
    {
        unsigned char* here = bytes.data() + (t.get_address() - shell_bench::memory_at);
        std::memcpy(t.is_read() ? t.get_data_ptr() : here, t.is_read() ? here : t.get_data_ptr(), t.get_data_length());
        delay += ns(4);
    }
};

class silent_memory_test : public sim_test {
protected:
    // Runs the job; STATUS and ERROR_RESPONSE.
    static std::pair<std::uint32_t, std::uint32_t> run(bool tolerant)
    {
        auto config = shell_bench::settings();
        config.dma.accept_incomplete = tolerant;
        std::uint32_t status = 0;
        std::uint32_t response = 0;
        toil_device device("device", config, nullptr);
        silent_memory memory("memory");
        thread_initiator<> cpu("cpu", [&](thread_initiator<>& c) {
            auto address = writing(reg::program_addr_hi, {1, 0, 0, 0});
            sc_core::wait(c.send(address));
            auto start = writing(reg::ctrl, {1, 0, 0, 0});
            sc_core::wait(c.send(start));
            sc_core::wait(ns(10000));
            auto s = reading(reg::status, 4);
            c.send(s);
            status = s.data[0];
            auto r = reading(reg::error_response, 4);
            c.send(r);
            response = r.data[0];
        });
        cpu.out.bind(device.regs);
        device.dma_out.bind(memory.in);
        sc_core::sc_start();
        EXPECT_TRUE(cpu.finished());
        return {status, response};
    }
};

TEST_F(silent_memory_test, is_a_failure_with_the_answer_incomplete)
{
    EXPECT_EQ(run(false), std::make_pair(isa::status_error, 6u));
}

TEST_F(silent_memory_test, serves_a_device_that_is_told_to_bear_it)
{
    EXPECT_EQ(run(true), std::make_pair(isa::status_done, 0u));
}

// ---- bytes before DONE ----

struct late_case {
    const char* name;
    dma_transport transport;
    unsigned outstanding;
    double quantum_ns;
};
void PrintTo(const late_case& c, std::ostream* out) { *out << c.name; }

class bytes_before_done_test : public sim_test_with_param<late_case> {};

TEST_P(bytes_before_done_test, all_have_landed_when_the_interrupt_comes)
{
    tlm::tlm_global_quantum::instance().set(ns(GetParam().quantum_ns));
    sc_core::sc_time landed;
    auto config = shell_bench::settings();
    config.dma.transport = GetParam().transport;
    config.dma.outstanding = GetParam().outstanding;
    shell_bench bench(
        "bench",
        [&](shell_bench& b) {
            b.write(reg::irq_enable, isa::irq_done);
            isa::program_builder p;
            p.add(toil_device::toil, toil_device::flag_stores, 3, toil_device::payload(0, 4096, data_at));
            b.start(p.bytes());
            sc_core::wait(b.irq.posedge_event());
            EXPECT_GT(landed, sc_core::SC_ZERO_TIME);
            EXPECT_GE(sc_core::sc_time_stamp(), landed);
            const auto stored = b.memory.bytes.begin() + 0x8000;
            EXPECT_EQ(std::count(stored, stored + 4096, toil_device::stored_byte), 4096);
            EXPECT_EQ(b.read(reg::status), isa::status_done);
        },
        config);
    bench.memory.annotated = ns(777);
    bench.memory.intercept = [&](tlm::tlm_generic_payload& t, sc_core::sc_time& delay) {
        if (t.is_write()) { landed = std::max(landed, sc_core::sc_time_stamp() + delay + bench.memory.annotated); }
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished());
}

INSTANTIATE_TEST_SUITE_P(dma, bytes_before_done_test,
                         testing::Values(late_case{"blocking", dma_transport::blocking, 1, 0},
                                         late_case{"blocking_4", dma_transport::blocking, 4, 0},
                                         late_case{"decoupled", dma_transport::blocking, 1, 1e6},
                                         late_case{"decoupled_4", dma_transport::blocking, 4, 1e6},
                                         late_case{"decoupled_64", dma_transport::blocking, 64, 1000},
                                         late_case{"non_blocking_4", dma_transport::non_blocking, 4, 1000}),
                         [](const auto& tested) { return std::string(tested.param.name); });

} // namespace
} // namespace tensorloom::test
