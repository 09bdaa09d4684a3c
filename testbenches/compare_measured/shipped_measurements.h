#pragma once
#include <tensorloom/models/base/values/embedded_text.h>

namespace tensorloom::testbench {

using base::embedded_text;

/// Measurements that ship with the project (data/README.md).
extern const embedded_text shipped_measurements[];
extern const std::size_t shipped_measurements_count;

} // namespace tensorloom::testbench
