#pragma once
#include <string>
#include <vector>
#include <tensorloom/models/arch/dram_config.h>

namespace tensorloom::arch {

/// Reads a DRAM from YAML; `origin` is what complaints call it. models/arch/memories/lpddr4-3200.yaml shows every key;
/// each must be there once, and no other. Complaints are input_error, one line that names the file, the key, what was
/// found and what is expected.
dram_config read_dram(const std::string& text, const std::string& origin);

/// A shipped DRAM by its name ("lpddr4-3200"), or the file at that path.
dram_config load_dram(const std::string& name_or_path);

std::vector<std::string> shipped_dram_names();

} // namespace tensorloom::arch
