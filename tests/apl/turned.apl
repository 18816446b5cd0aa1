⍝ Rotation by numbers below and above lengths that the run finds, and the low bits of negative numbers.
y←⍳7
x←(y≠4)/y
⎕←2⌽x
⎕←¯8⌽x
⎕←20⌽x
none←(y>9)/y
⎕←(≢1⌽none)(≢¯3⌽none)
m←x∘.+10 20
⎕←¯1⊖m
⎕←1⌽m
⎕←3⌽¯2⊖m
⎕←3⌽⍣2⊢x
⎕←4|x-5
⎕←8|-x
