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

// Checks of commands on tensors of three modes that lie in memory: the first reason to refuse one; nothing when it is
// fine. `name`: how the texts call the tensor.

check_error bad_field(std::string text);
check_error bad_descriptor(const char* name, const std::string& text);

/// A descriptor that must be there, with this order and a type that is known.
std::optional<check_error> check_present(const char* name, const tensor_descriptor& d, unsigned order);
/// One of this type.
std::optional<check_error> check_type(const char* name, const tensor_descriptor& d, base::element_type type);
/// Elements of this type, or sums of them.
std::optional<check_error> check_result_type(const char* name, const tensor_descriptor& d, base::element_type format);
/// One that must be there, with these sizes and this type.
std::optional<check_error> check_tensor(const char* name, const tensor_descriptor& d,
                                        const std::vector<std::uint32_t>& size, base::element_type type);
/// One that the command does not use.
std::optional<check_error> check_absent(const char* name, const tensor_descriptor& d);
/// A workspace of at least so many elements of this type, one behind the other; it may be absent when none are needed.
std::optional<check_error> check_workspace(const tensor_descriptor& d, std::uint64_t needed, base::element_type type);

/// Modes 1, 2, 3, each once.
std::optional<check_error> check_order_of_modes(const std::array<std::uint8_t, 3>& order);
/// The address that gets a token.
std::optional<check_error> check_completion(std::uint64_t address);

} // namespace tensorloom::isa
