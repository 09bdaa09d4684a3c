// libFuzzer's mutations of the target `device`: they know commands and their fields, so that most programs are ones
// that a device looks at.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include "fuzz/device_input.h"
#include "fuzz/fuzzed_device.h"

extern "C" {
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t bytes, std::size_t most);
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t bytes, std::size_t most, unsigned seed);
std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_bytes, const std::uint8_t* b,
                                      std::size_t b_bytes, std::uint8_t* out, std::size_t most, unsigned seed);
}

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using bytes_type = std::vector<std::uint8_t>;

/// The commands of a program, each with its header; what is no whole command at the end is dropped.
std::vector<bytes_type> commands_of(const bytes_type& program)
{
    std::vector<bytes_type> commands;
    constexpr std::size_t head = isa::command_header::encoded_bytes;
    for (std::size_t at = isa::program_header::encoded_bytes; at + head <= program.size();) {
        const std::size_t length = isa::command_header::decode(program.data() + at).length;
        if (length < head || length > program.size() - at) { break; }
        commands.emplace_back(program.begin() + static_cast<std::ptrdiff_t>(at),
                              program.begin() + static_cast<std::ptrdiff_t>(at + length));
        at += length;
    }
    return commands;
}

bytes_type program_of(const std::vector<bytes_type>& commands)
{
    bytes_type program = isa::program_builder().bytes(); // with the version
    for (const auto& c : commands) { program.insert(program.end(), c.begin(), c.end()); }
    auto header = isa::program_header::decode(program.data());
    header.commands = static_cast<std::uint32_t>(commands.size());
    header.bytes = static_cast<std::uint32_t>(program.size());
    header.encode(program.data());
    return program;
}

class mutation {
public:
    mutation(device_input& input, const fuzzed_device& device, unsigned seed)
        : m_input(input), m_device(device.description()), m_variants(device.variants()), m_random(seed),
          m_commands(commands_of(input.program))
    {}

