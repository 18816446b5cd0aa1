⍝ Recursion that adds to its value, masks that expand, orders of characters, and matrices as texts.
sum←{⍵=0:0 ⋄ ⍵+∇⍵-1}
⎕←sum 300
⎕←sum¨1 2 3
halves←{⍵<2:0.5 ⋄ 2|⍵:(÷⍵)+∇⌊⍵÷2 ⋄ 1+∇⌊⍵÷2}
⎕←halves +/⍳40
squares←{⍵=0:0.5 ⋄ (⍵*2)+∇⍵-1}
⎕←squares 3000
power←{⍵=0:1 ⋄ ⍺×⍺∇⍵-1}
⎕←1.01 power 150
steps←{⍵=1:0 ⋄ 2|⍵:1+∇1+3×⍵ ⋄ 1+∇⍵÷2}
⎕←steps 27
v←⍳20
b←v>15
⎕←b\10×⍳+/b
⎕←1 0 1\5 6
⎕←1 0 1\2 2⍴⍳4
⎕←1 0 1⍀2 2⍴⍳4
⎕←1 0 1 1\'abc'
⎕←0 1\7
⎕←'cba'⍋'abcd'
⎕←'cba'⍒'abcd'
⎕←'23456789TJQKA'⍋2 2⍴'KT2A'
words←'pear' 'fig' 'apple'
⎕←words['zyxwvutsrqponmlkjihgfedcba'⍋words]
m←2 2⍴1.5 22 ¯333 4.25
⎕←⍕m
⎕←⍴⍕m
⎕←'|',⍕m
⎕←⍕m×+/v
⎕←'ab'⍷2 4⍴'abababab'
⎕←3 4⍷2 4⍴v
