// How fast the bus is simulated: register reads, memory accesses blocking, in four phases and by direct pointers;
// directly, through the
// router and past protocol checkers. Every case takes turns with its reference, a minimal target written here. CPU
// time, medians of rounds.
// Goals: 20 million register reads and 0.8 million four-phase memory accesses per CPU second. Fails on wrong data, not
// on slow ones.
#include <array>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>
#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <tensorloom/models/isa/program/device_driver.h>
#include <tensorloom/models/isa/program/register_map.h>
#include <tensorloom/models/memory/dram.h>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/models/triada/device.h>
#include <tensorloom/tlm/protocol_checker.h>
#include <tensorloom/tlm/router.h>
#include <tensorloom/tlm/transaction_pool.h>
#include "benchmarks/benchmark_main.h"
#include "benchmarks/rounds.h"

using namespace tensorloom;
using namespace tensorloom::benchmarks;

namespace {

constexpr std::uint64_t memory_bytes = 64u << 10;
const sc_core::sc_time quantum(1, sc_core::SC_US);

/// Contents of every memory: any word tells where it came from.
std::uint32_t word_at(std::uint64_t address) { return static_cast<std::uint32_t>(address * 2654435761u); }

/// The reference: as little as a memory can do. LT, or with END_REQ at once and BEGIN_RESP after 2 ns.
class minimal_memory : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<minimal_memory, 32> in;

    explicit minimal_memory(sc_core::sc_module_name name)
        : sc_core::sc_module(name), in("in"), m_bytes(memory_bytes), m_responses("responses")
    {
        SC_HAS_PROCESS(minimal_memory);
        in.register_b_transport(this, &minimal_memory::b_transport);
        in.register_nb_transport_fw(this, &minimal_memory::nb_transport_fw);
        in.register_transport_dbg(this, &minimal_memory::transport_dbg);
        SC_METHOD(respond);
        sensitive << m_responses.get_event();
        dont_initialize();
    }

private:
    void move(tlm::tlm_generic_payload& t)
    {
        if (t.get_address() + t.get_data_length() > memory_bytes) {
            t.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        unsigned char* at = m_bytes.data() + t.get_address();
        std::memcpy(t.is_read() ? t.get_data_ptr() : at, t.is_read() ? at : t.get_data_ptr(), t.get_data_length());
        t.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay)
    {
        move(t);
        delay += m_latency;
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& t)
    {
        move(t);
        return t.get_data_length();
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay)
    {
        if (phase == tlm::END_RESP) {
            t.release();
            return tlm::TLM_COMPLETED;
        }
        t.acquire();
        move(t);
        m_responses.notify(t, delay + m_latency);
        phase = tlm::END_REQ;
        delay += m_accept;
        return tlm::TLM_UPDATED;
    }
    void respond()
    {
        while (auto* t = m_responses.get_next_transaction()) {
            tlm::tlm_phase phase = tlm::BEGIN_RESP;
            sc_core::sc_time delay;
            if (in->nb_transport_bw(*t, phase, delay) != tlm::TLM_ACCEPTED) { t->release(); }
        }
    }

    std::vector<unsigned char> m_bytes;
    sc_core::sc_time m_latency{2, sc_core::SC_NS};
    sc_core::sc_time m_accept{1, sc_core::SC_NS};
    tlm_utils::peq_with_get<tlm::tlm_generic_payload> m_responses;
};

/// Sends accesses of one size, one way or the other, and checks the data of every read.
class initiator : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<initiator, 32> out;

    explicit initiator(sc_core::sc_module_name name) : sc_core::sc_module(name), out("out")
    {
        SC_HAS_PROCESS(initiator);
        out.register_nb_transport_bw(this, &initiator::nb_transport_bw);
        SC_METHOD(send);
        sensitive << m_send;
        dont_initialize();
        SC_METHOD(end_responses);
        sensitive << m_end;
        dont_initialize();
    }

