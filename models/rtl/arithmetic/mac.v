// The multiply-add of a number format, acc + x c; combinational. Elements and sums lie in ELEMENT and SUM bits:
//
//     FORMAT   element        ELEMENT   sum       SUM
//     0        int8           8         int32     32     wraps; `overflow` when it does
//     1        bf16           16        f32       32
//     2        f32            32        f32       32
//     3        f64            64        f64       64
//
// The SystemC twin is arithmetic::mac().
module mac #(
    parameter FORMAT = 2,
    parameter ELEMENT = 32,
    parameter SUM = 32
) (
    input  wire [SUM - 1:0]     acc,
    input  wire [ELEMENT - 1:0] x,
    input  wire [ELEMENT - 1:0] c,
    output wire [SUM - 1:0]     result,
    output wire                 overflow
);
    generate
        if (FORMAT == 0) begin : integer_format
            integer_multiply_add #(.ELEMENT(ELEMENT), .SUM(SUM))
                unit(.acc(acc), .x(x), .c(c), .result(result), .overflow(overflow));
        end else begin : float_format
            fused_multiply_add #(
                .EXPONENT(FORMAT == 3 ? 11 : 8),
                .FRACTION(FORMAT == 1 ? 7 : FORMAT == 3 ? 52 : 23),
                .SUM_EXPONENT(FORMAT == 3 ? 11 : 8),
                .SUM_FRACTION(FORMAT == 3 ? 52 : 23)
            ) unit(.acc(acc), .x(x), .c(c), .result(result));
            assign overflow = 1'b0;
        end
    endgenerate
endmodule
