⍝ Numbers of elements whose signs only the run knows, and windows whose length it computes.
x ← ⍳8
n ← ¯3+≢(x>6)/x                  ⍝ ¯1
m ← +/x>5                        ⍝ 3
k ← +/¯4×x=2                     ⍝ ¯4
⎕←k↓x
⎕←k↑x
⎕←(-k)↓x
⎕←(-k)↑x
⎕←(k↑x)+k↑2×x                    ⍝ one length
⎕←(-m)↓x
⎕←(-m)↑x
⎕←m↓x
⎕←(⍳m),(-m)↑x
⎕←(3×k)↓x
⎕←(3×k)↑x
⎕←(k×3)↑'abc'
y ← 3 4⍴⍳12
t ← +/¯1×x=1
⎕←t↓y
⎕←t↑y
⎕←(t,2)↓y
⎕←t↓[2]y
⎕←(5×t)↑[1]y
names ← 'one' 'two' 'four'
⎕←t↓names[⍋-x[⍳3]]
⎕←(4×t)↑names[⍋-x[⍳3]]
last ← {(-⍺)↑⍵}
⎕←m last x
⎕←m+/x
⎕←m⌈/x
⎕←(-m)-/x
⎕←k-/x
⎕←(-k)-/x
⎕←m+⌿x∘.+⍳2
⎕←(m×3)+/x
