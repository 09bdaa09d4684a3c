// FETTA's reduction network: a butterfly of adder switches (adder_switch.v), whose level q joins the ports that differ in
// bit q, then a transpose layer. A register follows every level; controls travel with the data: bit q PORTS + p of
// `diagonal` belongs to input p of level q. PORTS is a power of two; with an odd power there is no transpose layer.
//
// The SystemC twin is fetta::reduction_network.
module reduction_network #(
    parameter PORTS = 16,
    parameter LANES = 4,
    parameter EXPONENT = 8, // of the sums
    parameter FRACTION = 23,
    parameter SUM = 1 + EXPONENT + FRACTION,
    parameter LEVELS = $clog2(PORTS)
) (
    input  wire                                      clock,
    input  wire                                      clear,    // what is in flight is dropped
    input  wire [PORTS - 1:0]                        valid_in,
    input  wire [PORTS * LANES * SUM - 1:0]          in,
    input  wire [LEVELS * PORTS - 1:0]               diagonal,
    input  wire                                      transpose,
    output wire [PORTS - 1:0]                        valid,
    output wire [PORTS * LANES * SUM - 1:0]          out,
    // by level: its register, and the controls that its switches have in this cycle
    output wire [LEVELS * PORTS - 1:0]               level_valid,
    output wire [LEVELS * PORTS * LANES * SUM - 1:0] level_out,
    output wire [LEVELS * PORTS - 1:0]               level_diagonal
);
    localparam BEAT = LANES * SUM;
    localparam HALF = LEVELS / 2;

    genvar q, s, p;
    generate
        for (q = 0; q < LEVELS; q = q + 1) begin : level
            reg [PORTS - 1:0] valid_register;
            reg [PORTS * BEAT - 1:0] beats;
            wire [PORTS - 1:0] next_valid;
            wire [PORTS * BEAT - 1:0] next_beats;
            // of this level and those after it
            wire [(LEVELS - q) * PORTS - 1:0] controls;
            if (q == 0) begin : first
                assign controls = diagonal;
            end else begin : later
                reg [(LEVELS - q) * PORTS - 1:0] held;
                always @(posedge clock) begin
                    held <= level[q - 1].controls[(LEVELS - q + 1) * PORTS - 1:PORTS] & {(LEVELS - q) * PORTS{!clear}};
                end
                assign controls = held;
            end

            for (s = 0; s < PORTS / 2; s = s + 1) begin : switches
                // the number of the switch with a 0 at bit q
                localparam LEFT = (s >> q << (q + 1)) | (s & ((1 << q) - 1));
                localparam RIGHT = LEFT | (1 << q);
                wire left_valid, right_valid;
                wire [BEAT - 1:0] left, right;
                if (q == 0) begin : edge_in
                    assign left_valid = valid_in[LEFT];
                    assign right_valid = valid_in[RIGHT];
                    assign left = in[LEFT * BEAT +: BEAT];
                    assign right = in[RIGHT * BEAT +: BEAT];
                end else begin : inner
                    assign left_valid = level[q - 1].valid_register[LEFT];
                    assign right_valid = level[q - 1].valid_register[RIGHT];
                    assign left = level[q - 1].beats[LEFT * BEAT +: BEAT];
                    assign right = level[q - 1].beats[RIGHT * BEAT +: BEAT];
                end
                adder_switch #(.LANES(LANES), .EXPONENT(EXPONENT), .FRACTION(FRACTION)) unit(
                    .left_valid(left_valid), .right_valid(right_valid),
                    .left_diagonal(controls[LEFT]), .right_diagonal(controls[RIGHT]), .left(left), .right(right),
                    .left_out_valid(next_valid[LEFT]), .right_out_valid(next_valid[RIGHT]),
                    .left_out(next_beats[LEFT * BEAT +: BEAT]), .right_out(next_beats[RIGHT * BEAT +: BEAT]));
            end

            always @(posedge clock) begin
                valid_register <= next_valid & {PORTS{!clear}};
                beats <= next_beats;
            end
            assign level_valid[q * PORTS +: PORTS] = valid_register;
            assign level_out[q * PORTS * BEAT +: PORTS * BEAT] = beats;
            assign level_diagonal[q * PORTS +: PORTS] = controls[PORTS - 1:0];
        end

        // the transpose layer exchanges the halves of a port's number
        reg [LEVELS - 1:0] transposes; // the newest at the right
        always @(posedge clock) begin
            transposes <= {transposes[LEVELS - 2:0], transpose} & {LEVELS{!clear}};
        end
        for (p = 0; p < PORTS; p = p + 1) begin : layer
            localparam FROM = LEVELS % 2 == 0 ? ((p & ((1 << HALF) - 1)) << HALF) | (p >> HALF) : p;
            wire across = transposes[LEVELS - 1];
            assign valid[p] = across ? level[LEVELS - 1].valid_register[FROM] : level[LEVELS - 1].valid_register[p];
            assign out[p * BEAT +: BEAT] =
                across ? level[LEVELS - 1].beats[FROM * BEAT +: BEAT] : level[LEVELS - 1].beats[p * BEAT +: BEAT];
        end
    endgenerate
endmodule
