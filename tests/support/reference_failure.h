#pragma once
#include <string>
#include <tensorloom/models/isa/program/error_code.h>

namespace tensorloom::test {

/// Why a command of a reference interpreter ended its program.
struct reference_failure {
    isa::error_code code;
    std::string text;
};

inline void require(bool holds, isa::error_code code, const char* what)
{
    if (!holds) { throw reference_failure{code, what}; }
}

} // namespace tensorloom::test
