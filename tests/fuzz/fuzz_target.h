#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tensorloom/models/base/values/input_error.h>

/// What libFuzzer calls, and the replay of corpora: one input, whatever it is. A finding ends the process.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes);

namespace tensorloom::test {

/// Ends the process with this text unless it holds.
void expect(bool holds, std::string_view what);

/// An error message as users see it: one line, not empty, of no more than some hundred characters.
void expect_one_line(std::string_view error);

/// True when an action ends, false when it complains as it may: in an base::input_error of one line. Anything else that
/// it throws is a finding.
template <class Action> bool done_or_refused(const Action& action)
{
    try {
        action();
        return true;
    } catch (const base::input_error& error) {
        expect_one_line(error.what());
        return false;
    }
}

/// The bytes as a file in memory, for readers that want a path: valid until the next call.
std::string as_file(const std::uint8_t* data, std::size_t bytes);

/// An input whose first byte chooses between things to do with the others.
struct chosen_input {
    chosen_input(const std::uint8_t* all, std::size_t size)
        : choice(size == 0 ? 0 : all[0]), data(size == 0 ? all : all + 1), bytes(size == 0 ? 0 : size - 1)
    {}

    std::string text() const { return {data, data + bytes}; }

    unsigned choice;
    const std::uint8_t* data;
    std::size_t bytes;
};

} // namespace tensorloom::test
