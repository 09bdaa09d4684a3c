#pragma once
#include <map>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>
#include <tensorloom/models/torus/isa/matrix_classes.h>
#include "models/torus/isa/golden_torus.h"

namespace tensorloom::test {

/// All schedules of classes whose blocks meet at nodes.
inline std::vector<torus::matrix_schedule> all_matrix_schedules(std::uint32_t side)
{
    using torus::matrix_class;
    using torus::matrix_form;
    std::vector<torus::matrix_schedule> all{{matrix_class::bbc, matrix_form::c_ab, {}, side},
                                            {matrix_class::bcr_row, matrix_form::c_ab, {}, side},
                                            {matrix_class::bcr_column, matrix_form::c_ab, {}, side}};
    for (const auto form : {matrix_form::c_ab, matrix_form::a_cb, matrix_form::b_ac}) {
        for (const char* vector : {"+++", "++-", "+-+", "+--", "-++", "-+-", "--+", "---"}) {
            all.push_back({matrix_class::cra, form, *torus::scheduling_vector_of(vector), side});
        }
    }
    return all;
}

/// The schedule of a row of the golden table "twod".
inline torus::matrix_schedule golden_schedule(const nlohmann::json& row)
{
    using torus::matrix_class;
    using torus::matrix_form;
    torus::matrix_schedule s;
    s.side = row["P"];
    const std::string cls = row["cls"], form = row["form"];
    const bool on_rows = row.value("schedule", "k-i") == "k-i";
    s.cls = cls == "BBC"   ? matrix_class::bbc
            : cls == "ASC" ? matrix_class::asc
            : cls == "CRA" ? matrix_class::cra
            : on_rows      ? matrix_class::bcr_row
                           : matrix_class::bcr_column;
    s.form = form == "17a" ? matrix_form::c_ab : form == "17b" ? matrix_form::a_cb : matrix_form::b_ac;
    s.vector = *torus::scheduling_vector_of(row.value("alpha_ijk", "+++"));
    return s;
}

/// Words by what rolls and where to: "A +j".
using roll_words = std::map<std::string, std::uint64_t>;

/// Of a systolic array in which B stays, the sums move as the table's B does, whose sums stay.
inline roll_words golden_rolls(const nlohmann::json& row)
{
    roll_words all;
    for (const auto& [name, words] : row["rolled"].items()) {
        all[row["cls"] == "ASC" && name == "B +i" ? "C +i" : name] = words;
    }
    return all;
}

inline roll_words rolls_of(const torus::matrix_movement& moved)
{
    roll_words all;
    for (const auto& roll : moved.rolled) {
        const std::string name = torus::matrix_values[static_cast<unsigned>(roll.which)].name;
        all[name + (roll.sign > 0 ? " +" : " -") + (roll.along == torus::axis::q ? "i" : "j")] = roll.words;
    }
    return all;
}

} // namespace tensorloom::test
