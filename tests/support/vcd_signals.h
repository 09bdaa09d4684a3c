#pragma once
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tensorloom::test {

/// A waveform as a list of times and of the changes in them.
class vcd_signals {
public:
    /// The values of all signals from one time to the next, by their full names: real numbers, and bits as a whole
    /// number, up to 53 of them.
    using values = std::map<std::string, double>;

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
                change(names[id], static_cast<double>(std::stoull(word.substr(1), nullptr, 2)));
            } else if (word[0] == 'r') {
                std::string id;
                in >> id;
                change(names[id], std::stod(word.substr(1)));
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
    void change(const std::string& name, double value)
    {
        if (m_times.empty()) { m_times.push_back({0, {}}); } // the first values
        m_times.back().second[name] = value;
    }

    std::vector<std::pair<std::uint64_t, values>> m_times;
};

} // namespace tensorloom::test
