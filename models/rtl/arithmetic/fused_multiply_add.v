// acc + x c with one rounding, to nearest, ties to even; combinational.
//
// x and c have EXPONENT and FRACTION bits of an IEEE 754 format, acc and result those of SUM_EXPONENT and SUM_FRACTION:
//
//     f32   8, 23; 8, 23         bf16   8, 7; 8, 23 (sums in f32) or 8, 7
//     f64   11, 52; 11, 52       f16    5, 10; 8, 23
//
// Subnormals are computed, not flushed. A NaN result is the canonical quiet NaN, sign 0. The SystemC twin is
// arithmetic::mac().
module fused_multiply_add #(
    parameter EXPONENT = 8,
    parameter FRACTION = 23,
    parameter SUM_EXPONENT = 8,
    parameter SUM_FRACTION = 23
) (
    input  wire [SUM_EXPONENT + SUM_FRACTION:0] acc,
    input  wire [EXPONENT + FRACTION:0]         x,
    input  wire [EXPONENT + FRACTION:0]         c,
    output reg  [SUM_EXPONENT + SUM_FRACTION:0] result
);
    localparam SIGNIFICAND = SUM_FRACTION + 1;
    localparam PRODUCT = 2 * (FRACTION + 1);
    // The frame of the sum: the product's last bit is its bit BELOW, acc's last bit lies between HIGHEST and far below
    // bit 0. Of what lies below bit 0 only a sticky bit is kept.
    localparam BELOW = SIGNIFICAND + 2;
    localparam HIGHEST = BELOW + PRODUCT + 2;
    localparam FRAME = HIGHEST + SIGNIFICAND + 1;
    localparam STEPS = $clog2(FRAME + 1);
    localparam SCALE = SUM_EXPONENT + 3;
    // A scale is the exponent of a number's last bit; that of acc's smallest subnormal is 1.
    localparam integer LEAST = (1 << (SUM_EXPONENT - 1)) - 1 + SUM_FRACTION - 2 * ((1 << (EXPONENT - 1)) - 1 + FRACTION);
    localparam integer ABOVE = HIGHEST - BELOW;
    localparam integer GONE = HIGHEST + SIGNIFICAND;
    localparam signed [SCALE - 1:0] PRODUCT_SCALE = LEAST[SCALE - 1:0];
    localparam signed [SCALE - 1:0] RANGE = ABOVE[SCALE - 1:0];
    localparam signed [SCALE - 1:0] SHIFTED_OUT = GONE[SCALE - 1:0];
    localparam signed [SCALE - 1:0] ONE = {{SCALE - 1{1'b0}}, 1'b1};
    localparam signed [SCALE - 1:0] INFINITE = {{SCALE - SUM_EXPONENT{1'b0}}, {SUM_EXPONENT{1'b1}}};

    // ---- operands ----

    wire [EXPONENT - 1:0] x_exponent = x[FRACTION +: EXPONENT];
    wire [EXPONENT - 1:0] c_exponent = c[FRACTION +: EXPONENT];
    wire [SUM_EXPONENT - 1:0] acc_exponent = acc[SUM_FRACTION +: SUM_EXPONENT];
    wire [FRACTION:0] x_significand = {|x_exponent, x[FRACTION - 1:0]};
    wire [FRACTION:0] c_significand = {|c_exponent, c[FRACTION - 1:0]};
    wire [SUM_FRACTION:0] acc_significand = {|acc_exponent, acc[SUM_FRACTION - 1:0]};
    wire x_special = &x_exponent;
    wire c_special = &c_exponent;
    wire acc_special = &acc_exponent;
    wire acc_sign = acc[SUM_EXPONENT + SUM_FRACTION];
    wire product_sign = x[EXPONENT + FRACTION] ^ c[EXPONENT + FRACTION];
    wire product_infinite = x_special || c_special;
    wire product_zero = x_significand == 0 || c_significand == 0;
    wire subtracts = product_sign != acc_sign;
    wire is_nan = (x_special && x[FRACTION - 1:0] != 0) || (c_special && c[FRACTION - 1:0] != 0) ||
                  (acc_special && acc[SUM_FRACTION - 1:0] != 0) || (product_infinite && product_zero) ||
                  (product_infinite && acc_special && subtracts);

    // ---- alignment ----

    wire [PRODUCT - 1:0] product = x_significand * c_significand;
    // exponent 0 has the scale of exponent 1
    wire signed [SCALE - 1:0] product_scale =
        $signed({{SCALE - EXPONENT{1'b0}}, x_exponent}) + $signed({{SCALE - EXPONENT{1'b0}}, c_exponent}) +
        $signed({{SCALE - 1{1'b0}}, ~|x_exponent}) + $signed({{SCALE - 1{1'b0}}, ~|c_exponent}) + PRODUCT_SCALE;
    wire signed [SCALE - 1:0] acc_scale = {{SCALE - SUM_EXPONENT{1'b0}}, acc_exponent} | {{SCALE - 1{1'b0}}, ~|acc_exponent};
    wire signed [SCALE - 1:0] drop = product_scale - acc_scale + RANGE; // of acc from HIGHEST
    // acc so high that the product only rounds it, or alone
    wire acc_leads = product_zero || drop < 0;
    wire vanishes = drop > SHIFTED_OUT;
    wire [STEPS - 1:0] shift = acc_leads ? {STEPS{1'b0}} : vanishes ? SHIFTED_OUT[STEPS - 1:0] : drop[STEPS - 1:0];
    wire [HIGHEST + 2 * SIGNIFICAND - 1:0] aligned = {acc_significand, {HIGHEST + SIGNIFICAND{1'b0}}} >> shift;
    wire lost = |aligned[SIGNIFICAND - 1:0];
    wire [FRAME - 1:0] addend = {1'b0, aligned[SIGNIFICAND +: HIGHEST + SIGNIFICAND]};
    wire [FRAME - 1:0] multiplied = {{FRAME - BELOW - PRODUCT{1'b0}}, product, {BELOW{1'b0}}};

    // ---- sum: a difference is that of the larger and the smaller one; with lost bits the product is the larger one ----

    wire [FRAME:0] total = {1'b0, multiplied} + {1'b0, addend ^ {FRAME{subtracts}}};
    wire acc_wins = subtracts && !total[FRAME];
    wire increment = subtracts && total[FRAME] && !lost;
    wire [FRAME - 1:0] sum = (total[FRAME - 1:0] ^ {FRAME{acc_wins}}) + {{FRAME - 1{1'b0}}, increment};
    wire sign = acc_wins ? acc_sign && sum != 0 : product_sign;

    // ---- normalization: the first bit to the top, but not beyond the smallest exponent ----

    reg [FRAME - 1:0] searched;
    reg [STEPS - 1:0] zeros;
    integer s;
    always @* begin
        searched = sum;
        zeros = 0;
        for (s = STEPS - 1; s >= 0; s = s - 1) begin
            if (searched >> (FRAME > (1 << s) ? FRAME - (1 << s) : 0) == 0) begin
                searched = searched << (1 << s);
                zeros[s] = 1'b1;
            end
        end
    end
    wire signed [SCALE - 1:0] top_scale = (acc_leads ? acc_scale : product_scale + RANGE) + ONE;
    wire [SCALE - 1:0] most = top_scale - ONE;
    wire bounded = most < {{SCALE - STEPS{1'b0}}, zeros};
    wire [STEPS - 1:0] left = bounded ? most[STEPS - 1:0] : zeros;
    wire [FRAME - 1:0] normal = sum << left;
    wire signed [SCALE - 1:0] scale = top_scale - $signed({{SCALE - STEPS{1'b0}}, left});

    // ---- rounding; a carry passes into the exponent ----

    wire [SIGNIFICAND - 1:0] significand = normal[FRAME - 1 -: SIGNIFICAND];
    wire half = normal[FRAME - 1 - SIGNIFICAND];
    wire rest = lost || normal[FRAME - 2 - SIGNIFICAND:0] != 0;
    wire up = half && (rest || significand[0]);
    wire [SUM_EXPONENT - 1:0] exponent = significand[SIGNIFICAND - 1] ? scale[SUM_EXPONENT - 1:0] : {SUM_EXPONENT{1'b0}};
    wire [SUM_EXPONENT + SUM_FRACTION - 1:0] rounded =
        {exponent, significand[SUM_FRACTION - 1:0]} + {{SUM_EXPONENT + SUM_FRACTION - 1{1'b0}}, up};
    wire too_large = significand[SIGNIFICAND - 1] && scale >= INFINITE;

    always @* begin
        if (is_nan) result = {1'b0, {SUM_EXPONENT{1'b1}}, 1'b1, {SUM_FRACTION - 1{1'b0}}};
        else if (product_infinite) result = {product_sign, {SUM_EXPONENT{1'b1}}, {SUM_FRACTION{1'b0}}};
        else if (acc_special) result = acc;
        else if (too_large) result = {sign, {SUM_EXPONENT{1'b1}}, {SUM_FRACTION{1'b0}}};
        else result = {sign, rounded};
    end
endmodule
