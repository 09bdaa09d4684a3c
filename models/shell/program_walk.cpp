#include <tensorloom/models/shell/program_walk.h>

namespace tensorloom::shell {

program_walk::program_walk(const std::vector<std::uint8_t>& program)
    : m_next{program.data() + arch::program_header::encoded_bytes, 0},
      m_commands(arch::program_header::decode(program.data()).commands)
{}

std::optional<issued_command> program_walk::next()
{
    if (m_next.index == m_commands) { return std::nullopt; }
    issued_command c;
    c.index = m_next.index;
    c.header = arch::command_header::decode(m_next.at);
    c.payload = m_next.at + arch::command_header::encoded_bytes;
    for (unsigned l = 0; l < arch::stepped_loops && l < m_depth; ++l) {
        c.iteration[l] = m_loops[m_depth - 1 - l].iteration;
    }
    for (unsigned l = 0; l < m_depth; ++l) { c.execution = c.execution * m_loops[l].count + m_loops[l].iteration; }

    m_next = {m_next.at + c.header.length, m_next.index + 1};
    const auto code = static_cast<arch::opcode>(c.header.opcode);
    if (code == arch::opcode::loop) {
        m_loops[m_depth++] = {m_next, arch::loop_command::decode(c.payload).count, 0};
    } else if (code == arch::opcode::end) {
        open_loop& loop = m_loops[m_depth - 1];
        if (++loop.iteration < loop.count) {
            m_next = loop.body;
        } else {
            --m_depth;
        }
    }
    return c;
}

} // namespace tensorloom::shell
