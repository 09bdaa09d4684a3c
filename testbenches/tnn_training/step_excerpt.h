#pragma once
#include <cstdint>
#include <functional>
#include <vector>
#include <tensorloom/tlm/activity_sink.h>

namespace tensorloom::testbench {

/// Whether a record belongs to this iteration, from 0, of the outermost loop of a program. A command's records are
/// numbered by run; a command in further loops has several runs per iteration.
std::function<bool(const bus::log_record&)> records_of_turn(const std::vector<std::uint8_t>& program,
                                                            std::uint64_t turn);

} // namespace tensorloom::testbench
