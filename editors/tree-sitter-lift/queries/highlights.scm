; Colours, by the capture names that Neovim, Helix and GitHub share. Of two that fit, Neovim and tree-sitter take the
; last and Helix the most special: so what is special stands last.

(comment) @comment
(doc_comment) @comment.documentation

["(" ")" "[" "]"] @punctuation.bracket
"#" @punctuation.special

(string) @string
(bool) @boolean
[(int) (sized) (long)] @number
[(half) (float) (double)] @number.float

; names
(name_ref) @variable
(param (name) @variable.parameter)
(let name: (name) @variable)
(tuple_pattern (name) @variable)
(unpack name: (name) @variable)
(unpack_binder name: (name) @variable)

; lengths
(size_name) @constant
(size_nat) @number
(size_params (name) @constant)
(unpack_binder size: (name) @constant)
(position_binder (name) @constant)
(sum_binder (name) @constant)
(size_op operator: _ @operator)

; types
(name_type) @type
((name_type) @type.builtin
  (#any-of? @type.builtin
    "byte" "ubyte" "short" "ushort" "int" "uint" "long" "ulong" "half" "float" "double" "bool"))
(array_type "array-type" @type.builtin)
(tuple_type "tuple-type" @type.builtin)
(vector_type "vector-type" @type.builtin)
(exists_type "exists" @type.builtin)
(fun_type "->" @operator)

; functions
(define name: (name) @function)
(define_head name: (name) @function)
(lift name: (name) @function)
(primitive name: (name) @function.builtin)
(app function: (name_ref) @function.call)

((name_ref) @function.builtin
  (#any-of? @function.builtin
    "map" "mapSeq" "mapGlb" "mapGlb0" "mapGlb1" "mapGlb2" "mapGlobal" "mapGlobal0" "mapGlobal1"
    "mapGlobal2" "mapWrg" "mapWrg0" "mapWrg1" "mapWrg2" "mapWorkgroup" "mapWorkgroup0" "mapWorkgroup1" "mapWorkgroup2"
    "mapLcl" "mapLcl0" "mapLcl1" "mapLcl2" "mapLocal" "mapLocal0" "mapLocal1" "mapLocal2" "mapVec"
    "reduce" "reduceSeq" "partRed" "reduceWhileSeq" "iterate" "iterateWhile" "scan" "scanSeq" "scanExcl"
    "filter" "filterSeq" "filterGlb" "filterWrg" "filterLcl"
    "zip" "unzip" "split" "join" "slide" "pad" "padConstant" "transpose" "reorder" "gather" "scatter" "reverse"
    "stride" "take" "drop" "slice" "head" "last" "tail" "init" "concat" "aref" "iota" "generate" "fill" "length"
    "rowLengths"
    "sort" "argsort" "search" "lsearch" "asVector" "asScalar" "splitVec" "joinVec" "vectorize" "partition" "caseSplit"
    "toGlobal" "toLocal" "toPrivate" "id" "clamp" "mirror" "wrap"
    "sqrt" "exp" "log" "sin" "cos" "tan" "asin" "acos" "atan" "sinh" "cosh" "tanh" "asinh" "acosh"
    "atanh" "atan2" "pow" "floor" "ceil" "round" "isnan"
    "toByte" "toUByte" "toShort" "toUShort" "toInt" "toUInt" "toLong" "toULong" "toHalf" "toFloat" "toDouble" "toElement"
    "popcount" "clz"))

((name_ref) @operator
  (#any-of? @operator
    "+" "-" "*" "/" "mod" "floorMod" "min" "max" "<" ">" "<=" ">=" "=" "!=" "neg" "abs" "+i" "-i" "*i" "/i" "=i" "<i" ">i"
    "and" "or" "not" "bitand" "bitor" "bitxor" "shl" "shr" "ushr"))

; words that head a form
(import "import" @keyword.import)
(define "define" @keyword.function)
(lift "lift" @keyword.function)
(primitive "primitive" @keyword.function)
(lambda ["lambda" "λ"] @keyword.function)
(let "let" @keyword)
(if "if" @keyword.conditional)
(tuple_expr "tuple" @keyword)
(tuple_pattern "tuple" @keyword)
(ascribe ":" @keyword.operator)
(pack "pack" @keyword)
(unpack "unpack" @keyword)
(compose "o" @keyword.operator)
(with "with" @keyword)
(setting_name) @variable.member
