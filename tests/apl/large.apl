⍝ The same where elements are computed where they are read.
a ← 5 8⍴⍳40
⎕←⌽⍉a
⎕←+/2⌽a
⎕←+⌿¯1⊖a
⎕←+/,a⍪⌽a
⎕←+/7↑a[3;]
⎕←¯3↑30↓⍳33
⎕←+/,10 10↑a
⎕←+\⍳20
⎕←+\a
⎕←⌈⍀a
⎕←×/⍳10
⎕←⌊/20 3 5,⍳30
x ← (⍳25)-13
⎕←x[⍋x×x]
⎕←3↑⍒x
⎕←+/a,100
+/+/a
