/**
 * @file Lift for tree-sitter: what editors without a language server colour, fold and indent by.
 *
 * The nodes are those of the language's own parser (`syntax/src/kind.rs`), in lower case: a test compares the two trees
 * of every example. A word that heads a form or an expression is a keyword only directly after an opening bracket.
 * @license MIT OR Apache-2.0
 */

/// <reference types="tree-sitter-cli/dsl" />

/** `( … )` or `[ … ]`: they can be exchanged, but a pair must match. */
const group = (...parts) => choice(seq('(', ...parts, ')'), seq('[', ...parts, ']'));

module.exports = grammar({
  name: 'lift',

  extras: $ => [/[\s\uFEFF]/, $.comment, $.doc_comment],

  word: $ => $._word,

  inline: $ => [$._form],

  // `(tuple a b)` in a `let` binds names if something follows.
  conflicts: $ => [[$.name, $.name_ref]],

  rules: {
    source_file: $ => repeat($._form),

    _form: $ => choice($.import, $.define, $.lift, $.primitive),

    comment: _ => token(/;[^\n\r]*/),
    // Documentation of the form below it, in Markdown.
    doc_comment: _ => token(prec(1, /;;;[^\n\r]*/)),

    // --- forms ---------------------------------------------------------------------------------

    import: $ => group('import', field('path', $.string)),

    define: $ => group('define', choice(field('name', $.name), field('head', $.define_head)), field('value', $._expr)),
    define_head: $ => group(field('name', $.name), repeat($.param)),

    lift: $ => group(
      'lift',
      optional(field('name', $.name)),
      field('sizes', $.size_params),
      field('types', $.type_list),
      field('value', $._expr),
    ),

    // Only in the declarations that ship with the program.
    primitive: $ => group(
      'primitive',
      field('name', $.name),
      field('sizes', $.size_params),
      field('type', $._type),
      repeat($._clause),
    ),
    _clause: $ => choice($.clause, $._word, $._number, $.string, $.bool),
    clause: $ => group(repeat($._clause)),

    size_params: $ => group(repeat($.name)),
    type_list: $ => group(repeat($._type)),
    param_list: $ => group(repeat($.param)),
    param: $ => choice($.name, group($.name, field('type', $._type)), $.tuple_pattern),
    // A name for each component of a tuple.
    tuple_pattern: $ => group('tuple', $._pattern, repeat1($._pattern)),
    _pattern: $ => choice($.name, $.tuple_pattern),

    // --- expressions ---------------------------------------------------------------------------

    _expr: $ => choice(
      $.name_ref,
      $.literal,
      $.size_lit,
      $.lambda,
      $.app,
      $.let,
      $.if,
      $.tuple_expr,
      $.ascribe,
      $.pack,
      $.unpack,
      $.compose,
      $.with,
    ),

    size_lit: $ => seq('#', $._size),
    lambda: $ => group(choice('lambda', 'λ'), field('params', $.param_list), field('body', $._expr)),
    app: $ => group(field('function', $._expr), repeat(field('argument', $._expr))),
    let: $ => group('let', $._bindings),
    // The body of a binding may be the next one.
    _bindings: $ => seq(
      choice(field('name', $.name), $.tuple_pattern),
      field('value', $._expr),
      field('body', choice($._expr, alias($._bindings, $.let))),
    ),
    if: $ => group('if', field('condition', $._expr), field('then', $._expr), field('else', $._expr)),
    tuple_expr: $ => group('tuple', $._expr, repeat1($._expr)),
    ascribe: $ => group(':', $._expr, field('type', $._type)),
    pack: $ => group('pack', $._expr),
    unpack: $ => group(
      'unpack',
      choice(field('name', $.name), $.unpack_binder),
      field('value', $._expr),
      field('body', $._expr),
    ),
    unpack_binder: $ => group(repeat1(field('size', $.name)), field('name', $.name)),
    compose: $ => group('o', repeat1($._expr)),
    // Parameters of the generated code.
    with: $ => group('with', field('settings', $.setting_list), field('value', $._expr)),
    setting_list: $ => group(repeat($.setting)),
    setting: $ => group($.setting_name, $.setting_value),

    // --- types ---------------------------------------------------------------------------------

    _type: $ => choice(
      $.name_type,
      $.array_type,
      $.tuple_type,
      $.vector_type,
      $.exists_type,
      $.fun_type,
    ),

    array_type: $ => group(
      'array-type',
      optional($.position_binder),
      field('element', $._type),
      field('length', $._size),
    ),
    position_binder: $ => group($.name),
    tuple_type: $ => group('tuple-type', $._type, repeat1($._type)),
    vector_type: $ => group('vector-type', field('element', $._type), field('width', $._size)),
    exists_type: $ => group('exists', field('sizes', $.size_params), field('body', $._type)),
    fun_type: $ => group('->', $._type, repeat1($._type)),

    // --- sizes ---------------------------------------------------------------------------------

    _size: $ => choice($.size_nat, $.size_name, $.size_op),

    size_op: $ => choice(
      group(field('operator', choice('+', '-', '*', '/', 'mod', 'min', 'max', 'pow')), repeat1($._size)),
      group(field('operator', 'sum'), $.sum_binder, $._size),
      group(field('operator', 'length'), $.name_ref),
    ),
    sum_binder: $ => group($.name, $._size),

    // --- words ---------------------------------------------------------------------------------

    setting_name: $ => $._word,
    setting_value: $ => choice($.int, $._word),
    name: $ => $._word,
    name_ref: $ => $._word,
    name_type: $ => $._word,
    size_name: $ => $._word,
    size_nat: $ => $.int,
    literal: $ => choice($._number, $.bool),

    _number: $ => choice($.int, $.sized, $.long, $.half, $.float, $.double),
    // A sign directly before a digit belongs to the number.
    int: _ => token(prec(2, /[+-]?([0-9]+|0x[0-9a-fA-F]+)/)),
    // The suffix names the type; `b` is a hexadecimal digit.
    sized: _ => token(prec(2, /[+-]?([0-9]+(b|u?s|ub?|uL)|0x[0-9a-fA-F]+(u?s|ub?|uL))/)),
    long: _ => token(prec(2, /[+-]?([0-9]+|0x[0-9a-fA-F]+)L/)),
    half: _ => choice(
      token(prec(2, /[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?h/)),
      'infh', '+infh', '-infh', 'nanh', '+nanh', '-nanh',
    ),
    float: _ => choice(
      token(prec(2, /[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?f/)),
      'inff', '+inff', '-inff', 'nanf', '+nanf', '-nanf',
    ),
    double: _ => choice(
      token(prec(2, /[+-]?[0-9]+(\.[0-9]*([eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)/)),
      'inf', '+inf', '-inf', 'nan', '+nan', '-nan',
    ),
    bool: _ => choice('true', 'false'),

    string: _ => token(/"([^"\\\n\r]|\\[^\n\r])*"/),

    // Any run of characters but white space, brackets, `;`, `"`, with no `#` or digit in front.
    _word: _ => /[^\s\uFEFF()\[\]";#0-9\p{Cc}][^\s\uFEFF()\[\]";\p{Cc}]*/,
  },
});
