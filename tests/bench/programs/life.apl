⍝ A hundred generations of Conway's game of life on a torus.
⍝: generations [bool]2
across ← {(¯1⌽⍵)+⍵+1⌽⍵}
life ← {n←(across ¯1⊖⍵)+(across ⍵)+across 1⊖⍵ ⋄ (n=3)∨(n=4)∧⍵}
generations ← {life⍣100⊢⍵}
