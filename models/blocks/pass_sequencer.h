#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>
#include <systemc>
#include <tensorloom/models/base/values/event_table.h>
#include <tensorloom/models/blocks/memory_port.h>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/shell/program_clock.h>

namespace tensorloom::blocks {

/// What a device is doing, as waveforms show it: the first of these that its command waits for.
enum class device_phase : unsigned { none = 0, matrices = 1, load = 2, compute = 3, unload = 4 };

/// The phase of a device, for waveforms. The device and the sequencer of its passes tell it.
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
    return {t.outcome, t.start_cycle, t.cycles, {t.counts.data(), t.counts.data() + Count}};
}

/// A transfer of a series, for the log.
struct logged_transfer {
    bool unload;               ///< of a result; otherwise a load, of an operand or of an initial result
    std::uint32_t number;      ///< the pass that an operand is for; the number of a result
    std::uint64_t start_cycle; ///< of the time for which the computation waited
    std::uint64_t cycles;      ///< ... and how long; 0 when it was all hidden behind passes
    std::uint64_t overlapped;  ///< the other cycles
    const std::vector<std::uint64_t>& counts;
};

/// What a pass may do while it runs.
class running_pass_if {
public:
    virtual ~running_pass_if() = default;
    /// The rest of the pass does not read its operand: what holds it may be loaded. Otherwise that is so when it ends.
    virtual void release_operand() = 0;
    /// Of a pass that began without waiting for what holds its result: waits until that is free; false when it will
    /// never be, and the pass must end.
    virtual bool wait_for_result() = 0;
};

/// Passes that follow each other: each takes an operand from memory, and adds to a result that one of them opens and
/// one closes, which is then written to memory.
class pass_series_if {
public:
    virtual ~pass_series_if() = default;

    virtual std::uint64_t passes() const = 0;
    /// 1 or 2: what holds an operand or a result is there so often, and used in turn.
    virtual unsigned buffers() const = 0;
    virtual std::uint64_t result_of(std::uint64_t pass) const = 0;
    virtual bool opens(std::uint64_t pass) const = 0;
    virtual bool closes(std::uint64_t pass) const = 0;
    /// A pass that opens a result begins only when what holds that is free. Otherwise it asks itself, later.
    virtual bool begins_with_result() const { return true; }

    // In the thread of the memory port; nothing when there is nothing to move.

    virtual std::optional<erased_transfer> load(std::uint64_t pass) = 0;
    virtual std::optional<erased_transfer> open(std::uint64_t pass) = 0;
    virtual std::optional<erased_transfer> unload(std::uint64_t pass) = 0; ///< what this pass closed

    // In the thread of the command.

    virtual shell::command_outcome run(std::uint64_t pass, running_pass_if& control) = 0;
    /// Every transfer, in the order of start_cycle and in that of the passes.
    virtual void log(const logged_transfer& transfer) = 0;
};

/// Runs series of passes, with a thread of its own for the memory port.
///
/// The port's order, for pass q = 0, 1, ...: load the operand of q; unload the result that pass q - B closed; open the
/// result that q opens. B is the number of buffers. The first begins when pass q - B has released its operand, the
/// second when that pass is over. A pass begins when its operand and, if it opens a result, that are ready. So with one
/// buffer and operands that are held to the end one transfer or one pass is always under way, and never both.
///
/// A stop acts on a pass as the pass has it, on a transfer at the next burst or cycle boundary. A transfer that fails
/// ends the series when the pass under way is over or asks for its result; a pass that fails, when the transfer under
/// way is over.
class pass_sequencer : public sc_core::sc_module, private running_pass_if {
public:
    /// `phase` is told what the command waits for.
    pass_sequencer(sc_core::sc_module_name name, const shell::program_clock& clock, phase_signal& phase);

    shell::command_outcome run(pass_series_if& series);
    const char* kind() const override { return "pass_sequencer"; }

private:
    /// A transfer that has ended, before it is known how much of it was waited for.
    struct ended_transfer {
        bool unload;
        std::uint32_t number;
        erased_transfer transfer;
    };

    // the thread of the command
    shell::command_outcome run_passes();
    bool may_run(std::uint64_t pass) const;
    template <class Ready> bool wait_for_transfers(device_phase phase, const Ready& ready);
    void log_ended(std::uint64_t waited_from, std::uint64_t before);
    void release_operand() override;
    bool wait_for_result() override;

    // the thread of the memory port
    void serve_port();
    template <class Free> bool wait_for_pass(const Free& free);
    bool transfer_for(std::uint64_t pass);
    bool ended(bool unload, std::uint64_t number, std::optional<erased_transfer> transfer);
    bool cancelled() const { return m_cancelled_at && *m_cancelled_at < m_clock.now(); }

    const shell::program_clock& m_clock;
    phase_signal& m_phase;

    pass_series_if* m_series = nullptr;
    sc_core::sc_event m_series_begins;
    sc_core::sc_event m_pass_ended;     // or has released its operand, or there will be no more
    sc_core::sc_event m_transfer_ended; // or there will be no more
    std::uint64_t m_passes_done = 0;
    std::uint64_t m_operands_released = 0;       // by passes
    std::uint64_t m_operands_loaded = 0;         // passes whose operand is there
    std::uint64_t m_port_done = 0;               // passes for which the port has done all of its part
    bool m_port_busy = false;                    // it has not come to the end of the series
    std::optional<std::uint64_t> m_cancelled_at; // cycle: the port begins nothing later than this
    std::optional<std::uint64_t> m_failed_at;    // cycle: no pass begins later than this
    bool m_is_waiting = false;                   // the command does, for transfers
    shell::command_outcome m_port_outcome;
    std::deque<ended_transfer> m_ended; // not logged yet
};

} // namespace tensorloom::blocks
