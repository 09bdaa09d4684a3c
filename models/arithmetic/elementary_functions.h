#pragma once

namespace tensorloom::arithmetic {

// Functions of one real number with the same bits in every build: they use only additions, multiplications, divisions
// and powers of two, each rounded as in IEEE 754, and no mathematics library, whose bits change between versions.
//
// Error, in units of the last place of a result: in float64 exponential and logarithm 1, sigmoid and hyperbolic_tangent
// 3; in float32, which is the float64 result rounded, 0.51. Subnormal results have the same bounds. NaN results are the
// canonical quiet NaN.

double exponential(double x);        ///< e^x; infinity above the largest number, 0 below half of the smallest
double logarithm(double x);          ///< natural; -infinity for 0 of either sign; NaN below
double sigmoid(double x);            ///< 1 / (1 + e^-x)
double hyperbolic_tangent(double x); ///< keeps the sign of 0

float exponential(float x);
float logarithm(float x);
float sigmoid(float x);
float hyperbolic_tangent(float x);

} // namespace tensorloom::arithmetic
