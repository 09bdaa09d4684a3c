#pragma once
#include <cstddef>
#include <string>
#include <utility>

namespace tensorloom::isa {

/// The text of an XML file: elements indented by their depth.
///
/// Example
///
///     isa::xml_text xml;
///     xml.open("field");
///     xml.leaf("bitOffset", "3"); // <bitOffset>3</bitOffset>
///     xml.close("field");
class xml_text {
public:
    /// `prefix`: of the name of every element: "ipxact:".
    explicit xml_text(std::string prefix = {}) : m_prefix(std::move(prefix)) {}

    /// `attributes` in XML: " version=\"1\"".
    void open(const std::string& element, const std::string& attributes = {})
    {
        line("<" + m_prefix + element + attributes + ">");
        ++m_depth;
    }
    void close(const std::string& element)
    {
        --m_depth;
        line("</" + m_prefix + element + ">");
    }
    void leaf(const std::string& element, const std::string& value)
    {
        line("<" + m_prefix + element + ">" + escaped(value) + "</" + m_prefix + element + ">");
    }
    const std::string& text() const { return m_text; }

private:
    static std::string escaped(const std::string& text)
    {
        std::string safe;
        for (const char c : text) {
            switch (c) {
            case '&': safe += "&amp;"; break;
            case '<': safe += "&lt;"; break;
            case '>': safe += "&gt;"; break;
            default: safe += c;
            }
        }
        return safe;
    }
    void line(const std::string& text) { m_text += std::string(2 * m_depth, ' ') + text + "\n"; }

    std::string m_prefix;
    std::string m_text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";
    std::size_t m_depth = 0;
};

} // namespace tensorloom::isa
