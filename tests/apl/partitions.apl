⍝ Parts of matrices along an axis, with marks that are known and with marks that the run computes.
m←4 3⍴⍳12
⎕←1 0 1⊂m
⎕←1 0 1 0⊂[1]m
⎕←≢1⊂'abc'
b←0=2|m[;1]
⎕←≢b⊂[1]m
⎕←{+/,⍵}¨b⊂[1]m
⎕←{+/,⍵}¨(m[1;]>1)⊂m
⎕←{+/,⍵}¨1⊂m