    void preload()
    {
        std::vector<std::uint32_t> words(memory_bytes / 4);
        for (std::size_t i = 0; i < words.size(); ++i) { words[i] = word_at(4 * i); }
        tlm::tlm_generic_payload t;
        set_up(t, tlm::TLM_WRITE_COMMAND, 0, reinterpret_cast<unsigned char*>(words.data()), memory_bytes);
        if (out->transport_dbg(t) != memory_bytes) { throw std::runtime_error("preload failed"); }
    }

    /// Blocking reads of a register that has this value.
    void read_register(std::uint64_t address, std::uint32_t expected, std::uint64_t count)
    {
        std::uint32_t word = 0;
        std::uint64_t wrong = 0;
        tlm::tlm_generic_payload t;
        sc_core::sc_time ahead;
        for (std::uint64_t i = 0; i < count; ++i) {
            word = 0;
            set_up(t, tlm::TLM_READ_COMMAND, address, reinterpret_cast<unsigned char*>(&word), 4);
            out->b_transport(t, ahead);
            wrong += word != expected || t.get_response_status() != tlm::TLM_OK_RESPONSE;
            if (ahead >= quantum) { catch_up(ahead); }
        }
        catch_up(ahead);
        require(wrong);
    }

    /// Blocking reads and writes of memory, in turns; what is written is what was there.
    void access(std::uint32_t bytes, std::uint64_t count)
    {
        std::uint64_t wrong = 0;
        tlm::tlm_generic_payload t;
        sc_core::sc_time ahead;
        m_buffer.resize(bytes);
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t address = i / 2 * bytes % memory_bytes;
            set_up(t, i % 2 == 0 ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND, address, m_buffer.data(), bytes);
            out->b_transport(t, ahead);
            wrong += !right(address, m_buffer.data(), bytes) || t.get_response_status() != tlm::TLM_OK_RESPONSE;
            if (ahead >= quantum) { catch_up(ahead); }
        }
        catch_up(ahead);
        require(wrong);
    }

    /// The same by direct pointers, the granted latency accounted for.
    void access_directly(std::uint32_t bytes, std::uint64_t count)
    {
        tlm::tlm_generic_payload t;
        t.set_command(tlm::TLM_READ_COMMAND);
        t.set_address(0);
        tlm::tlm_dmi dmi;
        if (!out->get_direct_mem_ptr(t, dmi) || dmi.get_end_address() + 1 < memory_bytes) {
            throw std::runtime_error("DMI refused");
        }
        std::uint64_t wrong = 0;
        m_buffer.resize(bytes);
        sc_core::sc_time ahead;
        const auto time = sc_core::sc_time::from_value(dmi.get_read_latency().value() * bytes);
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t address = i / 2 * bytes % memory_bytes;
            unsigned char* at = dmi.get_dmi_ptr() + address;
            std::memcpy(i % 2 == 0 ? m_buffer.data() : at, i % 2 == 0 ? at : m_buffer.data(), bytes);
            wrong += !right(address, m_buffer.data(), bytes);
            ahead += time;
            if (ahead >= quantum) { catch_up(ahead); }
        }
        catch_up(ahead);
        require(wrong);
    }

    /// In four phases, up to so many at a time; END_RESP in return for BEGIN_RESP, or as a call 1 ns later.
    void access_in_phases(std::uint32_t bytes, std::uint64_t count, unsigned outstanding, bool end_by_call)
    {
        m_left = count;
        m_begun = 0;
        m_bytes = bytes;
        m_outstanding = outstanding;
        m_end_by_call = end_by_call;
        m_wrong = 0;
        m_send.notify(sc_core::SC_ZERO_TIME);
        wait(m_done);
        require(m_wrong);
    }

