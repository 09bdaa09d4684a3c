#pragma once
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>
#include "models/fetta/fetta_bench.h"
#include "models/traced_bench.h"

namespace tensorloom::test {

/// A waveform as a list of times and of the changes in them.
class vcd_signals {
public:
    /// The values of all signals from one time to the next, by their full names: bits as a number, real numbers as text
    /// that is not looked at.
    using values = std::map<std::string, std::uint64_t>;

    explicit vcd_signals(const std::string& text)
    {
        std::istringstream in(text);
        std::string word;
        std::vector<std::string> scopes;
        std::map<std::string, std::string> names; // by identifier
        while (in >> word) {
            if (word == "$comment") {
                while (in >> word && word != "$end") {}
            } else if (word == "$scope") {
                in >> word >> word;
                scopes.push_back(word);
            } else if (word == "$upscope") {
                scopes.pop_back();
            } else if (word == "$var") {
                std::string id, name, prefix;
                in >> word >> word >> id >> name;
                for (const auto& s : scopes) { prefix += s + "."; }
                names[id] = prefix + name;
            } else if (word == "$date" || word == "$version" || word == "$timescale") {
                while (in >> word && word != "$end") {}
            } else if (word[0] == '#') {
                m_times.push_back({std::stoull(word.substr(1)), {}});
            } else if ((word[0] == '0' || word[0] == '1') && names.count(word.substr(1)) != 0) {
                change(names[word.substr(1)], word[0] == '1' ? 1 : 0);
            } else if (word[0] == 'b') {
                std::string id;
                in >> id;
                change(names[id], std::stoull(word.substr(1), nullptr, 2));
            }
        }
    }

    /// Calls see(values, duration in ps) for every time but the last.
    template <class See> void visit(const See& see) const
    {
        values now;
        for (std::size_t t = 0; t + 1 < m_times.size(); ++t) {
            for (const auto& [name, value] : m_times[t].second) { now[name] = value; }
            see(static_cast<const values&>(now), m_times[t + 1].first - m_times[t].first);
        }
    }

private:
    void change(const std::string& name, std::uint64_t value)
    {
        if (m_times.empty()) { m_times.push_back({0, {}}); } // the first values
        m_times.back().second[name] = value;
    }

    std::vector<std::pair<std::uint64_t, values>> m_times;
};

/// A FETTA with a waveform.
class traced_fetta : public traced_bench<fetta_bench, fetta::contraction_trace> {
public:
    using traced_bench::traced_bench;

    /// Two engines with their PEs, and all networks.
    static fetta::contraction_trace everything()
    {
        fetta::contraction_trace all;
        all.engines = {0, 3};
        all.processing_elements = true;
        all.networks = true;
        return all;
    }
};

/// A signal of the tensor contraction unit, or of one of its parts, in a waveform of one device.
inline std::uint64_t signal(const vcd_signals::values& now, const std::string& name)
{
    const std::string end = ".tensor_contraction_unit." + name;
    std::uint64_t value = ~std::uint64_t{0}; // there is no such signal
    for (const auto& [full, v] : now) {
        if (full.size() > end.size() && full.compare(full.size() - end.size(), end.size(), end) == 0) { value = v; }
    }
    return value;
}

/// What is high in a unit that should be at rest: all that says that something is valid, or happens.
inline std::string active_signals(const vcd_signals::values& now)
{
    std::string found;
    for (const auto& [full, value] : now) {
        if (full.find(".tensor_contraction_unit.") == std::string::npos || value == 0) { continue; }
        const std::string name = full.substr(full.rfind('.') + 1);
        for (const char* active : {"valid", "steps", "starts", "loads", "drains", "step", "load", "drain", "stall",
                                   "write", "tile", "diagonal", "transpose"}) {
            if (name == active) { found += full + " "; }
        }
    }
    return found;
}

} // namespace tensorloom::test
