⍝ Lengths of inputs that must be equal are compared by the run.
⍝: dot [double]1 [int]1
⍝ run: left=[1.0,2.0] right=[30,4]
dot ← {⍺+.×⍵}