private:
    static void set_up(tlm::tlm_generic_payload& t, tlm::tlm_command command, std::uint64_t address,
                       unsigned char* data, unsigned bytes)
    {
        t.set_command(command);
        t.set_address(address);
        t.set_data_ptr(data);
        t.set_data_length(bytes);
        t.set_streaming_width(bytes);
        t.set_byte_enable_ptr(nullptr);
        t.set_dmi_allowed(false);
        t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    }
    static bool right(std::uint64_t address, const unsigned char* data, unsigned bytes)
    {
        const std::uint32_t first = word_at(address);
        const std::uint32_t last = word_at(address + bytes - 4);
        return std::memcmp(data, &first, 4) == 0 && std::memcmp(data + bytes - 4, &last, 4) == 0;
    }
    void require(std::uint64_t wrong) const
    {
        if (wrong != 0) { throw std::runtime_error(std::string(name()) + ": " + std::to_string(wrong) + " wrong"); }
    }
    static void catch_up(sc_core::sc_time& ahead)
    {
        sc_core::wait(ahead);
        ahead = sc_core::SC_ZERO_TIME;
    }

    void send()
    {
        const auto now = sc_core::sc_time_stamp();
        if (m_request_free > now) {
            m_send.notify(m_request_free - now);
            return;
        }
        if (m_requesting || m_live >= m_outstanding || m_begun >= m_left) { return; }
        auto& t = m_pool.acquire();
        auto& data = m_buffers[m_live_index++ % m_buffers.size()];
        data.resize(m_bytes);
        const std::uint64_t address = m_begun / 2 * m_bytes % memory_bytes;
        const bool reads = m_begun++ % 2 == 0;
        if (!reads) { fill(address, data); }
        set_up(t, reads ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND, address, data.data(), m_bytes);
        ++m_live;
        m_requesting = true;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        const auto answer = out->nb_transport_fw(t, phase, delay);
        if (answer == tlm::TLM_ACCEPTED) { return; }
        if (answer == tlm::TLM_COMPLETED || phase != tlm::END_REQ) { throw std::runtime_error("not in four phases"); }
        m_requesting = false;
        m_request_free = now + delay;
        if (m_live < m_outstanding) { m_send.notify(delay); }
    }
    static void fill(std::uint64_t address, std::vector<unsigned char>& data)
    {
        for (std::size_t i = 0; i < data.size(); i += 4) {
            const std::uint32_t word = word_at(address + i);
            std::memcpy(data.data() + i, &word, 4);
        }
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay)
    {
        if (phase == tlm::END_REQ) {
            m_requesting = false;
            m_request_free = sc_core::sc_time_stamp() + delay;
            m_send.notify(delay);
            return tlm::TLM_ACCEPTED;
        }
        m_wrong +=
            t.get_response_status() != tlm::TLM_OK_RESPONSE || !right(t.get_address(), t.get_data_ptr(), m_bytes);
        if (m_end_by_call) {
            m_ending = &t;
            m_end.notify(1, sc_core::SC_NS);
            return tlm::TLM_ACCEPTED;
        }
        phase = tlm::END_RESP;
        end(t);
        return tlm::TLM_UPDATED;
    }
    void end_responses()
    {
        auto& t = *m_ending;
        tlm::tlm_phase phase = tlm::END_RESP;
        sc_core::sc_time delay;
        out->nb_transport_fw(t, phase, delay);
        end(t);
    }
    void end(tlm::tlm_generic_payload& t)
    {
        t.release();
        if (m_live-- == m_outstanding) { m_send.notify(sc_core::SC_ZERO_TIME); }
        if (m_live == 0 && m_begun == m_left) { m_done.notify(sc_core::SC_ZERO_TIME); }
    }

    std::vector<unsigned char> m_buffer;
    bus::transaction_pool m_pool;
    std::array<std::vector<unsigned char>, 64> m_buffers; // more than can be outstanding
    std::size_t m_live_index = 0;
    sc_core::sc_event m_send;
    sc_core::sc_event m_end;
    sc_core::sc_event m_done;
    sc_core::sc_time m_request_free;
    tlm::tlm_generic_payload* m_ending = nullptr;
    std::uint64_t m_left = 0;
    std::uint64_t m_begun = 0;
    std::uint64_t m_wrong = 0;
    unsigned m_bytes = 0;
    unsigned m_outstanding = 0;
    unsigned m_live = 0;
    bool m_requesting = false;
    bool m_end_by_call = false;
};

