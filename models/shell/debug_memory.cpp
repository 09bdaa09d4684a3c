#include <tensorloom/models/shell/debug_memory.h>
#include <vector>

namespace tensorloom::shell {

// The last of several windows.
void debug_memory::write_state(base::state_writer& state) const
{
    const std::uint64_t first = bytes - window_bytes;
    std::vector<unsigned char> page;
    state.put(bytes);
    state.put_sparse(window_bytes, 0, [&](std::uint64_t address, std::uint64_t count) {
        page.resize(count);
        read_inside(first + address, page.data(), count);
        return page.data();
    });
}

std::function<void()> debug_memory::read_state(base::state_reader& state) const
{
    state.expect(bytes, name.c_str());
    return [this, pages = state.take_sparse(window_bytes)] {
        for (const auto& p : pages) { write_inside(bytes - window_bytes + p.address, p.bytes, p.count); }
    };
}

} // namespace tensorloom::shell
