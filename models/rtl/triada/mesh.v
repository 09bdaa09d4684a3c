// A mesh of SIDE x SIDE x SIDE cells with its operand lines: lateral ones along mode 0, frontal ones along mode 1,
// horizontal ones along mode 2. Cell (i, j, k) is number (i SIDE + j) SIDE + k of every bus; a line has the number
// a SIDE + b of its places a and b in the two other modes, in their order.
//
// `activate` switches cells on in the corner 0 <= i < box_0, 0 <= j < box_1, 0 <= k < box_2, and off elsewhere.
// `configure` takes over the switches of the time-steps that follow: the X lines are those along x_mode, the Y lines
// those along y_mode, and what mesh_cell.v needs. The phases of a time-step are those of mesh_cell.v.
//
// The face gives row element k to the X lines at index k of y_mode, of all slices (the third mode) in the box.
//
// The memory port writes one mesh plane per clock, a sum per horizontal line: cells (i, j, k) with write_planes[k] and
// write_lines[i SIDE + j]. It reads one cell. It must not write in mac_phase.
//
// OBSERVED: what the cell that is read sees on its lines, for waveforms.
module mesh #(
    parameter SIDE = 4,
    parameter FORMAT = 2,
    parameter ELEMENT = 32,
    parameter SUM = 32,
    parameter REGISTERS = 4,
    parameter OBSERVED = 0,
    parameter INDEX = $clog2(REGISTERS),
    parameter SIZE = $clog2(SIDE + 1),
    parameter LINES = SIDE * SIDE,
    parameter CELLS = SIDE * SIDE * SIDE
) (
    input  wire                      clock,
    // memory port
    input  wire                      activate,
    input  wire [SIZE - 1:0]         box_0,
    input  wire [SIZE - 1:0]         box_1,
    input  wire [SIZE - 1:0]         box_2,
    input  wire [SIDE - 1:0]         write_planes,
    input  wire [LINES - 1:0]        write_lines,
    input  wire [INDEX - 1:0]        write_register,
    input  wire [LINES * SUM - 1:0]  write_sums,
    input  wire [$clog2(CELLS) - 1:0] read_cell,
    input  wire [INDEX - 1:0]        read_register,
    output wire [SUM - 1:0]          read_sum,
    // stage control
    input  wire                      configure,
    input  wire [1:0]                x_mode,
    input  wire [1:0]                y_mode,
    input  wire [INDEX - 1:0]        source,
    input  wire [INDEX - 1:0]        target,
    input  wire [4:0]                shift,
    input  wire                      esop,
    input  wire [ELEMENT - 1:0]      threshold,
    input  wire [2:0]                pointwise,
    input  wire [INDEX - 1:0]        operand,
    input  wire                      x_phase,
    input  wire                      y_phase,
    input  wire                      mac_phase,
    // face
    input  wire [SIDE - 1:0]         row_valid,
    input  wire [SIDE - 1:0]         row_tag,
    input  wire [SIDE * ELEMENT - 1:0] row_elements,
    // events: lines that the face drives, and that cells drive in y_phase, by mode and number; then by cell
    output wire [3 * LINES - 1:0]    x_driven,
    output wire [3 * LINES - 1:0]    y_driven,
    output wire [CELLS - 1:0]        latched,
    output wire [CELLS - 1:0]        saturated,
    output wire [CELLS - 1:0]        multiplied,
    output wire [CELLS - 1:0]        overflowed,
    // the lines of read_cell
    output wire                      seen_x_valid,
    output wire                      seen_x_tag,
    output wire [ELEMENT - 1:0]      seen_x_element,
    output wire                      seen_y_valid,
    output wire [ELEMENT - 1:0]      seen_y_element
);
    // ---- switches ----

    reg [1:0] the_x_mode, the_y_mode;
    reg [INDEX - 1:0] the_source, the_target, the_operand;
    reg [4:0] the_shift;
    reg is_esop;
    reg [ELEMENT - 1:0] the_threshold;
    reg [2:0] the_pointwise;
    reg [SIDE - 1:0] in_box [0:2]; // the box, by mode and index
    integer n;
    always @(posedge clock) begin
        if (configure) begin
            the_x_mode <= x_mode;
            the_y_mode <= y_mode;
            the_source <= source;
            the_target <= target;
            the_operand <= operand;
            the_shift <= shift;
            is_esop <= esop;
            the_threshold <= threshold;
            the_pointwise <= pointwise;
        end
        if (activate) begin
            for (n = 0; n < SIDE; n = n + 1) begin
                in_box[0][n] <= n[SIZE - 1:0] < box_0;
                in_box[1][n] <= n[SIZE - 1:0] < box_1;
                in_box[2][n] <= n[SIZE - 1:0] < box_2;
            end
        end
    end

    // ---- lines ----

    wire [CELLS - 1:0] drives;
    wire [CELLS * ELEMENT - 1:0] driven;
    wire [LINES - 1:0] valid [0:2];
    wire [LINES - 1:0] tag [0:2];
    wire [LINES * ELEMENT - 1:0] element [0:2];

    genvar m, a, b, c;
    generate
        for (m = 0; m < 3; m = m + 1) begin : lines_along
            localparam SLOWER = m == 0 ? 1 : 0;
            localparam FASTER = m == 2 ? 1 : 2;
            localparam STRIDE = m == 0 ? LINES : m == 1 ? SIDE : 1; // of its cells' numbers
            for (a = 0; a < SIDE; a = a + 1) begin : slower
                for (b = 0; b < SIDE; b = b + 1) begin : faster
                    localparam NUMBER = a * SIDE + b;
                    localparam FIRST = m == 0 ? a * SIDE + b : m == 1 ? a * LINES + b : a * LINES + b * SIDE;
                    // the summed mode numbers the row's elements, the other one the slices
                    wire by_slower = the_y_mode == SLOWER;
                    wire in_slice = by_slower ? in_box[FASTER][b] : in_box[SLOWER][a];
                    wire row_drives = by_slower ? row_valid[a] : row_valid[b];
                    wire [SIDE - 1:0] drive;
                    wire [SIDE * ELEMENT - 1:0] of_cells;
                    for (c = 0; c < SIDE; c = c + 1) begin : tap
                        assign drive[c] = drives[FIRST + c * STRIDE] && the_y_mode == m;
                        assign of_cells[c * ELEMENT +: ELEMENT] = driven[(FIRST + c * STRIDE) * ELEMENT +: ELEMENT];
                    end
                    assign x_driven[m * LINES + NUMBER] = the_x_mode == m && in_slice && row_drives;
                    assign y_driven[m * LINES + NUMBER] = |drive;
                    operand_line #(.SIDE(SIDE), .ELEMENT(ELEMENT)) line(
                        .face_valid(x_driven[m * LINES + NUMBER]),
                        .face_tag(by_slower ? row_tag[a] : row_tag[b]),
                        .face_element(by_slower ? row_elements[a * ELEMENT +: ELEMENT] :
                                                  row_elements[b * ELEMENT +: ELEMENT]),
                        .drive(drive), .driven(of_cells), .valid(valid[m][NUMBER]),
                        .tag(tag[m][NUMBER]), .element(element[m][NUMBER * ELEMENT +: ELEMENT]));
                end
            end
        end
    endgenerate

    // ---- cells, each with a tap on one line of every set ----

    wire [CELLS * SUM - 1:0] sums;
    wire [CELLS - 1:0] x_valid, x_tag, has_operand;
    wire [CELLS * ELEMENT - 1:0] x_element, line_operand;
    genvar i, j, k;
    generate
        for (i = 0; i < SIDE; i = i + 1) begin : slab
            for (j = 0; j < SIDE; j = j + 1) begin : row
                for (k = 0; k < SIDE; k = k + 1) begin : column
                    localparam AT = (i * SIDE + j) * SIDE + k;
                    localparam LATERAL = j * SIDE + k;
                    localparam FRONTAL = i * SIDE + k;
                    localparam HORIZONTAL = i * SIDE + j;
                    wire y_valid;
                    wire [ELEMENT - 1:0] y_element;
                    line_taps #(.ELEMENT(ELEMENT)) taps(
                        .x_mode(the_x_mode), .y_mode(the_y_mode),
                        .valid({valid[2][HORIZONTAL], valid[1][FRONTAL], valid[0][LATERAL]}),
                        .tags({tag[2][HORIZONTAL], tag[1][FRONTAL], tag[0][LATERAL]}),
                        .lateral(element[0][LATERAL * ELEMENT +: ELEMENT]),
                        .frontal(element[1][FRONTAL * ELEMENT +: ELEMENT]),
                        .horizontal(element[2][HORIZONTAL * ELEMENT +: ELEMENT]),
                        .x_valid(x_valid[AT]), .x_tag(x_tag[AT]), .x_element(x_element[AT * ELEMENT +: ELEMENT]),
                        .y_valid(y_valid), .y_element(y_element));
                    mesh_cell #(.FORMAT(FORMAT), .ELEMENT(ELEMENT), .SUM(SUM), .REGISTERS(REGISTERS)) cell_at(
                        .clock(clock), .activate(activate),
                        .activate_as(i[SIZE - 1:0] < box_0 && j[SIZE - 1:0] < box_1 && k[SIZE - 1:0] < box_2),
                        .write(write_planes[k] && write_lines[HORIZONTAL]), .write_register(write_register),
                        .write_sum(write_sums[HORIZONTAL * SUM +: SUM]), .read_register(read_register),
                        .read_sum(sums[AT * SUM +: SUM]),
                        .x_phase(x_phase), .y_phase(y_phase), .mac_phase(mac_phase),
                        .source(the_source), .target(the_target), .shift(the_shift), .esop(is_esop),
                        .threshold(the_threshold), .pointwise(the_pointwise), .operand(the_operand),
                        .x_valid(x_valid[AT]), .x_tag(x_tag[AT]), .x_element(x_element[AT * ELEMENT +: ELEMENT]),
                        .y_valid(y_valid), .y_element(y_element),
                        .y_drive(drives[AT]), .y_driven(driven[AT * ELEMENT +: ELEMENT]),
                        .has_operand(has_operand[AT]), .line_operand(line_operand[AT * ELEMENT +: ELEMENT]),
                        .latched(latched[AT]), .saturated(saturated[AT]), .multiplied(multiplied[AT]),
                        .overflowed(overflowed[AT]));
                end
            end
        end
        if (OBSERVED != 0) begin : observed
            assign seen_x_valid = x_valid[read_cell];
            assign seen_x_tag = x_tag[read_cell];
            assign seen_x_element = x_element[read_cell * ELEMENT +: ELEMENT];
            assign seen_y_valid = has_operand[read_cell];
            assign seen_y_element = line_operand[read_cell * ELEMENT +: ELEMENT];
        end else begin : unobserved
            assign {seen_x_valid, seen_x_tag, seen_x_element, seen_y_valid, seen_y_element} = {3 + 2 * ELEMENT{1'b0}};
        end
    endgenerate
    assign read_sum = sums[read_cell * SUM +: SUM];
endmodule
