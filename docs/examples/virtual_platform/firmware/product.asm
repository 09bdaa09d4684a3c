; C[i,j] = sum over k of A[i,k] B[k,j], 16 x 16 each, in C order; engines share the rows of A
.device fetta
load tensor=a:bf16:16x16 local=0x0
load tensor=b:bf16:16x16 local=0x200
contract linear_ia linear_ib linear_result batch=1 contracted=16 ia_free=16 ib_free=16 masks=0,0,15,0 ia_modes=0,1,1,0 ia_mode=16,1,16,16,0,0,0,0,0,0,0,0,0,0,0,0 ib_place=256,0 ib_modes=0,1,1,0 ib_mode=16,16,16,1,0,0,0,0,0,0,0,0,0,0,0,0 result_place=256,0 result_modes=0,1,1,0 result_mode=16,16,16,1,0,0,0,0,0,0,0,0,0,0,0,0
store tensor=c:f32:16x16 local=0x80400
