⍝ Loops whose arrays have another length after each iteration.
n←+/3=4|⍳20
⎕←{⍵,+/¯2↑⍵}⍣n⊢1 1
⎕←≢{⍵/⍨⍵>⌊/⍵}⍣≡n 1 2
⎕←{⍵⍪+⌿⍵}⍣n⊢2 2⍴1 2 3 4
sieve←{⍺←⍬ ⋄ 0=≢⍵:⍺ ⋄ (⍺,⊃⍵)∇(0≠(⊃⍵)|⍵)/⍵}
⎕←sieve 1↓⍳n×6
both←{(1↓1⊃⍵)((2⊃⍵),⊃1⊃⍵)}
⎕←2⊃(both⍣n)(⍳7)⍬
