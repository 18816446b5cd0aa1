⍝ Rows, columns and elements of a matrix are assigned in loops, from its old elements too.
n←+/3=4|⍳20
m←n (n+2)⍴⍳n×n+2
loop←{n←⊃⍴⍵ ⋄ 2⊃(⍺⍺⍣n)0 ⍵}
⎕←{(k x)←⍵ ⋄ x[1+k;]←x[1+k;]+x[1⌈k;] ⋄ (k+1)x}loop m
⎕←{(k x)←⍵ ⋄ x[;1+k]←x[;1+k]+x[;1⌈k]×x[;1] ⋄ (k+1)x}loop m
⎕←{(k x)←⍵ ⋄ x[1+k;]←+⌿x ⋄ x[;1]←⌽x[;2] ⋄ (k+1)x}loop m
⎕←{(k x)←⍵ ⋄ t←x[1+k;] ⋄ x[1+k;]←x[1;] ⋄ x[1;]←t ⋄ (k+1)x}loop m
⎕←{(k x)←⍵ ⋄ x[1+k;1]←+/x[1+k;] ⋄ (k+1)x}loop m
⎕←{(k x)←⍵ ⋄ x[1+k;]←0 ⋄ x[;1]+←k ⋄ (k+1)x}loop m
⍝ The old matrix, or an element of it, is used after the assignment.
⎕←2⊃({(k s x)←⍵ ⋄ o←x ⋄ x[1+k;]←2×x[1+k;] ⋄ (k+1)(s++/,o)x}⍣n)0 0 m
⎕←2⊃({(k s x)←⍵ ⋄ p←x[1;1] ⋄ x[1;]←p+x[1+k;] ⋄ (k+1)(s+p)x}⍣n)0 0 m
⎕←{(k x)←⍵ ⋄ i←1+n|x[1;1] ⋄ x[i;]←1+x[i;] ⋄ (k+1)x}loop m
⍝ Elements of a vector beside sums.
⎕←2⊃({(k x)←⍵ ⋄ x[1+k]←1++/x×(⍳≢x)<1+k ⋄ (k+1)x}⍣n)0(⍳n)
⍝ Planes.
⎕←2⊃({(k x)←⍵ ⋄ x[;1+k;]←x[;1+k;]+x[;1;] ⋄ x[;;1]←1+x[;;2] ⋄ x[1;1+k;1]←+/,x ⋄ (k+1)x}⍣n)0(2 n 3⍴⍳6×n)
