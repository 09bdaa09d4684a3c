#include "fuzz/fuzz_target.h"
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

namespace tensorloom::test {

void expect(bool holds, std::string_view what)
{
    if (holds) { return; }
    std::fprintf(stderr, "finding: %.*s\n", static_cast<int>(what.size()), what.data());
    std::abort();
}

void expect_one_line(std::string_view error)
{
    constexpr std::size_t longest = 2000; // names of files and lists of choices among it
    const std::string text(error);
    expect(!text.empty() && text.size() <= longest, "a complaint of " + std::to_string(text.size()) + " characters");
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        expect(code >= 0x20 && code != 0x7f, "a control character in '" + text + "'");
    }
}

std::string as_file(const std::uint8_t* data, std::size_t bytes)
{
    static const int file = memfd_create("input", 0);
    std::size_t written = 0;
    expect(file >= 0 && ftruncate(file, 0) == 0, "no file in memory");
    while (written < bytes) {
        const ssize_t more = pwrite(file, data + written, bytes - written, static_cast<off_t>(written));
        expect(more > 0, "no room in memory");
        written += static_cast<std::size_t>(more);
    }
    return "/proc/self/fd/" + std::to_string(file);
}

} // namespace tensorloom::test
