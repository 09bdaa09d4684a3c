#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/isa/program/error_code.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::isa {

// Checks of commands on tensors of three modes in memory: each returns the first reason to refuse one, or nothing.
// `name`: name of the tensor in messages.

check_error bad_field(std::string text);
check_error bad_descriptor(const char* name, const std::string& text);

/// A required descriptor with this order and a known type.
std::optional<check_error> check_present(const char* name, const tensor_descriptor& d, unsigned order);
/// A descriptor with this type.
std::optional<check_error> check_type(const char* name, const tensor_descriptor& d, base::element_type type);
/// A descriptor of elements of this type, or of sums of them.
std::optional<check_error> check_result_type(const char* name, const tensor_descriptor& d, base::element_type format);
/// A required descriptor with these sizes and this type.
std::optional<check_error> check_tensor(const char* name, const tensor_descriptor& d,
                                        const std::vector<std::uint32_t>& size, base::element_type type);
/// A tensor inside the device: contiguous, in C order, with base 0.
std::optional<check_error> check_in_device(const char* name, const tensor_descriptor& d);
/// A tensor of three modes, none of which is larger than the device.
std::optional<check_error> check_fits(const char* name, const tensor_descriptor& d,
                                      const std::array<std::uint32_t, 3>& device);
/// A descriptor that must be absent.
std::optional<check_error> check_absent(const char* name, const tensor_descriptor& d);
/// A workspace of at least this number of contiguous elements of this type; optional when none are needed.
std::optional<check_error> check_workspace(const tensor_descriptor& d, std::uint64_t needed, base::element_type type);

/// Modes 1, 2, 3, each exactly once.
std::optional<check_error> check_order_of_modes(const std::array<std::uint8_t, 3>& order);
/// The address to which a token is written.
std::optional<check_error> check_completion(std::uint64_t address);

} // namespace tensorloom::isa
