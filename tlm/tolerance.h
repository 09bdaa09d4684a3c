#pragma once

namespace tensorloom::bus {

/// How far a target bends the base protocol for initiators that break it. Defaults suit initiators that follow the
/// standard.
///
/// What real initiators send is on the page docs/integration.md.
struct target_tolerance {
    bool zero_streaming_width = true; ///< 0 counts as the data length; otherwise BURST_ERROR
    /// Take the time by wait() inside b_transport, for initiators that discard the returned delay.
    bool wait_out_delay = false;
};

} // namespace tensorloom::bus
