#pragma once
#include <tensorloom/models/arch/values/config_fields.h>
#include <tensorloom/tlm/router.h>

namespace tensorloom::bus {

/// The table of a router's parameters, by which they can be set and listed (arch/values/config_fields.h): latency and
/// clock-period in ps, bytes-per-cycle, arbitration by name, queue-depth, arbitrate-blocking, allow-dmi. It lives as
/// long as the configuration.
arch::config_fields fields_of(router_config& config);

} // namespace tensorloom::bus
