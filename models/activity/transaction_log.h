#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>
#include <tensorloom/tlm/transaction_sink.h>

namespace tensorloom::activity {

/// The time during which at least one of many intervals was active: the exact length of their union, for any order of
/// arrival.
///
/// Intervals that can no longer be merged are discarded, so memory does not grow with their number.
class busy_time {
public:
    /// An interval begin <= t < end. `settled`: no later interval begins before it; it must not decrease.
    void add(std::uint64_t begin, std::uint64_t end, std::uint64_t settled);
    std::uint64_t total() const;

    std::size_t pending() const { return m_pending.size(); } ///< intervals kept

private:
    std::map<std::uint64_t, std::uint64_t> m_pending; // begin, end: disjoint and not adjacent
    std::uint64_t m_settled = 0;
    std::uint64_t m_closed = 0; // length of the discarded intervals
};

/// Totals of one recorder. Exact, whatever number of records is kept.
struct traffic_totals {
    std::uint64_t transactions = 0; ///< transactions that have ended
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t bytes_read = 0; ///< requested by reads that ended OK
    std::uint64_t bytes_written = 0;
    std::uint64_t errors = 0;         ///< any status but OK
    std::uint64_t busy_ps = 0;        ///< time with at least one transaction between its begin and its end
    std::uint64_t latency_min_ps = 0; ///< of a transaction: end - begin; 0 without transactions
    std::uint64_t latency_max_ps = 0;
    std::uint64_t latency_sum_ps = 0;
    std::uint64_t debug_calls = 0;
    std::uint64_t debug_bytes = 0;
    std::uint64_t dmi_requests = 0;
    std::uint64_t dmi_grants = 0;
    std::uint64_t dmi_invalidations = 0;

    double latency_mean_ps() const
    {
        return transactions == 0 ? 0 : static_cast<double>(latency_sum_ps) / static_cast<double>(transactions);
    }
};

/// Collects the transactions of recorders: totals of each recorder, and the transactions themselves up to a limit for
/// all recorders together. Later ones are counted as dropped.
///
/// Example
///
///     activity::transaction_log traffic;
///     bus::recorder<> recorder("recorder", traffic);
///     sc_core::sc_start();
///     activity::write_traffic_csv("out/traffic.csv", traffic);
class transaction_log : public bus::transaction_sink {
public:
    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

    /// A transaction and the number of its recorder.
    struct entry {
        std::size_t recorder;
        bus::transaction_record record;
    };

    explicit transaction_log(std::size_t most_records = no_limit) : m_most_records(most_records) {}

    std::size_t attach(const std::string& recorder) override;
    void connected(std::size_t recorder, const std::string& initiator) override;
    void log(std::size_t recorder, const bus::transaction_record& record) override;
    void debug(std::size_t recorder, std::uint32_t bytes) override;
    void dmi_request(std::size_t recorder, bool granted) override;
    void dmi_invalidation(std::size_t recorder) override;

    std::size_t recorders() const { return m_recorders.size(); }
    const std::string& name(std::size_t recorder) const { return m_recorders.at(recorder).name; }
    const std::string& initiator(std::size_t recorder) const { return m_recorders.at(recorder).initiator; }
    traffic_totals totals(std::size_t recorder) const;
    /// Transactions of this recorder that are not in records().
    std::uint64_t dropped(std::size_t recorder) const { return m_recorders.at(recorder).dropped; }

    const std::vector<entry>& records() const { return m_records; } ///< in the order in which they ended

private:
    struct recorder_state {
        std::string name;
        std::string initiator;
        traffic_totals totals; // without busy_ps
        busy_time busy;
        std::uint64_t dropped = 0;
    };

    std::size_t m_most_records;
    std::vector<recorder_state> m_recorders;
    std::vector<entry> m_records;
};

// Output files of recorders. A file is written completely or not at all; failures are base::input_error.

/// transactions.csv: a line per transaction in the log, in the order in which they ended.
///
///     recorder,initiator,transport,command,address,bytes,status,begin_ps,end_request_ps,begin_response_ps,end_ps
/// transport is blocking or phases; the inner times of a blocking transaction are empty. Addresses are hexadecimal
/// (0x..).
void write_transactions_csv(const std::string& path, const transaction_log& log);

/// transactions.txlog: the same in the text format of SystemC Verification (SCV), which viewers of transactions read
/// (SCViewer): a stream per recorder, with generators read, write and ignore; times in ps, attributes initiator,
/// transport, address, bytes and status, of phases also end_request and begin_response (times).
void write_transactions_scv(const std::string& path, const transaction_log& log);

/// traffic.csv: the totals, a line per recorder.
///
///     recorder,initiator,transactions,reads,writes,bytes_read,bytes_written,errors,busy_ps,latency_min_ps,
///     latency_mean_ps,latency_max_ps,debug_calls,debug_bytes,dmi_requests,dmi_grants,dmi_invalidations,dropped
void write_traffic_csv(const std::string& path, const transaction_log& log);

/// Names used in the files.
const char* text_of(bus::transfer_command command);
const char* text_of(bus::transfer_status status);

} // namespace tensorloom::activity
