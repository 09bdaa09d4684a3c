// The three actuators, by the mode that they sum, and their stage control: what drives the face of a mesh, row by row,
// in the three clocks of each time-step. Only the actuator that streams drives the face.
module streams #(
    parameter FORMAT = 2,
    parameter ELEMENT = 32,
    parameter ROWS = 8,
    parameter LENGTH = 8,
    parameter ROW = $clog2(ROWS),
    parameter COUNT = $clog2(ROWS + 1),
    parameter SIZE = $clog2(LENGTH + 1)
) (
    input  wire                          clock,
    // memory ports: of the actuators, by mode, and of the order of rows
    input  wire [2:0]                    write,
    input  wire [ROW - 1:0]              write_row,
    input  wire [LENGTH * ELEMENT - 1:0] write_elements,
    input  wire [LENGTH - 1:0]           write_tags,
    input  wire                          write_order,
    input  wire [1:0]                    write_stage,
    input  wire [ROW - 1:0]              write_position,
    // the stages, as in stage_control.v
    input  wire                          start,
    input  wire [1:0]                    stages,
    input  wire [5:0]                    modes,
    input  wire [3 * COUNT - 1:0]        rows,
    input  wire [3 * SIZE - 1:0]         lengths,
    input  wire                          start_esop,
    // the time-step
    output wire                          x_phase,
    output wire                          y_phase,
    output wire                          mac_phase,
    output wire [1:0]                    stage,
    output wire [ROW - 1:0]              position,
    output wire                          done,
    output wire [3 * ROWS - 1:0]         skipped,
    // face
    output wire [2:0]                    streaming,
    output reg  [LENGTH - 1:0]           row_valid,
    output reg  [LENGTH - 1:0]           row_tag,
    output reg  [LENGTH * ELEMENT - 1:0] row_elements
);
    wire [3 * ROWS - 1:0] nonzero;
    wire [2:0] fetch;
    wire [ROW - 1:0] fetch_row;
    wire [SIZE - 1:0] length;
    wire esop;
    stage_control #(.ROWS(ROWS), .LENGTH(LENGTH)) control(
        .clock(clock), .write(write_order), .write_stage(write_stage), .write_position(write_position),
        .write_row(write_row), .start(start), .stages(stages), .modes(modes), .rows(rows), .lengths(lengths),
        .start_esop(start_esop), .nonzero(nonzero), .fetch(fetch), .fetch_row(fetch_row), .streaming(streaming),
        .length(length), .esop(esop), .x_phase(x_phase), .y_phase(y_phase), .mac_phase(mac_phase), .stage(stage),
        .position(position), .done(done), .skipped(skipped));

    wire [3 * LENGTH - 1:0] valid, tags;
    wire [3 * LENGTH * ELEMENT - 1:0] elements;
    genvar m;
    generate
        for (m = 0; m < 3; m = m + 1) begin : mode
            actuator #(.FORMAT(FORMAT), .ELEMENT(ELEMENT), .ROWS(ROWS), .LENGTH(LENGTH)) source(
                .clock(clock), .write(write[m]), .write_row(write_row), .write_elements(write_elements),
                .write_tags(write_tags), .esop(esop), .length(length), .fetch(fetch[m]), .row(fetch_row),
                .nonzero(nonzero[m * ROWS +: ROWS]), .valid(valid[m * LENGTH +: LENGTH]),
                .tags(tags[m * LENGTH +: LENGTH]), .elements(elements[m * LENGTH * ELEMENT +: LENGTH * ELEMENT]));
        end
    endgenerate

    integer a;
    always @* begin
        row_valid = 0;
        row_tag = 0;
        row_elements = 0;
        for (a = 0; a < 3; a = a + 1) begin
            row_valid = row_valid | (valid[a * LENGTH +: LENGTH] & {LENGTH{streaming[a]}});
            row_tag = row_tag | (tags[a * LENGTH +: LENGTH] & {LENGTH{streaming[a]}});
            row_elements = row_elements |
                           (elements[a * LENGTH * ELEMENT +: LENGTH * ELEMENT] & {LENGTH * ELEMENT{streaming[a]}});
        end
    end
endmodule
