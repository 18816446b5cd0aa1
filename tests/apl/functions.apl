⍝ Functions in braces, trains, and operators.
mean ← {(+/⍵)÷≢⍵}
⎕←mean 1 2 3 4
⎕←mean ⍳100
sq ← {⍵×⍵}
⎕←sq¨⍳20
sum ← {⍺←10 ⋄ ⍺+⍵}
⎕←sum 1
⎕←5 sum 1
fact ← {⍵≤1:1 ⋄ ⍵×∇⍵-1}
⎕←fact 6
sign ← {⍵<0:¯1 ⋄ ⍵>0:1 ⋄ 0}
⎕←sign¨(⍳20)-10
twice ← {⍺⍺ ⍺⍺ ⍵}
⎕←sq twice 3
mix ← {(⍺⍺ ⍵)+⍵⍵ ⍵}
⎕←(- mix sq) 4
⎕←(+/÷≢)1 2 3 4 5
⎕←(-,÷)5
⎕←4(+,-)2
⎕←2-⍨5
⎕←1∘+2 3
⎕←-⍤÷4
⎕←1-⍥|¯3
minmax ← ⌊/,⌈/
⎕←minmax 3 4 2 10 1
x ← 3
x +← 4
⎕←x
y ← 2×z←5
⎕←y,z
