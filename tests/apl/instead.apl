⍝ Every mistake is a construct that is missing, and tells what to write.
x←⍳20 ⋄ n←+/x>3 ⋄ a←(x>3)⊂x
⎕←a≡a
⎕←n○1
⎕←(2 2⍴⍳4)⊥1 2
⎕←(n⍴10)⊤5
⎕←({+/⍵}⌺n)x
⎕←{⍵⊣⎕←⍵}¨x
⎕←{?⍵+n}¨x
