#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace tensorloom::testbench {

/// Writes a document (nlohmann::json converts, and sorts its keys) so that a reader sees the old file or the whole new
/// one.
///
/// Numbers read back as the same double (at most 17 digits); those that are not finite are null. Bytes that are not
/// UTF-8 are replaced. arch::input_error when the file cannot be written.
void write_summary(const std::filesystem::path& path, const nlohmann::ordered_json& document);

} // namespace tensorloom::testbench
