⍝ Arrays of arrays: written side by side, made for each element, and parts of vectors.
⎕←(1 2 3)'abc'(2 2⍴⍳4)
⎕←⍳¨⍳3
⎕←≢¨⍳¨⌽⍳20
⎕←+/¨(1 2 3)(4 5)
⎕←(1 2)(3 4)+10 20
⎕←↑(1 2 3)(4 5)
⎕←↑⍳¨⍳18
⎕←⊃,/⍳¨⍳3
⎕←∊⍳¨3+⍳17
⎕←2 3⊃(1 2 3)(4 5 6)
⎕←≡(1 2)(3 4)
x←(⍳20)*2
parts←(0=3|⍳20)⊂x
⎕←parts
⎕←+/¨parts
⎕←⌈/¨(x>50)⊆x
⎕←' '(≠⊆⊢)'the quick fox'
⎕←≢¨' '(≠⊆⊢)'the quick fox'
⎕←+/¨↓3 4⍴⍳12
c←1 2 (3 4 'five') 6
⎕←(c[3])[2]
first second←(1 2 3)'text'
⎕←⌽second
⎕←'The mean of ',(⍕first),' is ',⍕(+/x)÷≢x
people←('one' 1)('three' 3)
⎕←↑people
⎕←⍉↑people
names numbers←↓⍉↑people
⎕←+/numbers
⎕←↑(1 'a')(2 3 4)
⎕←↓↑people