    void run()
    {
        for (unsigned changes = 1 + below(3); changes != 0; --changes) { change(); }
        m_input.program = program_of(m_commands);
        if (below(100) == 0) { put_number(m_input.program.data() + 4 * below(4), 4); } // of the program's header
    }

private:
    std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(m_random() % n); }

    std::uint64_t number()
    {
        static constexpr std::uint64_t ends[] = {0xff, 0x100, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff};
        const std::uint64_t memory = 0x8004'0000; // where the data of device_bench lies
        switch (below(8)) {
        case 0: return m_random();
        case 1: return ends[below(std::size(ends))];
        case 2: return std::uint64_t{1} << below(64);
        case 3: return 0 - std::uint64_t{below(64)};
        case 4: return memory + 16 * below(4096);
        case 5: return 8 * below(1024);
        default: return below(20);
        }
    }
    void put_number(std::uint8_t* to, std::uint32_t bytes)
    {
        const std::uint64_t value = number();
        for (std::uint32_t i = 0; i < std::min(8u, bytes); ++i) { to[i] = static_cast<std::uint8_t>(value >> 8 * i); }
    }

    const isa::command_description* description(const bytes_type& command) const
    {
        return isa::find_command(m_device, command[0]);
    }

    void change()
    {
        if (m_commands.empty()) { return insert(); }
        const std::size_t at = below(m_commands.size());
        const auto place = m_commands.begin() + static_cast<std::ptrdiff_t>(at);
        switch (below(16)) {
        case 0: insert(); break;
        case 1: m_commands.erase(place); break;
        case 2: m_commands.insert(place, bytes_type(m_commands[at])); break;
        case 3: std::swap(m_commands[at], m_commands[below(m_commands.size())]); break;
        case 4: enclose(at); break;
        case 5: change_header(m_commands[at]); break;
        case 6: m_input.variant = m_variants[below(m_variants.size())]; break;
        case 7: nudge(m_commands[at]); break;
        default: change_field(m_commands[at]); break;
        }
    }

    void insert()
    {
        const auto shell = isa::shell_command_descriptions();
        const std::size_t which = below(shell.size + 2 * m_device.commands.size);
        const auto& of = which < shell.size ? shell.first[which] : m_device.commands.first[(which - shell.size) / 2];
        isa::program_builder one;
        one.add(isa::command_code(static_cast<std::uint8_t>(of.opcode.value)), 0, 0,
                bytes_type(of.payload == nullptr ? 0 : of.payload->bytes()));
        auto command = commands_of(one.bytes()).front();
        if (of.payload != nullptr) {
            for (unsigned fields = below(2 * of.payload->size); fields != 0; --fields) { change_field(command); }
        }
        m_commands.insert(m_commands.begin() + static_cast<std::ptrdiff_t>(below(m_commands.size() + 1)), command);
    }

    void enclose(std::size_t at)
    {
        const std::size_t last = at + below(m_commands.size() - at);
        isa::program_builder pair;
        pair.add(isa::opcode::loop, 0, 0, isa::loop_command{1 + below(3)}.encode()).add(isa::opcode::end);
        const auto both = commands_of(pair.bytes());
        m_commands.insert(m_commands.begin() + static_cast<std::ptrdiff_t>(last + 1), both[1]);
        m_commands.insert(m_commands.begin() + static_cast<std::ptrdiff_t>(at), both[0]);
    }

    void change_header(bytes_type& command)
    {
        const auto* const of = description(command);
        std::uint8_t* const flags = command.data() + isa::command_fields::flags.offset;
        if (of != nullptr && of->flags.size != 0 && below(8) != 0) {
            const auto value = std::next(of->flags.begin(), below(of->flags.size))->value;
            flags[0] ^= static_cast<std::uint8_t>(value);
            flags[1] ^= static_cast<std::uint8_t>(value >> 8);
        } else if (below(2) == 0) {
            flags[below(2)] ^= static_cast<std::uint8_t>(1u << below(8));
        } else if (below(2) == 0) {
            const auto& to = m_device.commands.first[below(m_device.commands.size)]; // of the same length, most of them
            command[0] = static_cast<std::uint8_t>(to.opcode.value);
        } else {
            put_number(command.data() + isa::command_fields::token.offset, 4);
        }
    }

    // One number of a field: a new one, or that of another field.
    void change_field(bytes_type& command)
    {
        const auto* const of = description(command);
        std::uint8_t* const payload = command.data() + isa::command_header::encoded_bytes;
        const std::size_t bytes = command.size() - isa::command_header::encoded_bytes;
        if (of == nullptr || of->payload == nullptr || of->payload->bytes() > bytes) {
            if (bytes != 0) { put_number(payload + below(bytes / 8) * 8, 8); }
            return;
        }
        const auto& field = *std::next(of->payload->begin(), below(of->payload->size));
        std::uint8_t* const place = payload + field.offset + field.bytes * below(field.count);
        if (field.kind == base::field_kind::tensor) { return change_descriptor(place); }
        const auto& from = *std::next(of->payload->begin(), below(of->payload->size));
        if (below(4) == 0 && from.bytes == field.bytes) {
            std::memmove(place, payload + from.offset, field.bytes);
        } else if (field.kind != base::field_kind::reserved || below(20) == 0) {
            put_number(place, field.bytes);
        }
    }

    // A tensor keeps most of its shape, so that those of a command still go together.
    void change_descriptor(std::uint8_t* place)
    {
        const auto& layout = isa::descriptor_layout;
        const auto& field = *std::next(layout.begin(), below(layout.size));
        if (field.kind == base::field_kind::reserved && below(20) != 0) { return; }
        std::uint8_t* const to = place + field.offset + field.bytes * below(field.count);
        if (below(3) == 0) {
            to[0] = static_cast<std::uint8_t>(to[0] + below(17) - 8);
        } else {
            put_number(to, field.bytes);
        }
    }

    // A number a little larger or smaller.
    void nudge(bytes_type& command)
    {
        const std::size_t at = isa::command_header::encoded_bytes +
                               4 * below((command.size() - isa::command_header::encoded_bytes) / 4 + 1);
        if (at < command.size()) { command[at] = static_cast<std::uint8_t>(command[at] + below(17) - 8); }
    }

    device_input& m_input;
    const isa::device_description& m_device;
    const std::vector<std::string> m_variants;
    std::mt19937 m_random;
    std::vector<bytes_type> m_commands;
};

/// An input as it stands, or an empty program on some device when its first line names none.
device_input whole_input(const std::uint8_t* data, std::size_t bytes, unsigned seed)
{
    const auto input = device_input::decode(data, bytes);
    if (input && find_fuzzed_device(input->device) != nullptr) { return *input; }
    const auto devices = fuzzed_devices();
    const auto& device = *devices[seed % devices.size()];
    return {device.name(), device.variants().front(), {}};
}

std::size_t written(const device_input& input, std::uint8_t* to, std::size_t most)
{
    const auto bytes = input.encode();
    const std::size_t size = std::min(bytes.size(), most);
    std::memcpy(to, bytes.data(), size);
    return size;
}

} // namespace

// SystemC and the devices live as long as the process.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t bytes, std::size_t most, unsigned seed)
{
    if (seed % 50 == 0) { return LLVMFuzzerMutate(data, bytes, most); }
    auto input = whole_input(data, bytes, seed);
    mutation(input, *find_fuzzed_device(input.device), seed).run();
    return written(input, data, most);
}

// Some commands of one program, then some of another, on the device of the first.
std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_bytes, const std::uint8_t* b,
                                      std::size_t b_bytes, std::uint8_t* out, std::size_t most, unsigned seed)
{
    auto first = whole_input(a, a_bytes, seed);
    auto commands = commands_of(first.program);
    const auto more = commands_of(whole_input(b, b_bytes, seed).program);
    std::mt19937 random(seed);
    commands.resize(random() % (commands.size() + 1));
    commands.insert(commands.end(), std::prev(more.end(), static_cast<std::ptrdiff_t>(random() % (more.size() + 1))),
                    more.end());
    first.program = program_of(commands);
    return written(first, out, most);
}
