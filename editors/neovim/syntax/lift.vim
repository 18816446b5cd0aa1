" Colours of Lift where there is neither a tree-sitter parser nor semantic tokens.
if exists('b:current_syntax')
  finish
endif

syntax match liftComment /;.*/ contains=@Spell
syntax match liftDoc /;;;.*/ contains=@Spell
syntax region liftString start=/"/ skip=/\\./ end=/"/ oneline
syntax match liftNumber /\v[()\[\] \t]@<=[+-]?\d+L?[^ \t()\[\];"]@!/
syntax match liftFloat /\v[()\[\] \t]@<=[+-]?\d+(\.\d*([eE][+-]?\d+)?[fh]?|[eE][+-]?\d+[fh]?|[fh])[^ \t()\[\];"]@!/
syntax match liftFloat /\v[()\[\] \t]@<=[+-]?(inf|nan)[fh]?[^ \t()\[\];"]@!/
syntax match liftSize /\v#[^ \t()\[\];"]+/
syntax match liftBool /\v[()\[\] \t]@<=(true|false)[^ \t()\[\];"]@!/
syntax match liftKeyword /\v[(\[]@<=(import|define|lift|primitive|lambda|λ|let|if|tuple|:|pack|unpack|o|with)[^ \t()\[\];"]@!/
syntax match liftType /\v[(\[]@<=(array-type|tuple-type|vector-type|exists|-\>)[^ \t()\[\];"]@!/
syntax match liftType /\v[()\[\] \t]@<=(byte|ubyte|short|ushort|int|uint|long|ulong|half|float|double|bool)[^ \t()\[\];"]@!/

highlight default link liftComment Comment
highlight default link liftDoc SpecialComment
highlight default link liftString String
highlight default link liftNumber Number
highlight default link liftFloat Float
highlight default link liftSize Constant
highlight default link liftBool Boolean
highlight default link liftKeyword Keyword
highlight default link liftType Type

let b:current_syntax = 'lift'
