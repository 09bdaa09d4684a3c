#pragma once
#include <string>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::testbench {

/// The line of the input_error that `action` throws; "(none)" when it throws none.
template <class Action> std::string input_error_of(const Action& action)
{
    try {
        action();
    } catch (const base::input_error& e) {
        return e.what();
    }
    return "(none)";
}

} // namespace tensorloom::testbench
