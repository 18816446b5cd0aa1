⍝ Texts are known before the run.
⎕←'hello'
⎕←⌽'abc'
⎕←≢'it''s'
⎕←'abc'='abd'
⎕←2 3⍴'abcdef'
⎕←1 2 3
'end'
pixels←2|∘.+⍨⍳4
⎕←' #'[1+pixels]
m←3 5⍴'hello'
m[2;3]←'X'
⎕←m
⎕←⌽m
⎕←'a'=1 2
⎕←'digits: ',⍕1 2.5 ¯3
⎕←⎕C 'Hello, World: Ünïcode ÀÖØÞ ×'
⎕←1 ⎕C 'Hello, World: ünïcode àöøþ ÷'
⎕←¯1 ⎕C 'one' 'TWO' 'Αβγ'
⎕←1 ⎕C ' #ax'[1+pixels]
⎕←⎕C 1 2 3
