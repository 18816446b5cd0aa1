⍝ A function as a kernel with inputs.
⍝: mean [double]2
⍝ run: right=[[1.0,2.0,6.0],[4.0,5.0,9.0]]
mean ← {(+/⍵)÷≢⍉⍵}
