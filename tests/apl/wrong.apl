⍝ Every mistake has its place, and one error.
x ← y+1
⎕←x×2
1 2 3+1 2
(2 2⍴⍳4)+1 2
2.5∧3
(⍳3)[4]
⍎3
⌹2 3⍴1
+\⍣¯1⊢3 4
({+/⍵}⌺3 3)⍳4
f ← {⍺+⍵}
f 3
(+/[3])2 2⍴⍳4
⌽⍕+/⍳20
⎕TS
3 ← 4
{⎕←⍵}¨⍳20
{⍵<2:⍵ ⋄ (∇⍵-1)+∇⍵-2}+/3=4|⍳20
⍳2.5
x+
⍴
∇r←f x;y
r←x+y
∇
:If y>1
⎕←y
:EndIf
x=3
⎕←y×y
counter←{y+←⍵ ⋄ y}
total←0
sum←{total+←⍵ ⋄ total}
⎕←sum 3
⎕←tota
⎕←+/÷≢
⎕←(4÷3)↑⍳4
⎕←1+
unfinished←
⎕←(3 3⍴⍳9),1 2
