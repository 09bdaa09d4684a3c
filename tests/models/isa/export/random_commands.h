#pragma once
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>
#include <tensorloom/models/isa/program/device_description.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::test {

using program_bytes = std::vector<std::uint8_t>;

/// Random programs of the commands of a device and of its shell.
class random_programs {
public:
    explicit random_programs(const isa::device_description& device) : m_device(device) {}

    program_bytes next(unsigned commands)
    {
        isa::program_builder builder;
        for (unsigned i = 0; i < commands; ++i) {
            const auto shell = isa::shell_command_descriptions();
            const std::uint64_t which = number() % (shell.size + m_device.commands.size);
            add(builder, which < shell.size ? shell.first[which] : m_device.commands.first[which - shell.size]);
        }
        return builder.bytes();
    }

private:
    std::uint64_t number() { return m_random(); }
    std::uint64_t often_small() { return number() >> number() % 64; }

    void add(isa::program_builder& builder, const isa::command_description& command)
    {
        std::uint16_t flags = 0;
        for (const auto& f : command.flags) { flags = static_cast<std::uint16_t>(flags | (number() % 2) * f.value); }
        program_bytes payload(command.payload == nullptr ? 0 : command.payload->bytes());
        if (command.payload != nullptr) {
            for (const auto& f : *command.payload) {
                for (std::uint32_t i = 0; i < f.count && number() % 4 != 0; ++i) {
                    fill(payload.data() + f.offset + i * f.bytes, f);
                }
            }
        }
        const auto token = number() % 2 == 0 ? 0 : static_cast<std::uint32_t>(number());
        builder.add(static_cast<isa::opcode>(command.opcode.value), flags, token, payload);
    }

    void fill(std::uint8_t* to, const base::layout_field& field)
    {
        if (field.kind == base::field_kind::reserved) { return; }
        if (field.kind == base::field_kind::tensor) { return tensor().encode(to); }
        std::uint64_t value = often_small();
        if (field.kind == base::field_kind::signed_number && number() % 2 == 0) { value = 0 - value; }
        for (std::uint32_t b = 0; b < field.bytes; ++b) { to[b] = static_cast<std::uint8_t>(value >> 8 * b); }
    }

    isa::tensor_descriptor tensor()
    {
        if (number() % 5 == 0) { return {}; }
        std::vector<std::uint32_t> sizes(1 + number() % 8);
        for (auto& s : sizes) { s = std::max(1u, static_cast<std::uint32_t>(often_small())); }
        auto d = isa::dense_descriptor(often_small(), static_cast<base::element_type>(1 + number() % 8), sizes);
        if (number() % 2 == 0) { d.stride[number() % d.order] = static_cast<std::int64_t>(0 - often_small()); }
        return d;
    }

    const isa::device_description& m_device;
    std::mt19937_64 m_random{11};
};

} // namespace tensorloom::test
