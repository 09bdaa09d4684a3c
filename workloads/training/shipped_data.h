#pragma once
#include <cstddef>
#include <tensorloom/models/base/values/embedded_text.h>

namespace tensorloom::workloads {

using base::embedded_text;

/// Data sets that ship with the project (data/README.md).
extern const embedded_text shipped_samples[];
extern const std::size_t shipped_samples_count;

/// Models that ship with the project, YAML.
extern const embedded_text shipped_models[];
extern const std::size_t shipped_models_count;

} // namespace tensorloom::workloads
