#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/isa/program/error_code.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/base/values/byte_layout.h>

namespace tensorloom::isa {

// The shell commands of every device that have a payload. NOP, HALT, END and IRQ have none; no shell command has flags.

/// LOOP ... END runs the commands in between `count` times. Loops nest up to 4 deep. The addresses of a command may
/// advance with the iterations of the two innermost loops around it, by its `step` fields, [0] for the innermost.
inline constexpr unsigned max_loop_depth = 4;
inline constexpr unsigned stepped_loops = 2;

namespace loop_fields {

inline constexpr base::layout_field count("count", 0, 4, 1, "iterations of the commands up to END; at least 1");
inline constexpr base::layout_field reserved("reserved", 4, 4, 3, "0", base::field_kind::reserved);
inline constexpr base::layout_field all[] = {count, reserved};

} // namespace loop_fields

inline constexpr base::byte_layout loop_layout{"loop", loop_fields::all};
static_assert(loop_layout.is_whole(), "a byte of the LOOP payload has no field, or two");

struct loop_command {
    static constexpr std::size_t payload_bytes = loop_layout.bytes();

    std::uint32_t count = 1;

    std::vector<std::uint8_t> encode() const;
    static loop_command decode(const std::uint8_t* payload);
};

/// The current iterations, [0] of the innermost loop; 0 without a loop.
using loop_indices = std::array<std::uint32_t, stepped_loops>;

/// LOAD moves a tensor from memory on the bus into the device's local memory, STORE moves it back. In the local memory
/// the elements are contiguous, in C order.
namespace transfer_fields {

inline constexpr base::layout_field tensor("tensor", 0, tensor_descriptor::encoded_bytes, 1,
                                           "location of the tensor in memory on the bus", base::field_kind::tensor);
inline constexpr base::layout_field
    tensor_step("tensor_step", tensor.end(), 8, stepped_loops,
                "signed bytes that its base advances per iteration of the innermost loop, and of the next",
                base::field_kind::signed_number);
inline constexpr base::layout_field local("local", tensor_step.end(), 8, 1,
                                          "address in the device's local memory, in bytes", base::field_kind::address);
inline constexpr base::layout_field
    local_step("local_step", local.end(), 8, stepped_loops,
               "signed bytes that it advances per iteration of the innermost loop, and of the next",
               base::field_kind::signed_number);
inline constexpr base::layout_field reserved("reserved", local_step.end(), 8, 1, "0", base::field_kind::reserved);
inline constexpr base::layout_field all[] = {tensor, tensor_step, local, local_step, reserved};

} // namespace transfer_fields

inline constexpr base::byte_layout transfer_layout{"transfer", transfer_fields::all};
static_assert(transfer_layout.is_whole() && transfer_layout.bytes() % 16 == 0,
              "a byte of the payload of LOAD and STORE has no field, or two");

struct transfer_command {
    static constexpr std::size_t payload_bytes = transfer_layout.bytes();

    tensor_descriptor tensor;
    std::array<std::int64_t, stepped_loops> tensor_step{};
    std::uint64_t local = 0;
    std::array<std::int64_t, stepped_loops> local_step{};
    std::uint64_t reserved = 0; ///< anything but 0 is malformed

    std::uint64_t bytes() const; ///< bytes moved
    /// The command in this iteration: addresses advanced, steps 0.
    transfer_command at(const loop_indices& iteration) const;

    std::vector<std::uint8_t> encode() const;
    static transfer_command decode(const std::uint8_t* payload);
};

/// GATHER is a LOAD with indirect addresses: it loads slices of a tensor along its first mode, selected by a list, one
/// after the other. The list is in the device's local memory, an unsigned 32-bit number, little-endian, per slice:
/// slice i begins list[i] x stride[0] elements after the base. So one list selects all data of a sample, or rows of a
/// table by their numbers. In a loop the list address advances, the base does not.
namespace gather_fields {

inline constexpr base::layout_field tensor("tensor", 0, tensor_descriptor::encoded_bytes, 1,
                                           "the slices: their number, size[0]; distance of neighbours, stride[0]",
                                           base::field_kind::tensor);
inline constexpr base::layout_field list("list", tensor.end(), 8, 1,
                                         "address of the list in the device's local memory, in bytes, a multiple of 4",
                                         base::field_kind::address);
inline constexpr base::layout_field
    list_step("list_step", list.end(), 8, stepped_loops,
              "signed bytes that it advances per iteration of the innermost loop, and of the next",
              base::field_kind::signed_number);
inline constexpr base::layout_field local("local", list_step.end(), 8, 1,
                                          "address of the first slice in the device's local memory, in bytes",
                                          base::field_kind::address);
inline constexpr base::layout_field
    local_step("local_step", local.end(), 8, stepped_loops,
               "signed bytes that it advances per iteration of the innermost loop, and of the next",
               base::field_kind::signed_number);
inline constexpr base::layout_field all[] = {tensor, list, list_step, local, local_step};

} // namespace gather_fields

inline constexpr base::byte_layout gather_layout{"gather", gather_fields::all};
static_assert(gather_layout.is_whole() && gather_layout.bytes() % 16 == 0,
              "a byte of the payload of GATHER has no field, or two");

struct gather_command {
    static constexpr std::size_t payload_bytes = gather_layout.bytes();
    static constexpr std::size_t entry_bytes = sizeof(std::uint32_t);

