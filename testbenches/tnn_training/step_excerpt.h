#pragma once
#include <cstdint>
#include <functional>
#include <vector>
#include <tensorloom/tlm/activity_sink.h>

namespace tensorloom::testbench {

/// Whether a record is of this turn, from 0, of the outermost loop of a program. A command's records have the number of
/// its run; within further loops there are several in a turn.
std::function<bool(const bus::log_record&)> records_of_turn(const std::vector<std::uint8_t>& program,
                                                            std::uint64_t turn);

} // namespace tensorloom::testbench
