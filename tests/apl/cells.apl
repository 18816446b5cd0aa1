⍝ Rows of a matrix as elements of sets, and functions of rows whose results differ in length.
m←5 2⍴1 2 3 4 1 2 5 6 3 4
⎕←∪m
⎕←≠m
⎕←m⍳3 4
⎕←m⍳2 2⍴5 6 7 8
⎕←∪↑'ab' 'cd' 'ab'
⎕←({⍵/⍨⍵>4}⍤1)3 4⍴⍳12
⎕←(∪⍤1)3 3⍴1 2 1 3 3 3 4 5 6
⎕←(~∘' '⍤1)2 3⍴'a bcd '
⎕←1 2 1 2{⍵}⌸3 1 4 1
⎕←3 1 3{⍵/⍨⍵>1}⌸1 2 3
⍝ The same, as the run knows it.
n←⌊+/⍳2
x←(n n⍴⍳9)⍪1 2 3
⎕←∪x
⎕←x⍳4 5 6
⎕←({⍵/⍨⍵>4}⍤1)x
⎕←≡(1 2)(3(4 5))
⎕←≡1(2 3)
⎕←≡(1 2)(3 4)
