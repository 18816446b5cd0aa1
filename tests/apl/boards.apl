⍝ Games on boards: life in two ways, and lines of three.
life←{⊃1 ⍵∨.∧3 4=+/,¯1 0 1∘.⊖¯1 0 1∘.⌽⊂⍵}
g←5 5⍴0 0 0 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 0 0 0
⎕←g
⎕←life g
life2←{n←(+/,⍵)-5⌷,⍵ ⋄ (n=3)∨(n=2)∧5⌷,⍵}
⎕←(life2⌺3 3)g
⎕←'.#'[1+g]
b←3 3⍴'XOXOXOOXX'
⎕←b
⎕←'X'=b
win←{m←⍵ ⋄ ∨/(∧/m),(∧⌿m),(∧/1 1⍉m),∧/1 1⍉⌽m}
⎕←win 'X'=b
⎕←win 'O'=b
