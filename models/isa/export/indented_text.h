#pragma once
#include <cstddef>
#include <string>
#include <utility>

namespace tensorloom::isa {

/// Lines of text, indented by their depth.
///
/// Example
///
///     isa::indented_text text("    ");
///     text.enter("reg {");
///     text.line("regwidth = 32;"); // by four spaces
///     text.leave("};");
class indented_text {
public:
    /// `step`: indentation of a level. `begin`: text before the first line.
    explicit indented_text(std::string step, std::string begin = {}) : m_step(std::move(step)), m_text(std::move(begin))
    {}

    /// An empty line is not indented.
    void line(const std::string& content)
    {
        for (std::size_t i = 0; i < m_depth && !content.empty(); ++i) { m_text += m_step; }
        m_text += content + "\n";
    }
    /// A line whose following lines are a level deeper, until leave().
    void enter(const std::string& content)
    {
        line(content);
        ++m_depth;
    }
    void leave(const std::string& content)
    {
        --m_depth;
        line(content);
    }
    const std::string& text() const { return m_text; }

private:
    std::string m_step;
    std::string m_text;
    std::size_t m_depth = 0;
};

} // namespace tensorloom::isa
