// The stage control: the sequence of rows that the actuators stream, in up to three stages, and the three clocks of
// each time-step. `start` takes over the stages; the first row is fetched in the clock after it, each other one in
// mac_phase of the time-step before.
//
// Stage s streams the rows order[s][0], order[s][1], ... of the actuator of its mode. The zero-row look-ahead: with
// `esop` a row whose flag `nonzero` is not set takes no clock. The next row is the first one that is due among those
// after the last one, of this stage or a later one; the rows passed over are listed in `skipped`. After the last row of
// a stage control passes to the next actuator. ROWS is a power of two.
//
// Its SystemC twins are triada::stream_control, and the walk through the rows in triada::actuator.
module stage_control #(
    parameter ROWS = 8,   // of an actuator's store
    parameter LENGTH = 8, // elements of a row
    parameter ROW = $clog2(ROWS),
    parameter COUNT = $clog2(ROWS + 1),
    parameter SIZE = $clog2(LENGTH + 1)
) (
    input  wire                   clock,
    // memory port: the order of rows
    input  wire                   write,
    input  wire [1:0]             write_stage,
    input  wire [ROW - 1:0]       write_position,
    input  wire [ROW - 1:0]       write_row,
    // the stages of a product
    input  wire                   start,
    input  wire [1:0]             stages,     // 1 to 3
    input  wire [5:0]             modes,      // by stage
    input  wire [3 * COUNT - 1:0] rows,       // by stage
    input  wire [3 * SIZE - 1:0]  lengths,    // by stage: of a row
    input  wire                   start_esop,
    // actuators, by mode
    input  wire [3 * ROWS - 1:0]  nonzero,
    output reg  [2:0]             fetch,
    output wire [ROW - 1:0]       fetch_row,
    output reg  [2:0]             streaming,
    output reg  [SIZE - 1:0]      length,
    output reg                    esop,
    // the time-step
    output reg                    x_phase,
    output reg                    y_phase,
    output reg                    mac_phase,
    output reg  [1:0]             stage,
    output reg  [ROW - 1:0]       position,   // in the order
    output reg                    done,       // until the next start
    output reg  [3 * ROWS - 1:0]  skipped     // before this time-step, by stage and position
);
    localparam PLACES = 3 * ROWS; // place s ROWS + p: position p of stage s
    localparam PLACE = $clog2(PLACES);

    reg [ROW - 1:0] order [0:PLACES - 1];
    reg [1:0] stage_count;
    reg [5:0] stage_modes;
    reg [3 * COUNT - 1:0] row_counts;
    reg [3 * SIZE - 1:0] row_lengths;
    reg fetches_first, begun; // begun: `stage` and `position` are those of a time-step

    wire fetches = fetches_first || mac_phase;

    // ---- look-ahead ----

    reg [PLACES - 1:0] there, due; // rows to come, and those of them that take a time-step
    reg [1:0] mode;
    integer s, p;
    always @* begin
        there = 0;
        due = 0;
        mode = 0;
        for (s = 0; s < 3; s = s + 1) begin
            mode = stage_modes[2 * s +: 2];
            for (p = 0; p < ROWS; p = p + 1) begin
                there[s * ROWS + p] = s[1:0] < stage_count && p[COUNT - 1:0] < row_counts[s * COUNT +: COUNT] &&
                                      (!begun || s[1:0] > stage || (s[1:0] == stage && p[ROW - 1:0] > position));
                due[s * ROWS + p] = there[s * ROWS + p] &&
                                    (!esop || nonzero[mode * ROWS + {{PLACE - ROW{1'b0}}, order[s * ROWS + p]}]);
            end
        end
    end

    reg found;
    reg [1:0] next_stage;
    reg [ROW - 1:0] next_position;
    reg [PLACES - 1:0] passed;
    integer n;
    always @* begin
        found = 1'b0;
        next_stage = 0;
        next_position = 0;
        passed = 0;
        for (n = 0; n < PLACES; n = n + 1) begin
            passed[n] = there[n] && !due[n] && !found;
            if (due[n] && !found) begin
                found = 1'b1;
                next_stage = n < ROWS ? 2'd0 : n < 2 * ROWS ? 2'd1 : 2'd2;
                next_position = n[ROW - 1:0];
            end
        end
    end

    wire [1:0] next_mode = stage_modes[2 * next_stage +: 2];
    wire [PLACE - 1:0] next_place = next_stage * ROWS[PLACE - 1:0] + {{PLACE - ROW{1'b0}}, next_position};
    assign fetch_row = order[next_place];
    always @* begin
        fetch = 0;
        fetch[next_mode] = fetches && found;
    end

    // ---- phases ----

    always @(posedge clock) begin
        if (write) order[write_stage * ROWS[PLACE - 1:0] + {{PLACE - ROW{1'b0}}, write_position}] <= write_row;
        fetches_first <= start;
        if (start) begin
            stage_count <= stages;
            stage_modes <= modes;
            row_counts <= rows;
            row_lengths <= lengths;
            esop <= start_esop;
            begun <= 1'b0;
            done <= 1'b0;
            {x_phase, y_phase, mac_phase} <= 3'b000;
            streaming <= 0;
        end else begin
            x_phase <= fetches && found;
            y_phase <= x_phase;
            mac_phase <= y_phase;
            if (fetches) begin
                begun <= 1'b1;
                skipped <= passed;
                streaming <= fetch;
                done <= !found;
                if (found) begin
                    stage <= next_stage;
                    position <= next_position;
                    length <= row_lengths[next_stage * SIZE +: SIZE];
                end
            end
        end
    end
endmodule
