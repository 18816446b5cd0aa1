" Colours of FCL where there are no semantic tokens.
if exists('b:current_syntax')
  finish
endif

syntax match fclOperator /|>\|=>\|->\|<-\|==\|!=\|<<\|>>\|[-+*\/%&=]/
syntax match fclComment /--.*/ contains=@Spell
syntax region fclComment start=/(\*/ end=/\*)/ contains=fclComment,@Spell
syntax region fclString start=/"/ skip=/\\./ end=/"/ oneline
syntax match fclNumber /\v<(0[xX]\x+|\d+(\.\d+)?([eE][-+]?\d+)?)>/
syntax match fclType /\v'\a(\w|['#])*/
syntax keyword fclBool true false
syntax keyword fclKeyword sig fun val let in fn if then else do forall
syntax keyword fclType int double bool string unit Program
syntax keyword fclLevel thread block grid Z

highlight default link fclOperator Operator
highlight default link fclComment Comment
highlight default link fclString String
highlight default link fclNumber Number
highlight default link fclBool Boolean
highlight default link fclKeyword Keyword
highlight default link fclType Type
highlight default link fclLevel Constant

let b:current_syntax = 'fcl'
