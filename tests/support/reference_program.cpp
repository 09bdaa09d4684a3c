#include "support/reference_program.h"
#include <array>
#include <tensorloom/models/isa/program/register_map.h>
#include "support/reference_failure.h"

namespace tensorloom::test {

using isa::error_code;

std::uint8_t* reference_bus_memory::at(std::uint64_t address, std::size_t bytes)
{
    const std::uint64_t offset = address - m_base;
    require(address >= m_base && offset <= m_bytes.size() && bytes <= m_bytes.size() - offset, error_code::bus_error,
            "address outside of the memory");
    return m_bytes.data() + offset;
}

void reference_bus_memory::for_each_element(
    const isa::tensor_descriptor& tensor, const std::vector<std::uint32_t>& slices,
    const std::function<void(std::uint8_t*, std::size_t, std::uint64_t)>& action)
{
    const auto bytes = static_cast<std::int64_t>(base::element_bytes(static_cast<base::element_type>(tensor.type)));
    require(bytes != 0 && tensor.order >= 1 && tensor.order <= isa::tensor_descriptor::max_order,
            error_code::bad_descriptor, "tensor");
    std::array<std::uint32_t, isa::tensor_descriptor::max_order> index{};
    for (std::uint64_t e = 0; e < tensor.elements(); ++e) {
        std::uint64_t address = tensor.base;
        for (unsigned m = 0; m < tensor.order; ++m) {
            const std::int64_t at = m == 0 && !slices.empty() ? slices[index[0]] : index[m];
            address += static_cast<std::uint64_t>(tensor.stride[m] * bytes * at);
        }
        const auto size = static_cast<std::size_t>(bytes);
        action(at(address, size), size, e * size);
        for (unsigned m = tensor.order; m-- > 0;) {
            if (++index[m] < tensor.size[m]) { break; }
            index[m] = 0;
        }
    }
}

const std::uint8_t* reference_command::payload(std::size_t bytes) const
{
    const std::size_t padded = (bytes + 15) / 16 * 16;
    require(header.length == isa::command_header::encoded_bytes + padded, error_code::bad_command, "length");
    return after_header;
}

void run_reference_program(const std::vector<std::uint8_t>& program, reference_executor& executor,
                           std::uint32_t& command)
{
    using isa::opcode;

    command = 0;
    require(program.size() >= isa::program_header::encoded_bytes, error_code::bad_program, "no header");
    const auto header = isa::program_header::decode(program.data());
    require(header.magic == isa::program_header::magic_value &&
                header.version >> 16 == isa::register_map_version >> 16 && header.bytes == program.size(),
            error_code::bad_program, "header");

    std::vector<reference_command> commands;
    for (std::size_t offset = isa::program_header::encoded_bytes; offset < program.size();
         offset += commands.back().header.length) {
        command = static_cast<std::uint32_t>(commands.size());
        require(program.size() - offset >= isa::command_header::encoded_bytes, error_code::bad_command, "no room");
        const auto h = isa::command_header::decode(program.data() + offset);
        require(h.length >= isa::command_header::encoded_bytes && h.length % 16 == 0 &&
                    h.length <= program.size() - offset && h.reserved == 0,
                error_code::bad_command, "header");
        commands.push_back({h, program.data() + offset + isa::command_header::encoded_bytes});
    }
    require(commands.size() == header.commands, error_code::bad_program, "number of commands");

    struct open_loop {
        std::size_t first; // command after LOOP
        std::uint32_t count, iteration;
    };
    std::vector<open_loop> loops;
    std::array<bool, isa::signal_count> signals{};
    for (std::size_t i = 0; i < commands.size(); ++i) {
        command = static_cast<std::uint32_t>(i);
        const auto& c = commands[i];
        isa::loop_indices iteration{};
        for (std::size_t l = 0; l < iteration.size() && l < loops.size(); ++l) {
            iteration[l] = loops[loops.size() - 1 - l].iteration;
        }

        switch (static_cast<opcode>(c.header.opcode)) {
        case opcode::nop:
        case opcode::irq: break;
        case opcode::halt: return; // inside of a loop, too
        case opcode::loop: {
            const auto l = isa::loop_command::decode(c.payload(isa::loop_command::payload_bytes));
            require(l.count >= 1 && loops.size() < isa::max_loop_depth, error_code::bad_field, "loop");
            loops.push_back({i + 1, l.count, 0});
            break;
        }
        case opcode::end:
            require(!loops.empty(), error_code::bad_command, "END without LOOP");
            if (++loops.back().iteration < loops.back().count) {
                i = loops.back().first - 1;
            } else {
                loops.pop_back();
            }
            break;
        case opcode::load:
        case opcode::store:
            executor.transfer(
                static_cast<opcode>(c.header.opcode) == opcode::load,
                isa::transfer_command::decode(c.payload(isa::transfer_command::payload_bytes)).at(iteration), {});
            break;
        case opcode::gather: {
            const auto g = isa::gather_command::decode(c.payload(isa::gather_command::payload_bytes)).at(iteration);
            require(g.list % 4 == 0 && g.tensor.order >= 1, error_code::bad_field, "gather");
            isa::transfer_command load;
            load.tensor = g.tensor;
            load.local = g.local;
            executor.transfer(true, load, executor.list(g.list, g.tensor.size[0]));
            break;
        }
        case opcode::signal:
        case opcode::wait: {
            const auto s = isa::signal_command::decode(c.payload(isa::signal_command::payload_bytes));
            require(s.signal < isa::signal_count, error_code::bad_field, "signal");
            const bool give = static_cast<opcode>(c.header.opcode) == opcode::signal;
            require(give || signals[s.signal], error_code::never_signalled, "signal");
            signals[s.signal] = give;
            break;
        }
        default: executor.execute(c, iteration);
        }
    }
    require(loops.empty(), error_code::bad_command, "LOOP without END");
}

} // namespace tensorloom::test
