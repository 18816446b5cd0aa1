; What can be folded: forms, and what is large in them.

[
  (define)
  (lift)
  (primitive)
  (lambda)
  (let)
  (if)
  (unpack)
  (app)
  (with)
] @fold
