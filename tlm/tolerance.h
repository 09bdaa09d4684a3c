#pragma once

namespace tensorloom::bus {

/// How far a target deviates from the base protocol for initiators that violate it. The defaults suit conforming
/// initiators.
///
/// docs/integration.md lists what real initiators send.
struct target_tolerance {
    bool zero_streaming_width = true; ///< 0 counts as the data length; otherwise BURST_ERROR
    /// Waits inside b_transport, for initiators that discard the returned delay.
    bool wait_out_delay = false;
};

} // namespace tensorloom::bus
