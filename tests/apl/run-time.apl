⍝ The same with numbers that the run computes.
x ← ⍳20
y ← x-10
⎕←3|y
⎕←y|7
⎕←×y
⎕←⌊y÷3
⎕←+/y*2
⎕←⌈/|y
⎕←(x>5)∧x<9
z ← y÷4
⎕←+/⌊z
⎕←2.5|z
-/x
