#include <tensorloom/workloads/contraction/einsum.h>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include "support/message_of.h"

namespace tensorloom::workloads {
namespace {

std::string error_of(const std::string& expression, const std::string& sizes)
{
    return test::message_of([&] { parse_einsum(expression, sizes); });
}

TEST(einsum_test, letters_fall_into_four_groups)
{
    const contraction p = parse_einsum("xbki,kjbX->jibxX", "b=2,i=3,k=4,j=5,x=6,X=7");
    EXPECT_EQ(p.batch, "b");
    EXPECT_EQ(p.contracted, "k");
    EXPECT_EQ(p.a_free, "ix"); // in the order of the result
    EXPECT_EQ(p.b_free, "jX");
    EXPECT_EQ(p.macs(), 2u * 3 * 4 * 5 * 6 * 7);
    EXPECT_EQ(p.shape(p.c), (std::vector<std::size_t>{5, 3, 2, 6, 7}));
}

TEST(einsum_test, contracted_modes_keep_the_order_of_the_first_operand)
{
    EXPECT_EQ(parse_einsum("pqr,rpq->", "p=1,q=2,r=3").contracted, "pqr");
}

TEST(einsum_test, letters_are_case_sensitive)
{
    const contraction p = parse_einsum("iI,Ik->ik", "i=2,I=3,k=4");
    EXPECT_EQ(p.contracted, "I");
    EXPECT_EQ(p.size_of('i'), 2u);
    EXPECT_EQ(p.size_of('I'), 3u);
}

TEST(einsum_test, scalars_have_no_modes)
{
    const contraction p = parse_einsum(",->", "");
    EXPECT_TRUE(p.shape(p.c).empty());
    EXPECT_EQ(p.macs(), 1u);
}

TEST(einsum_test, blanks_between_the_parts_are_skipped)
{
    const contraction p = parse_einsum(" i k , kj -> ij ", " i = 20 , k=3, j= 4 ");
    EXPECT_EQ(p.a, "ik");
    EXPECT_EQ(p.c, "ij");
    EXPECT_EQ(p.size_of('i'), 20u);
    EXPECT_EQ(p.size_of('j'), 4u);
}

TEST(einsum_test, shapes_give_the_sizes)
{
    const contraction p = parse_einsum("ik,kj->ij", {2, 3}, {3, 4});
    EXPECT_EQ(p.size_of('k'), 3u);
    EXPECT_THROW(parse_einsum("ik,kj->ij", {2, 3}, {5, 4}), base::input_error);
    EXPECT_THROW(parse_einsum("ik,kj->ij", {2, 3, 1}, {3, 4}), base::input_error);
    EXPECT_THROW(parse_einsum("ik,kj->ij", {2, 0}, {0, 4}), base::input_error);
}

struct bad_input {
    const char* expression;
    const char* sizes;
    const char* part; // of the message
};

class einsum_check_error : public testing::TestWithParam<bad_input> {};

TEST_P(einsum_check_error, is_one_line_that_names_what_is_wrong)
{
    const std::string text = error_of(GetParam().expression, GetParam().sizes);
    EXPECT_NE(text.find(GetParam().part), std::string::npos) << text;
    EXPECT_NE(text.find("expected"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    all, einsum_check_error,
    testing::Values(
        bad_input{"", "", "the end at place 1"}, bad_input{"ik", "i=1,k=1", "the end at place 3"},
        bad_input{"ik,kj", "i=1,k=1,j=1", "the end at place 6"}, bad_input{"ik,kj-ij", "", "'-' at place 6"},
        bad_input{"ik,kj,jl->il", "", "',' at place 6"}, bad_input{"ik,kj->ij,", "", "',' at place 10"},
        bad_input{"i1,1j->ij", "", "'1' at place 2"}, bad_input{"i\xff,kj->ij", "", "byte 255 at place 2"},
        bad_input{"...k,kj->j", "", "'.' at place 1"}, bad_input{"ii,ij->j", "", "'i' twice in the first operand"},
        bad_input{"ij,kk->ijk", "", "'k' twice in the second operand"},
        bad_input{"ij,jk->iik", "", "'i' twice in the result"}, bad_input{"ij,jk->ikz", "", "'z' only in the result"},
        bad_input{"ijz,jk->ik", "", "'z' only in one operand"}, bad_input{"ij,jkz->ik", "", "'z' only in one operand"},
        bad_input{"abcdefghi,a->bcdefghi", "", "9 modes in the first operand"},
        bad_input{"abcde,fghij->abcdefghij", "", "10 modes in the result"},
        bad_input{"ik,kj->ij", "i=2,k=3", "none for 'j'"},
        bad_input{"ik,kj->ij", "i=2,k=3,j=4,z=5", "'z', which is no"},
        bad_input{"ik,kj->ij", "i=2,k=3,j=4,i=2", "'i' twice"}, bad_input{"ik,kj->ij", "i=0,k=3,j=4", "'0' for 'i'"},
        bad_input{"ik,kj->ij", "i=-1,k=3,j=4", "'-1' for 'i'"},
        bad_input{"ik,kj->ij", "i=2147483648,k=1,j=1", "for 'i'"},
        bad_input{"ik,kj->ij", "i=99999999999999999999999,k=1,j=1", "for 'i'"},
        bad_input{"ik,kj->ij", "i=,k=3,j=4", "'' for 'i'"}, bad_input{"ik,kj->ij", "i2,k=3,j=4", "'i' without a size"},
        bad_input{"ik,kj->ij", "i=2,,k=3,j=4", "','"}, bad_input{"ik,kj->ij", "i=2,k=3,j=4,", "',' at the end"},
        bad_input{"ik,kj->ij", "i=6 4,k=3,j=4", "'6 4' for 'i'"},
        bad_input{"ik,kj->ij", "i=2 k=3,j=4", "'2 k=3' for 'i'"}, bad_input{"ik,kj->ij", "i=  ,k=3,j=4", "'' for 'i'"},
        bad_input{"ik,kj->ij", "i=2, ,k=3,j=4", "','"}, bad_input{"ik,kj- >ij", "", "'-' at place 6"},
        bad_input{" ik, kj", "", "the end at place 8"},
        bad_input{"ik,kj->ij", "i=65536,k=65536,j=1", "more than 2^31 - 1 elements in the first operand"},
        bad_input{"ik,kj->ij", "i=65536,k=1,j=65536", "more than 2^31 - 1 elements in the result"}));

} // namespace
} // namespace tensorloom::workloads
