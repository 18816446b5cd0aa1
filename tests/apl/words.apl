⍝ Words and other arrays in vectors of arrays, and digits.
words←'the' 'cat' 'saw' 'the' 'dog'
⎕←words∊⊂'the'
⎕←words⍳'dog' 'cow'
x←⍳6
v←(x>4)/x
⎕←(1 2)(5 6)(5 7)∊⊂v
⎕←10⊥⍣¯1⊢2024
⎕←2⊥⍣¯1⊢10
n←+/v
⎕←10⊥⍣¯1⊢n*3
⎕←+/2⊥⍣¯1⊢n
⎕←10∘⊥⍣¯1⊢305 7
⎕←'ann' 'bert',⍪10.5 200
⎕←('a' 'bc'⍪'def')≡'a' 'bc','def'
a←'apple' 'pear' 'plum' 'pear'
⎕←∪a
⎕←a∩'plum' 'fig' 'apple'
⎕←a~'plum' 'fig'
⎕←a∪'fig' 'plum'
⎕←{⍺,≢⍵}⌸a
⎕←a{+/⍵}⌸1 2 3 4
⎕←{⍵[⍋⍵]}¨'listen' 'silent'
⎕←(n>⍳4)/a
m←6++/3=4|⍳20
text←'bb a bb c a bb',(m-9)↓'x'
found←' '(≠⊆⊢)text
⎕←∪found
⎕←found~⊂'bb'
⎕←found∩'aa' 'cx'
⎕←≢'aa' 'cx'∪found
⎕←{≢⍵}⌸found
⎕←(⊂⍤1)2 3⍴⍳6
⎕←{⊂⍵}⌺3⊢⍳4
⎕←≡{⊂⍵}¨(1 2)(3 4)
⎕←' '(≠⊆⊢)'I am a man'
⎕←,¨'ab'
⎕←'abc',⍪1 20 3.5
⎕←{⍺,≢⍵}⌸'mississippi'
⎕←{⍺,≢⍵}⌸'to be or not to be'
