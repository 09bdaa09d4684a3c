#include "platform/summary_file.h"
#include <fstream>
#include <string>
#include <nlohmann/json.hpp>
#include <tensorloom/models/arch/files/atomic_file.h>

namespace tensorloom::testbench {

void write_summary(const std::filesystem::path& path, const nlohmann::ordered_json& document)
{
    const std::string text = document.dump(4, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
    arch::atomic_file place(path.string());
    std::ofstream file(place.temporary(), std::ios::binary);
    file << text;
    file.close();
    if (!file) { place.fail("the text could not be stored"); }
    place.commit();
}

} // namespace tensorloom::testbench
