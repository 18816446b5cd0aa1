⍝ Lengths that only the run knows.
x ← ⍳20
big ← (x>12)/x
⎕←big
⎕←≢big
⎕←+/big×2
⎕←⌽big
⎕←big∘.×1 2
⎕←⍳+/x>15
a ← 6 5⍴⍳30
⎕←(10=+/6|a)⌿a
⎕←(1<|3-⍳5)/a
⎕←1 0 2/7 8 9
⎕←2/⍳3
primes ← {(1=+⌿0=(1↓⍳⍵)∘.|1↓⍳⍵)/1↓⍳⍵}
⎕←primes 30
(primes 50)[3]
