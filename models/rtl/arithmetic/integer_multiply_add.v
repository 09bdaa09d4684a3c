// acc + x c of signed integers; combinational. The sum wraps, and `overflow` says that it did.
module integer_multiply_add #(
    parameter ELEMENT = 8,
    parameter SUM = 32
) (
    input  wire [SUM - 1:0]     acc,
    input  wire [ELEMENT - 1:0] x,
    input  wire [ELEMENT - 1:0] c,
    output wire [SUM - 1:0]     result,
    output wire                 overflow
);
    wire signed [2 * ELEMENT - 1:0] product = $signed(x) * $signed(c);
    wire [SUM - 1:0] wide = {{SUM - 2 * ELEMENT{product[2 * ELEMENT - 1]}}, product};

    assign result = acc + wide;
    assign overflow = acc[SUM - 1] == wide[SUM - 1] && result[SUM - 1] != acc[SUM - 1];
endmodule
