#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include "compare_devices/compared_device.h"

namespace tensorloom::testbench {

/// Resource of which every device has at most as much (`--equal`).
enum class equal_resource { none, multipliers, area, power, onchip };
inline constexpr const char* equal_resource_names[] = {"none", "multipliers", "area", "power", "onchip"};

struct device_budget {
    equal_resource resource = equal_resource::none;
    double most = 0; ///< mm^2 of the die, W of the die on average, bytes on chip; not of multipliers

    /// By simulation of every size, not by a size that is fixed.
    bool is_searched() const { return resource != equal_resource::none && resource != equal_resource::multipliers; }
};
std::string text_of(const device_budget& budget); ///< "50 mm^2 of die"

/// The size of a device that was chosen.
struct chosen_size {
    std::size_t simulated = 0; ///< sizes
    std::size_t within = 0;    ///< of these, within the budget
};

/// Sets the device to the size that does the work in the fewest cycles within the budget, of all its sizes: each is
/// simulated in a process of its own. A size that does not allow the clock is left out if --clock asks for it, and
/// taken without one only where no other is within the budget; --allow-overclock takes all alike. Throws too_small,
/// with the size that comes nearest, when none is within the budget. Call it before elaboration.
chosen_size choose_size(comparable_device& device, const device_budget& budget, const device_surroundings& around);

} // namespace tensorloom::testbench
