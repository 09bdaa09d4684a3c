#pragma once
#include <functional>
#include <ostream>
#include <string>
#include <vector>
#include "tlm/rogue_bench.h"

namespace tensorloom::test {

/// A program that breaks one rule, once, and the clause that must be named.
struct planted_violation {
    std::string name;
    bus::protocol_rule rule;
    std::string clause;
    std::function<void(rogue_bench&)> program;
};
inline void PrintTo(const planted_violation& v, std::ostream* out) { *out << v.name; }

std::vector<planted_violation> planted_in_requests();
std::vector<planted_violation> planted_in_answers();
std::vector<planted_violation> planted_in_phases();
std::vector<planted_violation> planted_in_dmi_and_debug();

} // namespace tensorloom::test
