; Which names are bound where.

(source_file) @local.scope
(define) @local.scope
(lift) @local.scope
(lambda) @local.scope
(let) @local.scope
(unpack) @local.scope
(array_type) @local.scope
(exists_type) @local.scope

(param (name) @local.definition.parameter)
(let name: (name) @local.definition.var)
(tuple_pattern (name) @local.definition.var)
(unpack name: (name) @local.definition.var)
(unpack_binder (name) @local.definition.var)
(size_params (name) @local.definition.type)
(position_binder (name) @local.definition.type)
(define name: (name) @local.definition.function)
(define_head name: (name) @local.definition.function)

(name_ref) @local.reference
(size_name) @local.reference
