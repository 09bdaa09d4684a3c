#pragma once
#include <memory>
#include <optional>
#include <vector>
#include <tensorloom/models/torus/isa/matrix_classes.h>
#include "platform/options/options.h"
#include "platform/report/testbench_run.h"

namespace tensorloom::testbench {

struct orbital_options;

/// Products of matrices on the plane R = 0 of a torus, by one or several classes of schedules.
struct class_request {
    std::vector<torus::matrix_class> classes;
    torus::matrix_form form = torus::matrix_form::c_ab;

    bool is_one() const { return classes.size() == 1; }
};

/// Adds --class --form.
void add_class_options(option_table& table);
/// None without --class. Throws base::input_error for options of transforms, and for a form that the class does not
/// have.
std::optional<class_request> read_class(const option_values& values);
/// Checks the request once shape, format and device are known; of all classes only those with this format remain.
/// Throws base::input_error.
void check_product(orbital_options& options);

/// Multiplies the same matrices, filled, with sums from +0, by a program per class.
std::unique_ptr<testbench_run> make_class_run(const orbital_options& options);

} // namespace tensorloom::testbench
