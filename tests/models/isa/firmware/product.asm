; C[b,i,k] = sum over r and s of A[b,i,r,s] B[b,s,r,k], with 2 b, 6 i, 2 r, 4 s, 5 k; each tensor in C order
.device fetta
load tensor=a:bf16:2x6x2x4 local=0x0
load tensor=b:bf16:2x4x2x5 local=0x100
contract linear_ia linear_ib linear_result batch=2 contracted=8 ia_free=6 ib_free=5 masks=8,4,2,1 ia_place=0,0 ia_modes=1,2,1,0 ia_mode=2,48,2,4,4,1,6,8,0,0,0,0,0,0,0,0 ib_place=128,0 ib_modes=1,2,1,0 ib_mode=2,40,2,5,4,10,5,1,0,0,0,0,0,0,0,0 result_place=128,0 result_modes=1,1,1,0 result_mode=2,30,6,5,5,1,0,0,0,0,0,0,0,0,0,0
store tensor=c:f32:2x6x5 local=0x80200
