⍝ Lengths that the run compares.
a ← ⍳20
b ← (a>3)/a
c ← (a>4)/a
b+c