    tensor_descriptor tensor;
    std::uint64_t list = 0;
    std::array<std::int64_t, stepped_loops> list_step{};
    std::uint64_t local = 0;
    std::array<std::int64_t, stepped_loops> local_step{};

    std::uint64_t bytes() const;      ///< bytes moved
    std::uint64_t list_bytes() const; ///< of the list
    /// The command in this iteration: addresses advanced, steps 0.
    gather_command at(const loop_indices& iteration) const;
    /// Address of the slice of a list entry; nothing when it lies outside of 64 bits.
    std::optional<tensor_descriptor> slice(std::uint32_t entry) const;

    std::vector<std::uint8_t> encode() const;
    static gather_command decode(const std::uint8_t* payload);
};

/// SIGNAL sets a signal when every command before it has finished. WAIT blocks the program until its signal is set, and
/// clears it. Where commands run one at a time a signal is set at once.
inline constexpr unsigned signal_count = 32;

namespace signal_fields {

inline constexpr base::layout_field signal("signal", 0, 4, 1, "number of the signal, 0 to 31");
inline constexpr base::layout_field reserved("reserved", 4, 4, 3, "0", base::field_kind::reserved);
inline constexpr base::layout_field all[] = {signal, reserved};

} // namespace signal_fields

inline constexpr base::byte_layout signal_layout{"signal", signal_fields::all};
static_assert(signal_layout.is_whole(), "a byte of the payload of SIGNAL and WAIT has no field, or two");

struct signal_command {
    static constexpr std::size_t payload_bytes = signal_layout.bytes();

    std::uint32_t signal = 0;

    std::vector<std::uint8_t> encode() const;
    static signal_command decode(const std::uint8_t* payload);
};

/// The payload layout of a shell command; nullptr when it has none.
constexpr const base::byte_layout* shell_payload(opcode code)
{
    switch (code) {
    case opcode::loop: return &loop_layout;
    case opcode::load:
    case opcode::store: return &transfer_layout;
    case opcode::wait:
    case opcode::signal: return &signal_layout;
    case opcode::gather: return &gather_layout;
    default: return nullptr;
    }
}

/// The increments of an address, row or element index per iteration of the innermost loop, and of the next.
using address_steps = std::array<std::int32_t, stepped_loops>;

/// Applies the steps of this iteration to an address and sets them to 0. Addresses wrap at 2^32; their range is checked
/// afterwards.
inline void advance(std::uint32_t& address, address_steps& step, const loop_indices& iteration)
{
    for (unsigned l = 0; l < stepped_loops; ++l) {
        address += static_cast<std::uint32_t>(step[l]) * iteration[l];
        step[l] = 0;
    }
}

/// Whether all steps are 0.
inline bool stays(const address_steps& step) { return step == address_steps{}; }

/// Payload bytes of a shell command; nothing for an unknown opcode.
std::optional<std::size_t> shell_payload_bytes(opcode code);

/// Checks the payload of a LOOP, WAIT or SIGNAL; nothing for commands without payload.
///
///     bad_field    a count of 0, a signal above 31, reserved bytes other than 0
std::optional<check_error> check_control(opcode code, const std::uint8_t* payload);

/// Checks a LOAD or STORE in this iteration, on a device with `local_bytes` of memory in windows of this size. The
/// first iteration, {0, 0}, is checked when a program is loaded.
///
///     bad_field        reserved bytes other than 0
///     bad_descriptor   malformed, or addresses outside of 64 bits
///     too_large        a byte outside of the local memory, or bytes on both sides of a window's end
std::optional<check_error> check_transfer(const transfer_command& command, const loop_indices& iteration,
                                          std::uint64_t local_bytes, std::uint64_t window_bytes);

/// Likewise for a GATHER, without the contents of its list; too_large also for the list.
///
///     bad_field        a list address that is not a multiple of 4
std::optional<check_error> check_gather(const gather_command& command, const loop_indices& iteration,
                                        std::uint64_t local_bytes, std::uint64_t window_bytes);

} // namespace tensorloom::isa
