#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>
#include <systemc>
#include <tlm>
#include <tensorloom/tlm/protocol_checker.h>
#include "tlm/at_initiator.h"
#include "tlm/payload.h"
#include "tlm/rogue_bench.h"

namespace tensorloom::test {

/// A memory, alone or behind a router.
enum class target_kind { sram, dram, router_sram, router_dram };

struct target_subject {
    target_kind kind;
    unsigned width; ///< BUSWIDTH

    bool is_dram() const { return kind == target_kind::dram || kind == target_kind::router_dram; }
    bool is_routed() const { return kind == target_kind::router_sram || kind == target_kind::router_dram; }
};
std::string name_of(const target_subject& subject);
std::ostream& operator<<(std::ostream& out, const target_subject& subject);

/// Every kind at every width: 20.
std::vector<target_subject> all_targets();
std::vector<target_subject> all_srams();
std::vector<target_subject> all_routed();

/// What a test asks of its subject; what is not named is as in the library's defaults.
struct target_options {
    bool allow_dmi = true;
    bool read_only = false; ///< SRAM
    bool streaming_bursts = true;
    bool zero_streaming_width = true; ///< tolerated
    bool wait_out_delay = false;
    unsigned queue_depth = 16;
    unsigned phases = 4;
    bool refresh = true;       ///< DRAM
    bool with_queue = false;   ///< there is an at_initiator: beside the prober in front of a router, else instead of it
    bool from_32_bits = false; ///< initiators of 32 bits, behind width adapters
    bool router_allows_dmi = true;
    bool router_waits = false; ///< blocking calls wait inside for their turn on a link of 4 bytes per ns
};

/// A subject, the initiators in front of it, and a protocol checker on every connection. This is everything but the
/// width.
///
///     prober, queue --> checker --> [ router --> checker --> ] memory         64 KiB from `base`
///
/// The memory behind a router is twice as large as the window that the router shows of it.
class target_bench : public sc_core::sc_module {
public:
    using program_type = std::function<void(target_bench&)>;
    static constexpr std::uint64_t bytes = 0x1'0000; ///< that can be addressed

    explicit target_bench(sc_core::sc_module_name name, const target_subject& subject);

    const target_subject subject;
    const std::uint64_t base; ///< first bus address
    std::uint64_t last() const { return base + bytes - 1; }
    rogue_initiator_body* prober = nullptr; ///< sends what a test wants
    at_initiator_body* queue = nullptr;     ///< with_queue: sends a list of requests in phases
    sc_core::sc_signal<bool> rst;           ///< of the memory
    program_type before_start;              ///< called when everything is bound and nothing has run yet
    program_type program;                   ///< runs in a thread
    bool finished = false;                  ///< the program has returned

    // ---- the memory ----
    std::function<void(bool)> set_dmi_allowed;
    std::function<void()> invalidate_dmi;
    std::function<std::vector<std::uint64_t>()> counts;
    /// Time between two requests of up to 16 bytes that it keeps up with, and of the first answer (bounds).
    sc_core::sc_time interval;
    sc_core::sc_time latency;
    /// To what unit the memory rounds the time at which an access comes.
    sc_core::sc_time grain;

    // ---- for programs ----
    tlm::tlm_fw_transport_if<>& target() { return prober != nullptr ? prober->target() : queue->target(); }
    sc_core::sc_time send(tlm::tlm_generic_payload& t, sc_core::sc_time delay = sc_core::SC_ZERO_TIME)
    {
        target().b_transport(t, delay);
        return delay;
    }
    /// Debug transport: what lies from an offset on.
    std::vector<unsigned char> contents(std::uint64_t offset = 0, std::size_t size = bytes);
    void preload(const std::vector<unsigned char>& all);

    // ---- the checkers ----
    std::vector<bus::protocol_monitor*> checkers;
    bus::protocol_monitor* queue_checker = nullptr; ///< the one behind the queue
    void tolerate(bus::protocol_rule rule);
    void expect_no_violation();

protected:
    template <class Module, class... Args> Module& add(const std::string& name, const Args&... args)
    {
        auto module = std::make_unique<Module>(name.c_str(), args...);
        Module& added = *module;
        m_modules.push_back(std::move(module));
        return added;
    }

private:
    void start_of_simulation() override;
    void run();

    std::vector<std::unique_ptr<sc_core::sc_module>> m_modules;
};

/// One translation unit per width compiles what there is for it.
template <unsigned BUSWIDTH>
std::unique_ptr<target_bench> make_target_bench_of(const std::string& name, const target_subject& subject,
                                                   const target_options& options);
std::unique_ptr<target_bench> make_target_bench(const std::string& name, const target_subject& subject,
                                                const target_options& options = {});

/// Different bytes at different addresses.
std::vector<unsigned char> pattern(std::size_t size, unsigned seed = 0);

} // namespace tensorloom::test
