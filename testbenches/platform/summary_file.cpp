#include "platform/summary_file.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <nlohmann/json.hpp>

namespace tensorloom::testbench {

void write_summary(const std::filesystem::path& path, const nlohmann::ordered_json& document)
{
    const std::string text = document.dump(4, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
    const std::string temporary = path.string() + "." + std::to_string(::getpid()) + ".part";

    std::FILE* file = std::fopen(temporary.c_str(), "wb");
    bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (file != nullptr) { written = std::fclose(file) == 0 && written; }
    written = written && std::rename(temporary.c_str(), path.c_str()) == 0;
    if (!written) {
        const std::string reason = std::strerror(errno);
        std::remove(temporary.c_str());
        throw std::runtime_error("cannot write " + path.string() + ": " + reason);
    }
}

} // namespace tensorloom::testbench
