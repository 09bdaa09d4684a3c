#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>
#include <systemc>
#include <tensorloom/models/base/values/event_table.h>
#include <tensorloom/models/blocks/memory_port.h>
#include <tensorloom/models/shell/command_log.h>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/shell/program_clock.h>

namespace tensorloom::blocks {

/// The phase of a device for waveforms: the first of these that its command waits for.
enum class device_phase : unsigned { none = 0, matrices = 1, load = 2, compute = 3, unload = 4 };

/// The phase of a device for waveforms, set by the device and by the sequencer of its passes.
class phase_signal {
public:
    void enter(device_phase phase) { m_value = static_cast<unsigned>(phase); }
    const unsigned& value() const { return m_value; }

private:
    unsigned m_value = static_cast<unsigned>(device_phase::none);
};

/// A transfer whose counts are those of any event table.
using erased_transfer = port_transfer<std::vector<std::uint64_t>>;
template <class Event, std::size_t Count> erased_transfer any(const port_transfer<base::event_counts<Event, Count>>& t)
{
    return {t.outcome, t.start_cycle, t.cycles, {t.counts.data(), t.counts.data() + Count}, t.freed};
}

/// A transfer of a series, for the log.
struct logged_transfer {
    bool unload;               ///< of a result; otherwise a load, of an operand or of an initial result
    std::uint32_t number;      ///< pass of an operand; number of a result
    std::uint64_t start_cycle; ///< start of the time for which the computation waited
    std::uint64_t cycles;      ///< wait time of the computation; 0 when passes hid the whole transfer
    std::uint64_t overlapped;  ///< cycles of the transfer hidden by passes
    const std::vector<std::uint64_t>& counts;
};

/// Services for a running pass.
class running_pass_if {
public:
    virtual ~running_pass_if() = default;
    /// The rest of the pass does not read its operand, so its buffer may be loaded. Without a call the buffer is free
    /// when the pass ends.
    virtual void release_operand() = 0;
    /// For a pass that began before its result buffer was free: waits until it is free. False when that will not happen
    /// and the pass must end.
    virtual bool wait_for_result() = 0;
};

/// A series of passes: each takes an operand from memory and adds to a result that one pass opens and one closes; the
/// closed result is written to memory.
class pass_series_if {
public:
    virtual ~pass_series_if() = default;

    virtual std::uint64_t passes() const = 0;
    /// Number of buffers for operands, 1 or 2, used alternately.
    virtual unsigned buffers() const = 0;
    /// Number of the operand of a pass, from 0; consecutive passes may share one, which the first of them loads.
    virtual std::uint64_t operand_of(std::uint64_t pass) const { return pass; }
    /// A result closed by a pass is unloaded before the pass that comes this much later may open one; at least 1.
    virtual unsigned unload_distance() const { return buffers(); }
    virtual std::uint64_t result_of(std::uint64_t pass) const = 0;
    virtual bool opens(std::uint64_t pass) const = 0;
    virtual bool closes(std::uint64_t pass) const = 0;
    /// Whether a pass that opens a result begins only with a free result buffer. Otherwise the pass itself calls
    /// wait_for_result().
    virtual bool begins_with_result() const { return true; }
    /// Whether a pass begins only when all transfers before it in the order of the port are done, not just its
    /// operand's.
    virtual bool begins_after_port(std::uint64_t pass) const { return opens(pass) && begins_with_result(); }
    /// Whether the port may work while a pass runs.
    virtual bool moves_beside_passes() const { return buffers() > 1; }
    /// Whether open() stores something to memory instead of loading it.
    virtual bool open_stores() const { return false; }

    /// Whether transfers are reported when their last burst has been issued, so that the next one follows at once;
    /// their reports then end in the future, in the order of their issue.
    virtual bool transfers_ahead() const { return false; }
    /// Waits for the end of a transfer that was reported ahead. A stop may end it sooner, which is then reported.
    virtual void wait_for(erased_transfer&) {}

    // Called in the thread of the memory port; they return nothing without a transfer.

    virtual std::optional<erased_transfer> load(std::uint64_t pass) = 0; ///< the operand of this pass, its first
    virtual std::optional<erased_transfer> open(std::uint64_t pass) = 0;
    virtual std::optional<erased_transfer> unload(std::uint64_t pass) = 0; ///< the result closed by this pass

    // Called in the thread of the command.

