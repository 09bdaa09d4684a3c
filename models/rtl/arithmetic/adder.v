// left + right with one rounding, to nearest, ties to even, in an IEEE 754 format of EXPONENT and FRACTION bits (8, 23 is
// f32); combinational. Subnormals are computed, not flushed. A NaN result is the canonical quiet NaN, sign 0.
//
// The SystemC twin is arithmetic::psum_f32::add(), whose bits are also those of a multiply-add by 1.
module adder #(
    parameter EXPONENT = 8,
    parameter FRACTION = 23
) (
    input  wire [EXPONENT + FRACTION:0] left,
    input  wire [EXPONENT + FRACTION:0] right,
    output reg  [EXPONENT + FRACTION:0] sum
);
    localparam SUM = 1 + EXPONENT + FRACTION;
    localparam SIGNIFICAND = FRACTION + 1;
    localparam ALIGNED = SIGNIFICAND + 3; // guard and round bit, and one for all that is shifted out
    localparam FRAME = ALIGNED + 1;
    localparam STEPS = $clog2(FRAME + 1);
    localparam [EXPONENT - 1:0] GONE = ALIGNED[EXPONENT - 1:0];

    // ---- the larger modulus first ----

    wire swaps = right[SUM - 2:0] > left[SUM - 2:0];
    wire [SUM - 1:0] a = swaps ? right : left;
    wire [SUM - 1:0] b = swaps ? left : right;
    wire [EXPONENT - 1:0] a_exponent = a[FRACTION +: EXPONENT];
    wire [EXPONENT - 1:0] b_exponent = b[FRACTION +: EXPONENT];
    wire [FRACTION:0] a_significand = {|a_exponent, a[FRACTION - 1:0]};
    wire [FRACTION:0] b_significand = {|b_exponent, b[FRACTION - 1:0]};
    wire subtracts = a[SUM - 1] != b[SUM - 1];
    wire a_special = &a_exponent;
    wire is_nan = a_special && (a[FRACTION - 1:0] != 0 || (&b_exponent && subtracts));

    // ---- alignment; exponent 0 has the scale of exponent 1 ----

    wire [EXPONENT - 1:0] a_scale = a_exponent | {{EXPONENT - 1{1'b0}}, ~|a_exponent};
    wire [EXPONENT - 1:0] b_scale = b_exponent | {{EXPONENT - 1{1'b0}}, ~|b_exponent};
    wire [EXPONENT - 1:0] distance = a_scale - b_scale;
    wire [EXPONENT - 1:0] shift = distance > GONE ? GONE : distance;
    wire [2 * ALIGNED - 1:0] shifted = {b_significand, {ALIGNED + 3{1'b0}}} >> shift;
    wire lost = |shifted[ALIGNED - 1:0];
    wire [FRAME - 1:0] addend = {1'b0, shifted[2 * ALIGNED - 1:ALIGNED + 1], shifted[ALIGNED] || lost};
    wire [FRAME - 1:0] total =
        {1'b0, a_significand, 3'b0} + (addend ^ {FRAME{subtracts}}) + {{FRAME - 1{1'b0}}, subtracts};
    wire sign = total == 0 ? left[SUM - 1] && right[SUM - 1] : a[SUM - 1];

    // ---- normalization: the first bit to the top, but not beyond the smallest exponent ----

    reg [FRAME - 1:0] searched;
    reg [STEPS - 1:0] zeros;
    integer s;
    always @* begin
        searched = total;
        zeros = 0;
        for (s = STEPS - 1; s >= 0; s = s - 1) begin
            if (searched >> (FRAME > (1 << s) ? FRAME - (1 << s) : 0) == 0) begin
                searched = searched << (1 << s);
                zeros[s] = 1'b1;
            end
        end
    end
    wire bounded = a_scale < {{EXPONENT - STEPS{1'b0}}, zeros};
    wire [STEPS - 1:0] places = bounded ? a_scale[STEPS - 1:0] : zeros;
    wire [FRAME - 1:0] normal = total << places;
    wire [EXPONENT:0] scale = {1'b0, a_scale} + {{EXPONENT{1'b0}}, 1'b1} - {{EXPONENT + 1 - STEPS{1'b0}}, places};

    // ---- rounding; a carry passes into the exponent ----

    wire [SIGNIFICAND - 1:0] significand = normal[FRAME - 1 -: SIGNIFICAND];
    wire is_normal = significand[SIGNIFICAND - 1];
    wire up = normal[FRAME - 1 - SIGNIFICAND] && (normal[FRAME - 2 - SIGNIFICAND:0] != 0 || significand[0]);
    wire [EXPONENT - 1:0] exponent = is_normal ? scale[EXPONENT - 1:0] : {EXPONENT{1'b0}};
    wire [SUM - 2:0] rounded = {exponent, significand[FRACTION - 1:0]} + {{SUM - 2{1'b0}}, up};
    wire too_large = is_normal && &scale[EXPONENT - 1:0];

    always @* begin
        if (is_nan) sum = {1'b0, {EXPONENT{1'b1}}, 1'b1, {FRACTION - 1{1'b0}}};
        else if (a_special) sum = a;
        else if (too_large) sum = {sign, {EXPONENT{1'b1}}, {FRACTION{1'b0}}};
        else sum = {sign, rounded};
    end
endmodule
