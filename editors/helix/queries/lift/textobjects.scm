; `mif`, `]f`, `mia`, …: functions, parameters, comments.

(define value: (_) @function.inside) @function.around
(lift value: (_) @function.inside) @function.around
(lambda body: (_) @function.inside) @function.around
(param) @parameter.inside
(app argument: (_) @parameter.inside)
[(comment) (doc_comment)] @comment.inside
[(comment) (doc_comment)]+ @comment.around
