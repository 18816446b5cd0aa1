⍝ Texts are known before the run.
⎕←'hello'
⎕←⌽'abc'
⎕←≢'it''s'
⎕←'abc'='abd'
⎕←2 3⍴'abcdef'
⎕←1 2 3
'end'
