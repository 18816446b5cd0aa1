⍝ Repetition: written out, as a loop over arrays, over a scalar.
⎕←({⍵+1}⍣3)100
⎕←({⍵,+/¯2↑⍵}⍣8)1 1
⎕←({1⌽⍵+1}⍣50)⍳20
⎕←({0.5×⍵+2÷⍵}⍣6)1
⎕←({⍵×1.5}⍣100)1
n ← +/⍳4
⎕←({⍵×2}⍣n)1
life ← {
  rows ← {(¯1⌽⍵)+⍵+1⌽⍵}
  n ← (rows ¯1⊖⍵)+(rows ⍵)+rows 1⊖⍵
  (n=3)∨(n=4)∧⍵
}
board ← ⍉¯6↑⍉¯6↑3 3⍴1 1 1 1 0 0 0 1 0
⎕←(life⍣9)board
⎕←+/+/(life⍣100)board
⍝ Between neighbouring doubles these would go on for ever.
⎕←{⍵-((⍵*2)-2)÷2×⍵}⍣≡1
⎕←{2÷⍨⍵+3÷⍵}⍣=1
⎕←{⍵-((⍵*2)-2 3)÷2×⍵}⍣≡1 1
