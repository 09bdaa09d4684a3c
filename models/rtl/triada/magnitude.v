// Compares the modulus of an element with a limit that is not negative, and the element with zero; combinational. A NaN
// is within no limit, and counts as positive. FORMAT as in mac.v. The SystemC twin is arithmetic::counts_as_zero().
module magnitude #(
    parameter FORMAT = 2,
    parameter ELEMENT = 32
) (
    input  wire [ELEMENT - 1:0] element,
    input  wire [ELEMENT - 1:0] limit,
    output wire                 is_within,
    output wire                 positive
);
    wire negative = element[ELEMENT - 1];
    generate
        if (FORMAT == 0) begin : integer_format
            wire [ELEMENT:0] modulus = negative ? -{1'b1, element} : {1'b0, element};
            assign is_within = modulus <= {1'b0, limit};
            assign positive = !negative && element != 0;
        end else begin : float_format
            localparam EXPONENT = FORMAT == 3 ? 11 : 8;
            localparam FRACTION = ELEMENT - 1 - EXPONENT;
            wire is_nan = &element[ELEMENT - 2:FRACTION] && |element[FRACTION - 1:0];
            assign is_within = !is_nan && element[ELEMENT - 2:0] <= limit[ELEMENT - 2:0];
            assign positive = is_nan || (!negative && element[ELEMENT - 2:0] != 0);
        end
    endgenerate
endmodule
