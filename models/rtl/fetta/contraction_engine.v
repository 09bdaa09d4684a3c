// A contraction engine of FETTA: SIDE x SIDE elements (engine_element.v), skew buffers, and a token per row for each kind
// of event. The controls of a cycle enter the top row with the data and go down a row per cycle:
//
//     step      a row of IA enters; output-stationary: also a row of IB
//     start     with the first step of a tile: the loaded IB becomes active, or sums start at 0
//     load      a row of a stationary IB enters; load_start with the first one of a tile
//     finish    output-stationary: the sums of the ended tile go to the shadow and drain, the bottom row first
//     valid     bit 0 with a stationary step: its row of sums is a result; with finish, bit m: row m is one
//
// An operand row that is not present counts as zeros. configure sets the data path and drops what is in flight; no other
// control comes with it. Element (r, n) is number r SIDE + n of the buses of registers.
//
// The SystemC twin is fetta::contraction_engine. FORMAT as in mac.v.
module contraction_engine #(
    parameter SIDE = 4,
    parameter FORMAT = 2,
    parameter ELEMENT = 32,
    parameter SUM = 32
) (
    input  wire                               clock,
    // data path
    input  wire                               configure,
    input  wire                               to_output_stationary,
    input  wire                               to_horizontal,
    // controls
    input  wire                               step,
    input  wire                               start,
    input  wire                               load,
    input  wire                               load_start,
    input  wire                               finish,
    input  wire [SIDE - 1:0]                  valid,
    // operands
    input  wire                               ia_present,
    input  wire [SIDE * ELEMENT - 1:0]        ia,
    input  wire                               ib_present,
    input  wire [SIDE * ELEMENT - 1:0]        ib,
    // the row of sums at the bottom
    output reg                                result_valid,
    output wire [SIDE * SUM - 1:0]            result,
    // events of this cycle, a bit per row, and what the row's wire carries
    output wire [SIDE - 1:0]                  steps,
    output wire [SIDE - 1:0]                  starts,
    output wire [SIDE - 1:0]                  shifts,
    output wire [SIDE - 1:0]                  drains,
    output wire [SIDE * ELEMENT - 1:0]        ia_wires,
    // registers
    output reg  [SIDE - 1:0]                  second, // by row: which IB is active
    output wire [SIDE * SIDE * ELEMENT - 1:0] ib_first,
    output wire [SIDE * SIDE * ELEMENT - 1:0] ib_second,
    output wire [SIDE * SIDE * SUM - 1:0]     psum,
    output wire [SIDE * SIDE * SUM - 1:0]     psum_shadow
);
    localparam BOTTOM = SIDE - 1;

    reg output_stationary, horizontal;
    always @(posedge clock) begin
        if (configure) output_stationary <= to_output_stationary;
        if (configure) horizontal <= to_horizontal;
    end

    // ---- tokens: in row 0 the control itself, below a register per row ----

    reg [SIDE - 2:0] step_line, start_line, valid_line, load_line;
    wire [SIDE - 1:0] here = {SIDE{!configure}};
    wire [SIDE - 1:0] loads = {load_line, load} & here;
    wire [SIDE - 1:0] valid_steps = {valid_line, step && valid[0]} & here;
    assign steps = {step_line, step} & here;
    assign starts = {start_line, start};

    // vertical loads: the rows that data of the tile has reached
    reg [SIDE - 2:0] filled;
    wire [SIDE - 1:0] reached = {filled & {SIDE - 1{!load_start}}, 1'b1};
    assign shifts = output_stationary ? steps : horizontal ? loads : reached & {SIDE{load && !configure}};

    always @(posedge clock) begin
        step_line <= steps[SIDE - 2:0];
        start_line <= starts[SIDE - 2:0] & here[SIDE - 2:0];
        valid_line <= valid_steps[SIDE - 2:0];
        load_line <= loads[SIDE - 2:0];
        if (load && !configure) filled <= reached[SIDE - 2:0];
    end

    // a stationary tile swaps the IB of a row with its first step
    wire [SIDE - 1:0] swaps = starts & {SIDE{!output_stationary}};
    always @(posedge clock) begin
        if (!configure) second <= second ^ swaps;
    end

    // ---- drain: a token first finishes all rows, then counts the cycles in which the shadow moves ----

    reg [2 * SIDE - 3:0] finish_line;
    wire [2 * SIDE - 2:0] finishes = {finish_line, finish} & {2 * SIDE - 1{!configure}};
    wire [SIDE - 1:0] moves;
    genvar r, n;
    generate
        assign moves[0] = 1'b0;
        for (r = 1; r < SIDE; r = r + 1) begin : drain
            // row r moves in the first r cycles; then it may hold a sum of the next tile
            assign moves[r] = |finishes[SIDE + r - 1:SIDE] && !finishes[r];
        end
    endgenerate
    assign drains = finishes[SIDE - 1:0] | moves;

    reg [SIDE - 1:0] wanted; // rows of the tile that finishes
    reg [SIDE - 1:0] draining;
    wire [SIDE - 1:0] wanted_now = finish && !configure ? valid : wanted;
    wire [SIDE - 1:0] drained = (finishes[SIDE - 1:0] & wanted_now) | (moves & {draining[SIDE - 2:0], 1'b0}) |
                                (draining & ~drains);
    always @(posedge clock) begin
        finish_line <= finishes[2 * SIDE - 3:0];
        wanted <= wanted_now;
        draining <= drained;
        result_valid <= output_stationary ? |finishes[2 * SIDE - 2:BOTTOM] && drained[BOTTOM] : valid_steps[BOTTOM];
    end
    assign result = output_stationary ? psum_shadow[BOTTOM * SIDE * SUM +: SIDE * SUM] :
                                        psum[BOTTOM * SIDE * SUM +: SIDE * SUM];

    // ---- operands ----

    wire [SIDE * ELEMENT - 1:0] ia_row = ia & {SIDE * ELEMENT{ia_present}};
    wire [SIDE * ELEMENT - 1:0] ib_row = ib & {SIDE * ELEMENT{ib_present}};
    wire [(SIDE - 1) * ELEMENT - 1:0] ia_skewed, ib_skewed;
    skew_buffer #(.SIDE(SIDE), .ELEMENT(ELEMENT))
        ia_skew(.clock(clock), .moves(steps[SIDE - 2:0]), .row(ia_row), .skewed(ia_skewed));
    skew_buffer #(.SIDE(SIDE), .ELEMENT(ELEMENT))
        ib_skew(.clock(clock), .moves(loads[SIDE - 2:0]), .row(ib_row), .skewed(ib_skewed));
    assign ia_wires = {ia_skewed, ia_row[ELEMENT - 1:0]};

    // ---- elements ----

    // Apart from the top row, nothing before an element's multiply-add depends on an input: the buses are split for that.
    wire [SIDE * SIDE * ELEMENT - 1:0] ib_shadow /*verilator split_var*/;
    generate
        for (r = 0; r < SIDE; r = r + 1) begin : row
            wire starts_here;
            wire [ELEMENT - 1:0] ia_here, ib_left_edge;
            if (r == 0) begin : top
                assign starts_here = start;
                assign ia_here = ia_row[ELEMENT - 1:0];
                assign ib_left_edge = ib_row[ELEMENT - 1:0];
            end else begin : below
                assign starts_here = start_line[r - 1];
                assign ia_here = ia_skewed[(r - 1) * ELEMENT +: ELEMENT];
                assign ib_left_edge = ib_skewed[(r - 1) * ELEMENT +: ELEMENT];
            end
            wire active = second[r] ^ (starts_here && !output_stationary);
            for (n = 0; n < SIDE; n = n + 1) begin : column
                localparam AT = r * SIDE + n;
                localparam LEFT = AT - 1;
                localparam ABOVE = AT - SIDE;
                wire [ELEMENT - 1:0] ib_above, ib_left;
                wire [SUM - 1:0] psum_above, shadow_above;
                if (r == 0) begin : edge_top
                    assign ib_above = ib_row[n * ELEMENT +: ELEMENT];
                    assign psum_above = {SUM{1'b0}};
                    assign shadow_above = {SUM{1'b0}};
                end else begin : inner_top
                    assign ib_above = ib_shadow[ABOVE * ELEMENT +: ELEMENT];
                    assign psum_above = psum[ABOVE * SUM +: SUM];
                    assign shadow_above = psum_shadow[ABOVE * SUM +: SUM];
                end
                if (n == 0) begin : edge_left
                    assign ib_left = ib_left_edge;
                end else begin : inner_left
                    assign ib_left = ib_shadow[LEFT * ELEMENT +: ELEMENT];
                end
                engine_element #(.FORMAT(FORMAT), .ELEMENT(ELEMENT), .SUM(SUM)) element(
                    .clock(clock), .output_stationary(output_stationary), .horizontal(horizontal),
                    .second(active), .starts(starts_here), .step(steps[r]), .shift(shifts[r]),
                    .finish(finishes[r]), .move(moves[r]), .ia(ia_here),
                    .ib_above(ib_above), .ib_left(ib_left), .psum_above(psum_above), .shadow_above(shadow_above),
                    .ib_shadow(ib_shadow[AT * ELEMENT +: ELEMENT]),
                    .ib_first(ib_first[AT * ELEMENT +: ELEMENT]), .ib_second(ib_second[AT * ELEMENT +: ELEMENT]),
                    .psum(psum[AT * SUM +: SUM]), .psum_shadow(psum_shadow[AT * SUM +: SUM]));
            end
        end
    endgenerate
endmodule
