// A sum rounded to an element; combinational. FORMAT as in mac.v.
//
//     int8         right shift by 0 to 31, to nearest, ties to even, then saturated; `saturated` says so
//     bf16         to nearest, ties to even; a NaN is the canonical quiet NaN
//     f32, f64     unchanged
//
// The SystemC twin is arithmetic::narrowed().
module narrowing #(
    parameter FORMAT = 2,
    parameter ELEMENT = 32,
    parameter SUM = 32
) (
    input  wire [SUM - 1:0]     sum,
    input  wire [4:0]           shift,
    output wire [ELEMENT - 1:0] element,
    output wire                 saturated
);
    generate
        if (FORMAT == 0) begin : integer_format
            // the bits shifted out follow the result
            wire signed [2 * SUM - 1:0] shifted = $signed({sum, {SUM{1'b0}}}) >>> shift;
            wire half = shifted[SUM - 1];
            wire rest = |shifted[SUM - 2:0];
            wire up = half && (rest || shifted[SUM]);
            wire [SUM:0] rounded = {shifted[2 * SUM - 1], shifted[2 * SUM - 1:SUM]} + {{SUM{1'b0}}, up};
            wire negative = rounded[SUM];
            wire fits = rounded[SUM:ELEMENT - 1] == {SUM - ELEMENT + 2{negative}};
            assign element = fits ? rounded[ELEMENT - 1:0] : {negative, {ELEMENT - 1{!negative}}};
            assign saturated = !fits;
        end else if (SUM > ELEMENT) begin : shorter_float
            localparam CUT = SUM - ELEMENT;
            localparam FRACTION = 23;
            wire is_nan = &sum[SUM - 2:FRACTION] && |sum[FRACTION - 1:0];
            wire up = sum[CUT - 1] && (|sum[CUT - 2:0] || sum[CUT]);
            wire [ELEMENT - 1:0] rounded = sum[SUM - 1:CUT] + {{ELEMENT - 1{1'b0}}, up};
            assign element = is_nan ? {1'b0, {SUM - 1 - FRACTION{1'b1}}, 1'b1, {FRACTION - CUT - 1{1'b0}}} : rounded;
            assign saturated = 1'b0;
            wire unused = &{1'b0, shift};
        end else begin : same_float
            assign element = sum;
            assign saturated = 1'b0;
            wire unused = &{1'b0, shift};
        end
    endgenerate
endmodule
