#pragma once
#include <string>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::test {

/// What the error of this type says that `action` throws, in one line; "", which no expectation matches, when it throws
/// none.
template <class Error = base::input_error, class Action> std::string message_of(const Action& action)
{
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos)
            << "a complaint is one line: " << error.what();
        return error.what();
    }
    return "";
}

} // namespace tensorloom::test
