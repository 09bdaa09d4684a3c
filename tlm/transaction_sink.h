#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace tensorloom::bus {

enum class transfer_command { read, write, ignore };
enum class transfer_status {
    incomplete,
    ok,
    generic_error,
    address_error,
    command_error,
    burst_error,
    byte_enable_error
};
enum class transfer_kind {
    blocking,
    phases ///< non-blocking transport
};

/// A transaction that has ended. Times are annotated simulated times, in ps.
struct transaction_record {
    transfer_kind kind;
    transfer_command command;
    transfer_status status;
    std::uint64_t address; ///< as seen by the initiator
    std::uint32_t bytes;
    std::uint64_t begin_ps;          ///< the call, or BEGIN_REQ
    std::uint64_t end_request_ps;    ///< END_REQ, explicit or implied; blocking: begin_ps
    std::uint64_t begin_response_ps; ///< BEGIN_RESP, explicit or implied; blocking: end_ps
    std::uint64_t end_ps;            ///< the return, or END_RESP, explicit or implied
    std::uint64_t settled_ps;        ///< no later record of this recorder begins before this time
};

/// Receives the transactions of recorders. Implemented by models/activity, or by a user.
///
/// All calls come from the simulation's single thread. The sink must outlive the recorders that report to it.
///
/// Example
///
///     activity::transaction_log log; // a transaction_sink
///     bus::recorder<> recorder("recorder", log);
class transaction_sink {
public:
    virtual ~transaction_sink() = default;

    /// Elaboration: registers a recorder by its hierarchical name. Returns the number that its other calls pass.
    virtual std::size_t attach(const std::string& recorder) = 0;
    /// End of elaboration: the hierarchical name of the initiator's socket that the recorder is connected to.
    virtual void connected(std::size_t recorder, const std::string& initiator) = 0;

    virtual void log(std::size_t recorder, const transaction_record& record) = 0; ///< in the order in which they end
    virtual void debug(std::size_t recorder, std::uint32_t bytes) = 0;            ///< bytes moved
    virtual void dmi_request(std::size_t recorder, bool granted) = 0;
    virtual void dmi_invalidation(std::size_t recorder) = 0;
};

} // namespace tensorloom::bus
