⍝ Outer products of arrays of arrays, indices of several axes, scalars taken from an array.
life ← {⊃1 ⍵∨.∧3 4=+/,¯1 0 1∘.⊖¯1 0 1∘.⌽⊂⍵}
g ← 5 5⍴0 0 0 0 0 0 0 1 0 0 0 0 0 1 0 0 1 1 1 0 0 0 0 0 0
⎕←' #'[1+(life⍣2)g]
⎕←≢¨(⍳3)∘.{⍵⍴⍺}⍳2
m ← 4 7⍴⍳28
⎕←m[2;]-m[2;2]
⎕←(2 3)(1 7)⌷m
v ← 31 4 15 92 65
⎕←(⊂⍋v)⌷v
id ← {⍵ ⍵⍴1,⍵⍴0}
step ← {k←⍺ ⋄ p←⍵[k;]÷⍵[k;k] ⋄ r←⍵-⍵[;k]∘.×p ⋄ r[k;]←p ⋄ r}
n ← 3 3⍴4 7 2 3 6 1 2 5 3
⎕←⌊0.5+n+.×0 3↓3 step 2 step 1 step n,id 3
⎕←+\1(2 3)4
