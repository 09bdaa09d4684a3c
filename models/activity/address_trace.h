#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <vector>
#include <tensorloom/models/activity/output_file.h>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/tlm/transaction_sink.h>

namespace tensorloom::activity {

/// The simulator that reads an address trace. One line per burst:
///
///     dramsys      CYCLE: read|write 0xADDRESS    trace player of DRAMSys (.stl); lines with # are comments
///     ramulator    0xADDRESS R|W                  Ramulator 1, --mode=dram
///     ramulator2   LD|ST 0xADDRESS                Ramulator 2, LoadStoreTrace
enum class trace_reader { dramsys, ramulator, ramulator2 };

inline constexpr base::named_value trace_readers[] = {
    {static_cast<std::uint32_t>(trace_reader::dramsys), "dramsys", "with cycles"},
    {static_cast<std::uint32_t>(trace_reader::ramulator), "ramulator", "addresses, then commands"},
    {static_cast<std::uint32_t>(trace_reader::ramulator2), "ramulator2", "commands, then addresses"},
};

/// How accesses become lines.
struct address_trace_config {
    trace_reader reader = trace_reader::dramsys;
    std::string memory;                ///< its name in the comments of a trace
    std::uint64_t clock_period_ps = 0; ///< of the memory, at least 1
    std::uint32_t burst_bytes = 0;     ///< a power of two
};

/// The first error of a configuration.
std::optional<std::string> validate(const address_trace_config& config);

/// Writes the traffic of a recorder (tlm/recorder.h) as an address trace for DRAM simulators. Connect the recorder
/// directly to the memory: the trace has the addresses that it sees.
///
/// Each read and write that ends OK becomes one line per burst that it touches, in ascending order; a partly used burst
/// counts as a whole, as in a DRAM. Lines are in the order of arrival: the begin of a transaction, rounded up to a
/// clock period; for equal times, in the order in which transactions end. Only transactions that may still be overtaken
/// are kept in memory.
///
/// The file is complete after commit(), or is not written. Write failures are a base::input_error of commit(), since
/// initiators cannot handle errors of observers.
///
/// Not in the trace: data, debug accesses, direct accesses, transactions in flight at the end.
///
/// Example
///
///     activity::address_trace trace("dram.trace", {activity::trace_reader::ramulator2, "dram", 625, 64});
///     bus::recorder<> recorder("recorder", trace);
///     sc_core::sc_start();
///     trace.commit();
class address_trace : public bus::transaction_sink {
public:
    /// An invalid configuration is a std::invalid_argument, a file that cannot be written a base::input_error.
    address_trace(const std::string& path, const address_trace_config& config);

    /// A second recorder is a std::logic_error.
    std::size_t attach(const std::string& recorder) override;
    void connected(std::size_t, const std::string&) override {}
    void log(std::size_t recorder, const bus::transaction_record& record) override;
    void debug(std::size_t, std::uint32_t) override {}
    void dmi_request(std::size_t, bool) override {}
    void dmi_invalidation(std::size_t) override {}

    /// Call once, after the last transaction.
    void commit();

    std::size_t pending() const { return m_pending.size(); } ///< transactions kept in memory

private:
    struct access {
        std::uint64_t begin_ps;
        std::uint64_t number; // in the order of their ends
        std::uint64_t address;
        std::uint32_t bytes;
        bool write;
        bool operator>(const access& other) const
        {
            return begin_ps != other.begin_ps ? begin_ps > other.begin_ps : number > other.number;
        }
    };

    void write_first();
    void write_line(std::uint64_t cycle, bool write, std::uint64_t address);

    address_trace_config m_config;
    output_file m_file;
    bool m_attached = false;
    std::uint64_t m_accesses = 0;
    std::priority_queue<access, std::vector<access>, std::greater<>> m_pending; // earliest arrival on top
    std::exception_ptr m_failure;
};

} // namespace tensorloom::activity