/// What is measured: `run` does `count` accesses.
struct speed_case {
    std::string name;
    std::uint64_t count;
    std::function<void(std::uint64_t)> run;
    std::size_t reference; ///< index of the case that it is compared with
    double goal = 0;       ///< accesses per CPU second
    std::vector<double> seconds{};
};

/// Everything there is to measure, and the thread that does it.
class bench : public sc_core::sc_module {
public:
    explicit bench(sc_core::sc_module_name name) : sc_core::sc_module(name)
    {
        SC_HAS_PROCESS(bench);
        reference.out.bind(minimal.in);
        reference_phases.out.bind(minimal_phases.in);
        direct_registers.out.bind(direct_device.regs);
        registers.out.bind(router.in);
        router.out.bind(device.regs);
        router.map(0, isa::reg::block_bytes - 1, 0);
        checked_registers.out.bind(checker_in.in);
        checker_in.out.bind(checked_router.in);
        checked_router.out.bind(checker_out.in);
        checker_out.out.bind(checked_device.regs);
        checked_router.map(0, isa::reg::block_bytes - 1, 0);
        direct_sram.out.bind(sram.in);
        routed_sram.out.bind(sram_router.in);
        sram_router.out.bind(sram_behind.in);
        sram_router.map(0, memory_bytes - 1, 0);
        direct_dram.out.bind(dram.in);
        for (auto* d : {&direct_device, &device, &checked_device}) { d->dma.bind(nothing.in); }
        SC_THREAD(run);
    }

    std::vector<speed_case> cases;
    std::exception_ptr failure;

private:
    static triada::config device_settings()
    {
        triada::config c;
        c.mesh = {8, 8, 8};
        return c;
    }
    static memory::sram_config sram_settings()
    {
        memory::sram_config c;
        c.bytes = memory_bytes;
        return c;
    }
    /// Takes what nobody sends.
    struct no_target : sc_core::sc_module {
        tlm_utils::multi_passthrough_target_socket<no_target, 32> in;
        explicit no_target(sc_core::sc_module_name name) : sc_core::sc_module(name), in("in")
        {
            in.register_b_transport(this, &no_target::b_transport);
            in.register_nb_transport_fw(this, &no_target::nb_transport_fw);
        }
        void b_transport(int, tlm::tlm_generic_payload&, sc_core::sc_time&) {}
        tlm::tlm_sync_enum nb_transport_fw(int, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&)
        {
            return tlm::TLM_COMPLETED;
        }
    };

