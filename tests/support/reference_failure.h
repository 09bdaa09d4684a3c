#pragma once
#include <string>
#include <tensorloom/models/arch/program/error_code.h>

namespace tensorloom::test {

/// Why a command of a reference interpreter ended its program.
struct reference_failure {
    arch::error_code code;
    std::string text;
};

inline void require(bool holds, arch::error_code code, const char* what)
{
    if (!holds) { throw reference_failure{code, what}; }
}

} // namespace tensorloom::test
