⍝ An index that the run computes lies outside.
x ← ⍳20
i ← +/x>3
x[i] ← 0
x[i+9] ← 1
x
