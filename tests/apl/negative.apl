⍝ A number that is no length.
x ← ⍳20
⍳4-+/x>3
