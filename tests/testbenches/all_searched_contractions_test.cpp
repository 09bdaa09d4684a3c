#include <gtest/gtest.h>
#include "testbenches/searched_contractions.h"

TEST(all_searched_contractions_test, no_objective_is_beaten_by_the_choice_of_another_one)
{
    tensorloom::test::expect_never_beaten(200, 82, 20);
}
