#pragma once
#include <string_view>
#include <vector>
#include <tensorloom/models/arch/program/device_description.h>

namespace tensorloom::arch {

/// The devices of the library: what an assembler, a register export or a tool that knows them by name works from.
const std::vector<const device_description*>& described_devices();

/// The device of this name, or nullptr.
const device_description* find_described_device(std::string_view name);
/// The same; throws input_error, which names the devices that there are, when there is none.
const device_description& described_device(std::string_view name);

} // namespace tensorloom::arch
