⍝ Constant functions, operands that are slashes, cells, windows, take beyond an end, branches of guards, sums of products, indices.
⎕←(⊢⊢⍤/⍨2|⊢)⍳9
⎕←3(|×0⍨)9
⎕←7⍨¨1 2 3
⎕←1 0 1(/⍤1)2 3⍴⍳6
⎕←{⍺}⌺3⊢⍳3
⎕←4↑(1 2)(3 4 5)
v←⍳40
p←(v∊3×⍳20)⊂v
⎕←+/¨3↑p
⎕←+/¨15↑p
⎕←≢¨¯15↑p
lis←{x←⍵ ⋄ n←≢x ⋄ f←{i l←⍵ ⋄ l[i]←1+⌈/0,(x[⍳i-1]<x[i])×l[⍳i-1] ⋄ (i+1)l} ⋄ ⌈/2⊃f⍣n⊢1(n⍴1)}
⎕←lis 10 9 2 5 3 7 101 18
n←+/3=4|⍳20
hanoi←{⍵=0:0 ⋄ 1+2×∇⍵-1}
⎕←hanoi n
value←{⍵=0:1.5 ⋄ ⍵-0.5×∇⍵-1}
⎕←value n
mixed←{⍵=0:1 ⋄ 2|⍵:3×∇⍵-1 ⋄ 1+∇⍵-1}
⎕←mixed n
f←{c←1 ⋄ ⍵>3:c+c←5 ⋄ c}
⎕←f¨n-0 4
sieve←{n←⍵ ⋄ f←{i b←⍵ ⋄ ~b[i]:(i+1)b ⋄ b←b∧(i≥⍳n)∨0≠i|⍳n ⋄ (i+1)b} ⋄ ⍸2⊃f⍣(⌊n*0.5)⊢1(0,1↓⍵⍴1)}
⎕←sieve 30
m←6 6⍴⍳36
⎕←+/m[⍸0=m|36]
m[⍸m>3]←0
m[(1 1)(2 2)]←7 8
⎕←2 3↑m
⎕←⊃,/1 2 3
⎕←10×@2⊢1 2 3
⎕←↓[1]2 2⍴⍳4
⎕←+/2⊃{i f←⍵ ⋄ f[i]←1 ⋄ (i+1)f}⍣50⊢1(2000⍴0)
⎕←+/'a'=n⌽140⍴'abcdefg'
