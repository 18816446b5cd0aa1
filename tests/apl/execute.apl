⍝ Texts as programs and as numbers, arrays of arrays as texts and found in others.
⎕←⍎'1 2 3'
x←4
⎕←1+⍎'x×2'
⍎'y←x+1 ⋄ z←y×2'
⎕←y z
⎕←⍎¨⍕2*15
⎕←+/⍎¨'12' '7' '305'
⎕←⍎'{⍵×2}3'
⎕←⍎'''abc'',''d'''
⎕←⍕(1 2)(3 4)
⎕←⍴⍕(1 2)'ab'
⎕←'<',(⍕'ab' 5),'>'
⎕←⍕2 2⍴1 'a' 'bc' 20
v←(⍳20)*2
⎕←'parts ',⍕(3↑v)(17↓v)
⎕←'cat' 'dog'⍷'a' 'cat' 'dog' 'cat'
⎕←(⊂'cat')⍷'a' 'cat' 'dog' 'cat'
t←' '(≠⊆⊢)'aa bb aa bb c',(+/v>399)⍴'x'
⎕←'aa' 'bb'⍷t
