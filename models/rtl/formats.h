#pragma once
#include <optional>
#include <string>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::rtl {

/// What is missing for any RTL, as a message; nothing where it was built.
std::optional<std::string> missing();

/// Whether RTL of this format was built: int8 and f32 by default, bf16 and f64 with TENSORLOOM_RTL_FORMATS. FETTA's is
/// always there, in both formats of its operands.
bool has(base::element_type format);

/// What is missing for the fidelity rtl in this format, as a message; nothing if it is there.
std::optional<std::string> missing(base::element_type format);

} // namespace tensorloom::rtl
