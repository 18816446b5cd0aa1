⍝ Arrays that the run finds to be empty, or to have one element: what is dropped, reversed or taken is longer than they are.
x←⍳20
none←(x>20)/x
one←(x>19)/x
⎕←≢⌽none
⎕←⌽one
⎕←≢2↓none
⎕←≢2↓one
⎕←≢⌽1↓none
⎕←⌽1↓x
⎕←≢¯1↓1↓one
⎕←(2↓none),7
⎕←3↑2↓one
⎕←(≢one)↑1↓one
⎕←(⌽none)≡none
⎕←≢one,2↓one
⎕←+/2↓one
⎕←(2↓one)∊one
⎕←(~v∊v∘.×v)/v←1↓⍳+/one
⎕←≢(~v∊v∘.×v)/v←1↓⍳≢none
⎕←≢⊖2↓⍉1 1⍴+/one
⎕←2 2⍴none
⎕←-/none
⎕←-/one
⎕←⍋(≢none)3⍴0
m←⍉(+/one)2⍴⌽x
⎕←⍋m
⎕←{+/⍵}⌺2⊢x
⎕←{+/⍵}⌺4⊢x
⎕←≢{+/⍵}⌺2⊢one
