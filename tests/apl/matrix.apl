⍝ Systems of equations, inverse functions, and the order of texts.
a ← 3 3⍴2 1 1 1 3 2 1 0 0
⎕←4 5 6⌹a
⎕←⌊0.5+(⌹a)+.×a
n ← +/3>⍳9
⎕←2⍕(n↑4 5)⌹(n,n)⍴2 1 1 3
x ← 1 2 3 4 5
⎕←3⍕(2×x+1)⌹x,⍪5⍴1
⎕←(2 2⍴⍳4)⌹2 2⍴2 0 0 4
⎕←6⌹3
⎕←⌹4
⎕←(10∘+⍣¯1)12 13
⎕←2∘*⍣¯1⊢8 16
⎕←3 ×⍣¯2⊢18
⎕←((1∘+)∘(2∘×)⍣¯1)7 9
⎕←1∘⌽⍣¯1⊢⍳4
names ← 'smith' 'adams' 'jo' 'john'
⎕←⍋names
⎕←names[⍋names]
