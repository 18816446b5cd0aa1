⍝ The temperature of a chip after a hundred steps; ⍺ has the power of each cell.
⍝: steps [double]2 [double]2
steps ← {
  power ← ⍺
  left ← {⍵[;1],¯1↓[2]⍵} ⋄ right ← {(1↓[2]⍵),⍵[;≢⍉⍵]}
  up ← {⍵[1;]⍪¯1↓⍵} ⋄ down ← {(1↓⍵)⍪⍵[≢⍵;]}
  step ← {⍵+0.0068×power+(0.1×(left ⍵)+(right ⍵)-2×⍵)+(0.1×(up ⍵)+(down ⍵)-2×⍵)+0.0125×80-⍵}
  step⍣100⊢⍵
}
