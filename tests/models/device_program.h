#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/shell_commands.h>

namespace tensorloom::test {

/// What the writers of programs of every device have: the shell's commands. Self is the writer.
template <class Self> class device_program {
public:
    Self& loop(std::uint32_t count) { return add(isa::opcode::loop, isa::loop_command{count}.encode()); }
    Self& end() { return add(isa::opcode::end, {}); }
    Self& add(isa::command_code code, const std::vector<std::uint8_t>& payload, std::uint16_t flags = 0)
    {
        m_builder.add(code, flags, 0, payload);
        return static_cast<Self&>(*this);
    }

    std::vector<std::uint8_t> bytes() const { return m_builder.bytes(); }

protected:
    /// Words of a type, dense in memory and in the device.
    Self& transfer(isa::opcode code, std::uint64_t memory, std::uint64_t local, base::element_type type,
                   std::uint32_t words)
    {
        isa::transfer_command t;
        t.tensor = isa::dense_descriptor(memory, type, {words});
        t.local = local;
        return add(code, t.encode());
    }

private:
    isa::program_builder m_builder;
};

} // namespace tensorloom::test
