; Definitions and uses, for lists of symbols.

(define name: (name) @name) @definition.function
(define head: (define_head name: (name) @name)) @definition.function
(lift name: (name) @name) @definition.function

(app function: (name_ref) @name) @reference.call
