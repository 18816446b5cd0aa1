⍝ Numbers with decimals, texts, orders of arrays and of rows, finding.
x ← 3 1 4 1 5
⎕←2⍕(+/x)÷≢x
⎕←'mean',2⍕(+/x)÷3
⎕←8 3⍕2 2⍴x÷7
⎕←1⍕1.25 ¯0.01
⎕←2 0⍕123
names ← 'carol' 'bob' 'alice'
⎕←names[⍋x[⍳3]]
⎕←(⊂⍒x[⍳3])⌷names
⎕←(⊃⍋x[⍳3])⊃names
⎕←m[⍋m←4 2⍴x;]
⎕←⍒↑names
⎕←(↑names)[⍋↑names;]
⎕←⍸2 3⍴x>2
⎕←≠x
⎕←'an'⍷'banana'
⎕←1 4⍷x
⎕←3 1 4 1 5 9 2⍷x
⎕←⎕UCS 1+⎕UCS 'HAL'
⎕←⎕A[1+⎕D⍳'307']
⎕←'ab'∘.,'xyz'
⎕←~x-1
⎕←{2|⍵:¯1 ⋄ ⍵}¨x
⎕←(0=2|⍳1)⊂⍳1
⎕←+/¨(x>9)⊆x
⎕←{~0∊(1↓⍳⌊⍵*0.5)|⍵}¨⍳20
