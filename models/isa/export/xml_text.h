#pragma once
#include <string>
#include <utility>
#include <tensorloom/models/isa/export/indented_text.h>

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
        m_lines.enter("<" + m_prefix + element + attributes + ">");
    }
    void close(const std::string& element) { m_lines.leave("</" + m_prefix + element + ">"); }
    void leaf(const std::string& element, const std::string& value)
    {
        m_lines.line("<" + m_prefix + element + ">" + escaped(value) + "</" + m_prefix + element + ">");
    }
    const std::string& text() const { return m_lines.text(); }

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

    std::string m_prefix;
    indented_text m_lines{"  ", "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"};
};

} // namespace tensorloom::isa
