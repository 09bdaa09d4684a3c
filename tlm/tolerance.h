#pragma once
#include <tensorloom/models/base/values/config_fields.h>

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

/// Its fields, as those of the member `tolerance` of a configuration.
inline base::config_fields fields_of(target_tolerance& t)
{
    return base::members_of(
        "tolerance", {base::flag(t.zero_streaming_width,
                                 {"zero-streaming-width", "zero_streaming_width", "",
                                  "The target takes a streaming width of 0 as the length; off: it is a burst error."}),
                      base::flag(t.wait_out_delay,
                                 {"wait-out-delay", "wait_out_delay", "",
                                  "A blocking access waits inside the call, for initiators that discard the delay."})});
}

} // namespace tensorloom::bus