    virtual shell::command_outcome run(std::uint64_t pass, running_pass_if& control) = 0;
    /// Receives every transfer, in the order of start_cycle and of the passes.
    virtual void log(const logged_transfer& transfer) = 0;
};

/// Runs series of passes, with a separate thread for the memory port.
///
/// Order of the port, for pass q = 0, 1, ...: load the operand of q, unless the pass before had it too; unload the
/// result closed by pass q - D; open the result that q opens. D is the unload distance. With B buffers, the load of
/// operand o begins when operand o - B has been released, the unload when pass q - D has ended. A pass begins when its
/// operand and, if it opens a result or begins_after_port(), everything before it in this order is ready. With B = D =
/// 1 and operands in use to the end, exactly one transfer or one pass is therefore active at any time.
///
/// A transfer that is reported ahead of its end counts as done at its end; the port goes on in its order meanwhile.
///
/// A stop acts on a pass as defined by the pass, on a transfer at the next burst or cycle boundary. After a failed
/// transfer the series ends when the running pass has ended or requests its result; after a failed pass, when the
/// running transfer has ended; with transfers ahead, when all of them have ended.
///
/// Example
///
///     blocks::phase_signal phase;
///     blocks::pass_sequencer sequencer("sequencer", clock, phase, records);
///     const auto outcome = sequencer.run(passes); // in the thread of the command
///     if (outcome.error != isa::error_code::none) { return; }
class pass_sequencer : public sc_core::sc_module, private running_pass_if {
public:
    /// Sets `phase` to what the command waits for. `log`: the one of the series' steps and transfers, whose cycles with
    /// a resource free are set here: passes and port as they wait for each other.
    pass_sequencer(sc_core::sc_module_name name, const shell::program_clock& clock, phase_signal& phase,
                   shell::device_log& log);

    shell::command_outcome run(pass_series_if& series);
    const char* kind() const override { return "pass_sequencer"; }

private:
    /// A completed transfer, before the wait for it is known.
    struct ended_transfer {
        bool unload;
        std::uint32_t number;
        erased_transfer transfer;
    };

    // the thread of the command
    shell::command_outcome run_passes();
    bool may_run(std::uint64_t pass) const;
    template <class Ready> bool wait_for_transfers(device_phase phase, const Ready& ready);
    template <class Done> void log_until(device_phase phase, std::uint64_t waited_from, const Done& done);
    void log_ended(std::uint64_t waited_from, std::uint64_t before);
    void release_operand() override;
    bool wait_for_result() override;

    /// What the port has done, once a transfer that was reported ahead of its end has ended.
    struct port_progress {
        ended_transfer transfer;
        std::uint64_t operands = 0; ///< loaded
        std::uint64_t passes = 0;   ///< whose transfers are all done
    };

    // the thread of the memory port
    void serve_port();
    template <class Free> bool wait_for_pass(const Free& free);
    bool transfer_for(std::uint64_t pass);
    bool moved(bool unload, std::uint64_t number, std::optional<erased_transfer> transfer);
    void progressed(std::uint64_t operands, std::uint64_t passes);
    bool ended(ended_transfer transfer);

    void end_transfers(); // thread: of those that were reported ahead

    /// The program's cycles, with each resource free, at certain points of a series, by operand or pass.
    class time_points {
    public:
        void clear() { m_points.clear(); }
        void set(std::uint64_t number, const base::freed_cycles& at) { m_points.emplace(number, at); }
        const base::freed_cycles& at(std::uint64_t number) const { return m_points.at(number); }
        void forget_before(std::uint64_t number) { m_points.erase(m_points.begin(), m_points.lower_bound(number)); }

    private:
        std::map<std::uint64_t, base::freed_cycles> m_points;
    };
    void release_up_to(std::uint64_t operands);
    void continue_after(const base::freed_cycles& point);
    void log_transfer(const logged_transfer& transfer);

    bool cancelled() const { return m_cancelled_at && *m_cancelled_at < m_clock.now(); }

    const shell::program_clock& m_clock;
    phase_signal& m_phase;
    shell::device_log& m_log;

    pass_series_if* m_series = nullptr;
    sc_core::sc_event m_series_begins;
    sc_core::sc_event m_pass_ended;     // or has released its operand, or was the last one
    sc_core::sc_event m_transfer_ended; // or was the last one
    std::uint64_t m_passes_done = 0;
    std::uint64_t m_operands_released = 0; // by passes
    std::uint64_t m_operands_loaded = 0;
    std::uint64_t m_port_done = 0;               // passes whose transfers are all done
    std::uint64_t m_operands_issued = 0;         // whose loads are done or on their way
    bool m_port_busy = false;                    // the port has not finished the series
    std::optional<std::uint64_t> m_cancelled_at; // cycle: the port begins no transfer later than this
    std::optional<std::uint64_t> m_failed_at;    // cycle: no pass begins later than this
    bool m_is_waiting = false;                   // the command does, for transfers
    shell::command_outcome m_port_outcome;
    base::freed_cycles m_port_time;                       // of the port; that of the command is in the log
    time_points m_released, m_loaded, m_ended_at, m_done; // operands; passes and their transfers
    std::deque<ended_transfer> m_ended;                   // not logged yet
    std::deque<port_progress> m_on_its_way;               // reported ahead, in order
    sc_core::sc_event m_sent;                             // one of them
    sc_core::sc_event m_all_arrived;
};

} // namespace tensorloom::blocks
