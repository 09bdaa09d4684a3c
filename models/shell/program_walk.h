#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/shell/issued_command.h>

namespace tensorloom::shell {

/// The commands of a program in the order in which they run, loops turned round. Takes no memory for iterations.
///
/// LOOP and END are commands like others: a LOOP comes up once, before its first iteration; an END in every iteration,
/// with the iteration that it ends. HALT does not end the walk.
class program_walk {
public:
    /// A program without complaint (program_check.h); stays where it is.
    explicit program_walk(const std::vector<std::uint8_t>& program);

    /// The next command; nothing when the program is over.
    std::optional<issued_command> next();

private:
    struct place {
        const std::uint8_t* at;
        std::uint32_t index;
    };
    struct open_loop {
        place body;
        std::uint32_t count;
        std::uint32_t iteration;
    };

    place m_next;
    std::uint32_t m_commands;
    std::array<open_loop, arch::max_loop_depth> m_loops{}; // outermost first
    unsigned m_depth = 0;
};

} // namespace tensorloom::shell
