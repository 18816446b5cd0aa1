⍝ A number that is not a length.
x ← ⍳20
⍳4-+/x>3
