#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <cci_configuration>
#include <systemc>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/instance_report.h>

namespace tensorloom::bus {

/// The fields of a configuration as parameters of the SystemC CCI library (Configuration, Control and Inspection),
/// whose header <cci_configuration> this one includes: nothing else of TensorLoom needs it.
///
/// Each field is a cci_param, immutable, called INSTANCE.FIELD below the module where this is constructed, with _ for -
/// in FIELD: "board.transform.burst_bytes". Its type is bool (on or off), uint64_t, double, or std::string for names
/// and sizes ("16x16x16"). Description: that of the field. Metadata: "unit" of a number, "values" in words, "member" of
/// the configuration struct. Parameters exist as long as this object.
/// Presets of a broker are taken at construction. It needs a broker, cci::cci_register_broker() before, and a module in
/// whose constructor it is made. Whether fields fit each other is checked by the module.
///
/// Config    a struct with fields_of() (base/values/config_fields.h), for example of a device, memory or router
/// Errors    SC_ERROR /tensorloom/cci_fields/value: a value that the field does not allow; names the parameter, what
///           was found and what was expected
///           a preset of another type, and a second object for an instance (a warning), are reported by CCI
///
/// Example
///
///     struct board : sc_core::sc_module {
///         explicit board(sc_core::sc_module_name name) : sc_module(name) {}
///         bus::cci_fields<triada::config> transform_fields{"transform"};
///         triada::device<> transform{"transform", transform_fields.config()};
///     };
template <class Config> class cci_fields {
public:
    explicit cci_fields(const std::string& instance, const Config& defaults = {}) : m_config(defaults)
    {
        // The table is made anew after each field: ranges may depend on fields before.
        for (std::size_t i = 0; i < fields_of(m_config).size(); ++i) { add(instance, fields_of(m_config)[i]); }
    }
    cci_fields(const cci_fields&) = delete;
    cci_fields& operator=(const cci_fields&) = delete;

    const Config& config() const { return m_config; } ///< with the values of the parameters
    std::size_t size() const { return m_parameters.size(); }

private:
    template <class T> using parameter = cci::cci_param<T, cci::CCI_IMMUTABLE_PARAM>;

    void add(const std::string& instance, const base::config_field& field)
    {
        const std::string text = field.text();
        switch (field.kind) {
        case base::config_kind::flag:
        case base::config_kind::on_off: return add_as<bool>(instance, field, text == "on");
        case base::config_kind::number:
            return add_as<std::uint64_t>(instance, field, *base::parse_number<std::uint64_t>(text));
        case base::config_kind::fraction: return add_as<double>(instance, field, *base::parse_number<double>(text));
        case base::config_kind::name:
        case base::config_kind::sizes: return add_as<std::string>(instance, field, text);
        }
    }

    template <class T> void add_as(const std::string& instance, const base::config_field& field, const T& value)
    {
        std::string leaf = field.says.name;
        for (auto& letter : leaf) { letter = letter == '-' ? '_' : letter; }
        auto made = std::make_shared<parameter<T>>(instance + "." + leaf, value, field.says.help);
        if (!field.unit().empty()) { made->add_metadata("unit", cci::cci_value(field.unit()), "unit of the number"); }
        made->add_metadata("values", cci::cci_value(field.values), "allowed values");
        made->add_metadata("member", cci::cci_value(field.member()), "member of the configuration struct");
        const std::string text = text_of(made->get_value());
        const auto expected = field.text() == text ? std::nullopt : field.read(text);
        if (expected) {
            report_error(made->name(), "/tensorloom/cci_fields/value", "found " + base::in_quotes(text) + ", expected " + *expected);
        }
        m_parameters.push_back(std::move(made));
    }

    static std::string text_of(bool value) { return value ? "on" : "off"; }
    static std::string text_of(std::uint64_t value) { return std::to_string(value); }
    static std::string text_of(double value) { return base::shortest_text(value); }
    static std::string text_of(const std::string& value) { return value; }

    Config m_config;
    std::vector<std::shared_ptr<void>> m_parameters; // of several types
};

} // namespace tensorloom::bus
