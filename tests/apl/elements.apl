⍝ Elements that are arrays are assigned, and chosen by any number but 0.
x ← (1 2 3)(4 5)
x[2] ← ⊂7 8 9
⎕←x
x[1] ← 5
⎕←x
x[1 2] ← 'ab' (1 2)
⎕←x
y ← 1 2 3
y[2] ← ⊂4 5
⎕←y
z ← 2 2⍴'a' 'bc' (1 2) 3
z[2;] ← ⊂9 9
⎕←z
⎕←(-@(2∘|))1 2 3 4
⎕←(÷@(2∘|))⍳5
⎕←(0@(2|⊢))⍳6
t ← 'the quick brown fox jumps over the lazy dog'
⎕←{⍺,≢⍵}⌸t
