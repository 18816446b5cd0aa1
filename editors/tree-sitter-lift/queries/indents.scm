; Indentation in Neovim: two columns for each open group.

[
  (define)
  (lift)
  (primitive)
  (lambda)
  (app)
  (let)
  (if)
  (tuple_expr)
  (ascribe)
  (pack)
  (unpack)
  (compose)
  (with)
  (array_type)
  (tuple_type)
  (exists_type)
  (fun_type)
] @indent.begin

[")" "]"] @indent.end
(comment) @indent.auto
(doc_comment) @indent.auto
