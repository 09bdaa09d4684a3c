// The registers at the left edge of a contraction engine: element i of a row reaches row i of the engine i cycles later.
// They move with a token that goes down a row per cycle: moves[k], the token is at row k.
module skew_buffer #(
    parameter SIDE = 4,
    parameter ELEMENT = 32
) (
    input  wire                              clock,
    input  wire [SIDE - 2:0]                 moves,
    input  wire [SIDE * ELEMENT - 1:0]       row,
    output wire [(SIDE - 1) * ELEMENT - 1:0] skewed // from element 1 on; element 0 needs no register
);
    genvar i;
    generate
        for (i = 1; i < SIDE; i = i + 1) begin : element
            reg [i * ELEMENT - 1:0] delay; // the newest at the right
            integer k;
            always @(posedge clock) begin
                for (k = 0; k < i; k = k + 1) begin
                    if (moves[k]) begin
                        delay[k * ELEMENT +: ELEMENT] <=
                            k == 0 ? row[i * ELEMENT +: ELEMENT] : delay[(k == 0 ? 0 : k - 1) * ELEMENT +: ELEMENT];
                    end
                end
            end
            assign skewed[(i - 1) * ELEMENT +: ELEMENT] = delay[(i - 1) * ELEMENT +: ELEMENT];
        end
    endgenerate
    wire unused = &{1'b0, row[ELEMENT - 1:0]};
endmodule
