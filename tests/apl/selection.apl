⍝ Assignment to what functions select.
x←⍳6
(2↑x)←0
⎕←x
((x>4)/x)←¯1
⎕←x
m←3 3⍴⍳9
(1 1⍉m)←0
⎕←m
(,m)←⌽⍳9
⎕←m
(m[2;])←7 8 9
(2 2↑m)←2 2⍴0
⎕←m
(1↓x)←10×⍳5
(⊃x)←99
⎕←x
y←3×⍳20
((y>30)/y)←0
((2|y)/y)←1
(¯2↑y)←5 6
⎕←y
