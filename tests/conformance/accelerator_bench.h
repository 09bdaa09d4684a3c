#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>
#include <systemc>
#include <tlm>
#include <tensorloom/models/blocks/fidelity.h>
#include <tensorloom/models/isa/program/device_driver.h>
#include <tensorloom/models/shell/device_shell.h>
#include <tensorloom/tlm/activity_sink.h>
#include <tensorloom/tlm/dma_config.h>
#include <tensorloom/tlm/protocol_checker.h>
#include "conformance/conforming_device.h"
#include "tlm/at_responder.h"
#include "tlm/payload.h"
#include "tlm/rogue_bench.h"

namespace tensorloom::test {

struct accelerator_subject {
    const conforming_device* device;
    unsigned width; ///< of the DMA
};
std::string name_of(const accelerator_subject& subject);
std::ostream& operator<<(std::ostream& out, const accelerator_subject& subject);

std::vector<accelerator_subject> all_dmas();  ///< every device at every width of its DMA
std::vector<accelerator_subject> all_banks(); ///< register blocks: one of each device

/// What a test asks of its subject.
struct accelerator_options {
    bus::dma_options dma;
    unsigned burst_bytes = 4096;
    unsigned dma_ports = 1; ///< of a device that may have several
    blocks::fidelity fidelity = blocks::fidelity::fast;
    bool with_irq = true; ///< bound
    bool with_rst = true; ///< bound
    sc_core::sc_time clock_period{1, sc_core::SC_NS};
};

/// A phase of a job, from the device's log.
struct phase_span {
    std::string phase;
    std::uint64_t start_cycle;
    std::uint64_t cycles;
};

/// A program, from the device's log.
struct program_span {
    std::uint64_t start_ps;
    std::uint64_t end_ps;
    std::uint64_t cycles;
    std::uint64_t period_ps;
};

/// A device between protocol checkers: a processor of the test's in front of `regs`, a memory of the test's behind the
/// DMA.
///
///     prober --> checker --> device.regs        device.dma --> checker --> memory (64 KiB from memory_at)       irq,
///                                               rst: signals
///
/// Several DMA ports have a checker each, and a router before the memory.
///
/// The memory holds one job: a program, its data, and where its output goes. This is everything but the width.
class accelerator_bench : public sc_core::sc_module, public isa::host_port {
public:
    using program_type = std::function<void(accelerator_bench&)>;
    static constexpr std::uint64_t memory_at = 0x8000'0000;
    static constexpr std::size_t memory_bytes = 0x1'0000;
    static constexpr std::uint64_t timeout_ns = 10'000'000;

    accelerator_bench(sc_core::sc_module_name name, const accelerator_subject& subject);

    const accelerator_subject subject;
    rogue_initiator_body* prober = nullptr;
    at_responder_body* memory = nullptr;
    shell::device_shell* device = nullptr;
    sc_core::sc_signal<bool> irq;
    sc_core::sc_signal<bool> rst;
    bus::protocol_monitor* regs_checker = nullptr;
    bus::protocol_monitor* dma_checker = nullptr; ///< of the first port
    std::vector<bus::protocol_monitor*> more_dma_checkers;
    program_type before_start; ///< called when everything is bound and nothing has run yet
    program_type program;      ///< runs in a thread
    bool finished = false;     ///< the program has returned

    // ---- the job ----
    small_job job;
    std::vector<unsigned char> output();
    void clear_output();
    std::vector<phase_span> phases; ///< since the last START; the steps of a stage are one
    std::vector<program_span> programs;

    isa::device_driver driver() { return {*this, 0}; }
    void start() { driver().start(job.program_at); }
    isa::program_result finish() { return driver().finish(timeout_ns); }
    /// Runs the job, which must end well.
    isa::program_result run_job();

    // ---- registers ----
    tlm::tlm_fw_transport_if<>& regs() { return prober->target(); }
    sc_core::sc_time send(tlm::tlm_generic_payload& t, sc_core::sc_time delay = sc_core::SC_ZERO_TIME)
    {
        regs().b_transport(t, delay);
        return delay;
    }
    std::uint32_t debug_read(std::uint32_t offset);

    // isa::host_port: registers at 0, each access waits its time; blocks go to the memory
    std::uint32_t read_word(std::uint64_t address) override;
    void write_word(std::uint64_t address, std::uint32_t value) override;
    void read_block(std::uint64_t address, void* to, std::size_t bytes) override;
    void write_block(std::uint64_t address, const void* from, std::size_t bytes) override;
    bool wait_interrupt(std::uint64_t timeout_ns) override;
    void fence() override {}

    void expect_no_violation();

    /// What the strictest target would refuse, of all that came over the DMA.
    std::vector<std::string> errors;
    /// Payloads that came over the DMA, each once.
    std::set<const tlm::tlm_generic_payload*> payloads;
    struct access {
        tlm::tlm_command command;
        std::uint64_t address;
        unsigned length;
    };
    std::vector<access> accesses;
    /// A test's answer to a request, after all that; called with the number of the request. When it sets a response
    /// status, nothing is transferred.
    std::function<void(std::size_t, tlm::tlm_generic_payload&)> answer;

protected:
    template <class Module, class... Args> Module& add(const std::string& name, Args&&... args)
    {
        auto module = std::make_unique<Module>(name.c_str(), std::forward<Args>(args)...);
        Module& added = *module;
        m_modules.push_back(std::move(module));
        return added;
    }
    bus::activity_sink& activity() { return m_log; }
    /// The memory is there: puts the job into it.
    void place_job(unsigned largest_burst);

private:
    void start_of_simulation() override;
    void run();
    void look_at(tlm::tlm_generic_payload& t, unsigned largest_burst);

    class phase_log : public bus::activity_sink {
    public:
        explicit phase_log(accelerator_bench& owner) : m_owner(owner) {}
        void attach(const std::string&, const base::event_table&, const std::uint64_t*) override {}
        void started(const std::string&, std::uint64_t time_ps) override;
        void clocked(const std::string&, std::uint64_t period_ps) override;
        void log(const std::string&, const bus::log_record& r) override;
        void finished(const std::string&, std::uint64_t cycles) override;

    private:
        accelerator_bench& m_owner;
    };

    phase_log m_log{*this}; // outlives the device
    std::vector<std::unique_ptr<sc_core::sc_module>> m_modules;
};

std::unique_ptr<accelerator_bench> make_accelerator_bench(const std::string& name, const accelerator_subject& subject,
                                                          const accelerator_options& options = {});

} // namespace tensorloom::test