    void list()
    {
        const std::uint32_t id = isa::device_id("TRIA");
        const auto reads = [id](initiator& i) {
            return [&i, id](std::uint64_t n) { i.read_register(isa::reg::id, id, n); };
        };
        const auto blocking = [](initiator& i, unsigned bytes) {
            return [&i, bytes](std::uint64_t n) { i.access(bytes, n); };
        };
        const auto direct = [](initiator& i, unsigned bytes) {
            return [&i, bytes](std::uint64_t n) { i.access_directly(bytes, n); };
        };
        const auto phases = [](initiator& i, unsigned bytes, unsigned outstanding, bool by_call) {
            return [=, &i](std::uint64_t n) { i.access_in_phases(bytes, n, outstanding, by_call); };
        };
        cases = {
            {"LT 4 B, minimal target (reference)", 200'000, blocking(reference, 4), 0},
            {"LT 4 KiB, minimal target (reference)", 20'000, blocking(reference, 4096), 1},
            {"AT 64 B, minimal target, 8 outstanding (reference)", 10'000, phases(reference_phases, 64, 8, false), 2},
            {"register read, direct", 200'000, reads(direct_registers), 0},
            {"register read, router", 200'000, reads(registers), 0, 20e6},
            {"register read, router between two checkers", 20'000, reads(checked_registers), 0},
            {"LT 4 B, SRAM direct", 100'000, blocking(direct_sram, 4), 0},
            {"LT 4 B, SRAM, router", 100'000, blocking(routed_sram, 4), 0},
            {"DMI 4 B, SRAM, router", 200'000, direct(routed_sram, 4), 0},
            {"LT 4 KiB, SRAM direct", 20'000, blocking(direct_sram, 4096), 1},
            {"LT 4 KiB, SRAM, router", 20'000, blocking(routed_sram, 4096), 1},
            {"DMI 4 KiB, SRAM, router", 20'000, direct(routed_sram, 4096), 1},
            {"LT 64 B, DRAM direct", 50'000, blocking(direct_dram, 64), 0},
            {"LT 4 KiB, DRAM direct", 2'000, blocking(direct_dram, 4096), 1},
            {"AT 64 B, SRAM direct, 1 outstanding", 10'000, phases(direct_sram, 64, 1, false), 2},
            {"AT 64 B, SRAM direct, 8 outstanding", 10'000, phases(direct_sram, 64, 8, false), 2, 0.8e6},
            {"AT 64 B, SRAM direct, END_RESP by a call", 10'000, phases(direct_sram, 64, 8, true), 2},
            {"AT 64 B, SRAM, router, 8 outstanding", 10'000, phases(routed_sram, 64, 8, false), 2},
            {"AT 64 B, DRAM direct, 8 outstanding", 10'000, phases(direct_dram, 64, 8, false), 2},
        };
    }

    void run()
    {
        try {
            list();
            for (auto* i : {&reference, &reference_phases, &direct_sram, &routed_sram, &direct_dram}) { i->preload(); }
            for (unsigned r = 0; r <= rounds; ++r) { // the first is to warm up
                for (auto& c : cases) {
                    const double took = cpu_seconds_of([&] { c.run(c.count); });
                    if (r > 0) { c.seconds.push_back(took / static_cast<double>(c.count)); }
                }
            }
        } catch (...) {
            failure = std::current_exception();
        }
    }

    initiator reference{"reference"}, reference_phases{"reference_phases"}, direct_registers{"direct_registers"},
        registers{"registers"}, checked_registers{"checked_registers"}, direct_sram{"direct_sram"},
        routed_sram{"routed_sram"}, direct_dram{"direct_dram"};
    minimal_memory minimal{"minimal"}, minimal_phases{"minimal_phases"};
    bus::router<32> router{"router", {}}, checked_router{"checked_router", {}}, sram_router{"sram_router", {}};
    bus::protocol_checker<32> checker_in{"checker_in"}, checker_out{"checker_out"};
    triada::device<32> direct_device{"direct_device", device_settings()}, device{"device", device_settings()},
        checked_device{"checked_device", device_settings()};
    memory::sram<32> sram{"sram", sram_settings()}, sram_behind{"sram_behind", sram_settings()};
    memory::dram<32> dram{"dram"};
    no_target nothing{"nothing"};
};

nlohmann::ordered_json run()
{
    bench b("bench");
    sc_core::sc_start();
    if (b.failure) { std::rethrow_exception(b.failure); }
    std::printf("medians of %u rounds, CPU time; ratio: speed over that of the reference\n", rounds);
    std::printf("%-52s %14s %10s %7s  %s\n", "", "million per s", "ns each", "ratio", "goal");
    auto records = nlohmann::ordered_json::array();
    for (const auto& c : b.cases) {
        const double each = median(c.seconds);
        const double ratio = paired_times{b.cases[c.reference].seconds, c.seconds}.speed_ratio();
        char goal[64] = "";
        if (c.goal > 0) {
            std::snprintf(goal, sizeof goal, "%.1f million per s: %s", c.goal / 1e6,
                          1 / each >= c.goal ? "met" : "missed");
        }
        std::printf("%-52s %14.2f %10.1f %7.2f  %s\n", c.name.c_str(), 1e-6 / each, 1e9 * each, ratio, goal);
        records.push_back({{"case", c.name}, {"accesses_per_cpu_s", 1 / each}, {"ratio", ratio}});
        if (c.goal > 0) { records.back()["goal_per_cpu_s"] = c.goal; }
    }
    return records;
}

} // namespace

int sc_main(int argc, char* argv[])
{
    return benchmark_main(argc, argv, "bus_speed", "How many bus accesses are simulated per CPU second.", false,
                          [](const std::string&) { return run(); });
}
