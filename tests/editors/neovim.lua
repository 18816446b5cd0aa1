-- Neovim with editors/neovim in its runtime path and nothing else: `nvim --clean --headless -c 'luafile neovim.lua' FILE`,
-- with `vim.g.lift_options` in which hints of types are off.
-- A check that shows a feature of features.json begins with its name in brackets. PARSER is a folder with the compiled
-- tree-sitter parser.
local failed = 0
local function check(name, ok, got)
  if ok then
    io.write('\nok ' .. name .. '\n')
  else
    failed = failed + 1
    io.write('\nnot ok ' .. name .. ', got: ' .. vim.inspect(got) .. '\n')
  end
end
local function wait(f)
  local result
  vim.wait(20000, function()
    result = f()
    return result
  end, 20)
  return result
end
local function line(n)
  return vim.api.nvim_buf_get_lines(0, n - 1, n, false)[1]
end

local function text_of(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
end
-- The buffer whose name begins so, once it holds `text`.
local function buffer_with(beginning, text)
  return wait(function()
    for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
      if vim.startswith(vim.api.nvim_buf_get_name(buffer), beginning) and text_of(buffer):find(text, 1, true) then
        return buffer
      end
    end
  end)
end
-- as `K` does it: the floating window is read
local function float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return text_of(vim.api.nvim_win_get_buf(window))
    end
  end
end
local function close_floats()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      vim.api.nvim_win_close(window, true)
    end
  end
end
-- The entries of a list that a request of the editor fills.
local function quickfix()
  return wait(function()
    local list = vim.fn.getqflist()
    return #list > 0 and list
  end) or {}
end
local function texts(list)
  return table.concat(vim.tbl_map(function(entry) return entry.text end, list), '\n')
end

vim.o.swapfile = false
vim.o.hidden = true
local file = vim.api.nvim_buf_get_name(0)
local buffer = vim.api.nvim_get_current_buf()
check('the file type', vim.bo.filetype == 'lift', vim.bo.filetype)
check('[comments] comments', vim.bo.commentstring == '; %s', vim.bo.commentstring)
local client = wait(function()
  local c = vim.lsp.get_clients({ bufnr = buffer })[1]
  return c and c.initialized and c
end)
check('the server starts', client and client.name == 'lift')

check('[colours] colours without the parser', vim.fn.synIDattr(vim.fn.synID(3, 2, 1), 'name') == 'liftKeyword',
  vim.fn.synIDattr(vim.fn.synID(3, 2, 1), 'name'))
vim.opt.runtimepath:append(vim.env.PARSER)
vim.cmd('edit!')
vim.treesitter.get_parser(buffer):parse()
local captures = vim.tbl_map(function(c) return c.capture end, vim.treesitter.get_captures_at_pos(buffer, 2, 1))
check('[tree-sitter] colours of tree-sitter', vim.iter(captures):any(function(c) return vim.startswith(c, 'keyword') end), captures)
vim.wo.foldmethod = 'expr'
vim.cmd('normal! zx')
check('[folding] folds of forms', vim.fn.foldlevel(5) > 0 and vim.fn.foldlevel(6) == 0,
  vim.tbl_map(vim.fn.foldlevel, { 1, 2, 3, 4, 5, 6 }))
vim.wo.foldmethod = 'manual'
vim.cmd('normal! zE')
vim.cmd('normal! gg=G')
check('[indentation] indentation is that of the formatter', not vim.bo.modified, text_of(buffer))
if vim.bo.modified then vim.cmd('edit!') end

local diagnostics = wait(function()
  local d = vim.diagnostic.get(buffer)
  return #d > 0 and d
end)
check('[diagnostics] one diagnostic', diagnostics and #diagnostics == 1 and diagnostics[1].code == 'type-mismatch'
  and diagnostics[1].lnum == 10, diagnostics)
vim.api.nvim_win_set_cursor(0, { 11, 7 })
vim.cmd('LiftExplain')
check('[explain] the page about an error', buffer_with('lift:/explain/type-mismatch.md', '# type-mismatch'))

-- the repair of the literal, chosen as a user would
vim.api.nvim_set_current_win(vim.fn.bufwinid(buffer))
vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.title == 'Write `2.0f`' end })
check('[actions] a repair', wait(function() return line(11) == '  (* x 2.0f))' end), line(11))
check('the diagnostic is gone', wait(function() return #vim.diagnostic.get(buffer) == 0 end), vim.diagnostic.get(buffer))

-- what the hints show, written out and taken back
vim.api.nvim_win_set_cursor(0, { 5, 18 })
local implicit = text_of(buffer)
vim.cmd('let &undolevels = &undolevels') -- what a script does is one step else
vim.lsp.buf.code_action({ apply = true, filter = function(a) return a.title == 'Make pack/unpack explicit in this form' end })
check('[explicit] pack and unpack are written out', wait(function()
  return text_of(buffer):find('(unpack (', 1, true) and text_of(buffer):find('(pack (', 1, true)
end), text_of(buffer))
vim.wait(200)
check('and checked', #vim.diagnostic.get(buffer) == 0, vim.diagnostic.get(buffer))
vim.cmd('silent undo')
check('one undo takes it back', text_of(buffer) == implicit, text_of(buffer))

vim.api.nvim_win_set_cursor(0, { 5, 18 })
vim.lsp.buf.hover()
local text = wait(float)
check('[hover] hover', text and text:find('<∃X, Array[Float,X]>', 1, true), text)
close_floats()
-- `(> x 0.5f)` is selected, and `K` pressed.
vim.api.nvim_win_set_cursor(0, { 8, 2 })
vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes('v%K', true, false, true), 'x', false)
text = wait(float)
check('[selection] the type of the selected expression', text and vim.startswith(text:gsub('^```%w*\n', ''), 'Bool'), text)
vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes('<Esc>', true, false, true), 'x', false)
close_floats()

vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
local function labels()
  local all = {}
  for _, hint in ipairs(vim.lsp.inlay_hint.get({ bufnr = buffer })) do
    local label = hint.inlay_hint.label
    if type(label) == 'table' then
      label = table.concat(vim.tbl_map(function(part) return part.value end, label))
    end
    table.insert(all, label)
  end
  return table.concat(all, ' ')
end
check('[hints] inlay hints', wait(function() return labels():find('X1', 1, true) end), labels())
check('[options] a kind of hint is off', not labels():find(': Array', 1, true), labels())

-- Once they are those of the text as it is now.
local tokens
check('[semantic] a function in the colour of functions', wait(function()
  tokens = vim.lsp.semantic_tokens.get_at_pos(buffer, 4, 9)
  return tokens and tokens[1] and tokens[1].type == 'function'
end), tokens)

vim.lsp.buf.document_symbol({ on_list = function(list) vim.fn.setqflist({}, ' ', list) end })
check('[symbols] symbols of the file', texts(quickfix()):find('twice', 1, true), vim.fn.getqflist())
vim.fn.setqflist({})
vim.lsp.buf.workspace_symbol('doub', { on_list = function(list) vim.fn.setqflist({}, ' ', list) end })
check('[workspace-symbols] symbols of all files', texts(quickfix()):find('double', 1, true), vim.fn.getqflist())
vim.fn.setqflist({})
vim.api.nvim_win_set_cursor(0, { 7, 10 })
vim.lsp.buf.references(nil, { on_list = function(list) vim.fn.setqflist({}, ' ', list) end })
check('[references] references', #quickfix() == 2, vim.fn.getqflist())
vim.fn.setqflist({})
vim.lsp.buf.incoming_calls()
check('[calls] who calls a function', texts(quickfix()):find('twice', 1, true), vim.fn.getqflist())
vim.cmd('cclose')
vim.api.nvim_set_current_win(vim.fn.bufwinid(buffer))

vim.api.nvim_win_set_cursor(0, { 8, 5 })
vim.lsp.buf.document_highlight()
check('[highlights] the uses of a name', wait(function()
  local marks = vim.api.nvim_buf_get_extmarks(buffer, vim.api.nvim_create_namespace('vim_lsp_references'), 0, -1, {})
  return #marks >= 2
end))
vim.lsp.buf.clear_references()

vim.api.nvim_win_set_cursor(0, { 5, 9 })
vim.lsp.buf.signature_help()
text = wait(float)
check('[signature] the signature of the call', text and text:find('map', 1, true), text)
close_floats()

-- a name that is half typed
vim.api.nvim_buf_set_lines(buffer, 10, 11, false, { '  (* x (fil)))' })
vim.api.nvim_win_set_cursor(0, { 11, 11 })
local found = client.request_sync('textDocument/completion',
  vim.lsp.util.make_position_params(0, client.offset_encoding), 5000, buffer)
check('[completion] completion', vim.bo.omnifunc == 'v:lua.vim.lsp.omnifunc' and found and vim.iter(found.result.items)
  :any(function(item) return item.label == 'filter' end), found)
vim.api.nvim_buf_set_lines(buffer, 10, 11, false, { '        (* x 2.0f))' })
vim.lsp.buf.format()
check('[format] formatting', wait(function() return line(11) == '  (* x 2.0f))' end), line(11))

vim.api.nvim_win_set_cursor(0, { 7, 10 })
vim.lsp.buf.rename('big')
check('[rename] rename', wait(function()
  return line(7) == '(define (big x)' and line(5) == '    (map double (filter big xs))))'
end), { line(5), line(7) })

vim.api.nvim_win_set_cursor(0, { 5, 5 })
vim.lsp.buf.definition()
check('[definition] a built-in name leads to its declaration', wait(function()
  return vim.api.nvim_buf_get_name(0):find('lift:/', 1, true) and #vim.api.nvim_buf_get_lines(0, 0, -1, false) > 10
end), vim.api.nvim_buf_get_name(0))
vim.cmd('buffer! ' .. buffer)

vim.fn.writefile({ '(import "program.lift")' }, vim.fs.dirname(file) .. '/other.lift')
vim.cmd('edit ' .. vim.fs.dirname(file) .. '/other.lift')
vim.api.nvim_win_set_cursor(0, { 1, 12 })
vim.cmd('silent! normal! gf')
check('[links] the file that is imported', vim.api.nvim_get_current_buf() == buffer, vim.api.nvim_buf_get_name(0))
vim.cmd('buffer! ' .. buffer)

-- generated code, which follows an edit that is not saved
vim.api.nvim_win_set_cursor(0, { 5, 5 })
vim.cmd('LiftGenerate')
local view = buffer_with('lift-opencl:/twice.cl', '__kernel')
check('[opencl] generated OpenCL', view and vim.bo[view].filetype == 'opencl' and not vim.bo[view].modifiable)
vim.api.nvim_buf_set_lines(buffer, 7, 8, false, { '  (> x 0.625f))' })
check('[live] it follows an edit', buffer_with('lift-opencl:/twice.cl', '0.625f'), view and text_of(view))
vim.api.nvim_buf_set_lines(buffer, 7, 8, false, { '  (> x true))' })
check('[stale] a broken program leaves the last good text', buffer_with('lift-opencl:/twice.cl', '// stale: ')
  and text_of(view):find('0.625f', 1, true), view and text_of(view))
vim.api.nvim_buf_set_lines(buffer, 7, 8, false, { '  (> x 0.5f))' })
check('and again', buffer_with('lift-opencl:/twice.cl', '0.5f'))
vim.cmd('LiftGenerate core')
check('[stages] another stage', buffer_with('lift-opencl:/twice.core', 'filter'))

vim.cmd('LiftRun')
local result = buffer_with('lift-run:/twice', '; twice on')
check('[run] a run', result and vim.endswith(text_of(result), '\n1.5\n2.0\n'), result and text_of(result))
vim.api.nvim_buf_delete(result, { force = true })
vim.cmd('LiftRun [0.75,0.125]')
result = buffer_with('lift-run:/twice', '; twice on')
check('[inputs] a run on other inputs', result and vim.endswith(text_of(result), '\n1.5\n'), result and text_of(result))
check('[times] times at the ends of the lines', wait(function() return labels():find('µs', 1, true) end), labels())

vim.lsp.codelens.refresh({ bufnr = buffer })
local lenses = wait(function()
  local all = vim.lsp.codelens.get(buffer)
  return #all > 0 and all
end)
check('lenses above a kernel', lenses and #lenses == 3 and lenses[1].command.title == '▶ Run', lenses)
vim.api.nvim_buf_delete(result, { force = true })
vim.ui.select = function(items, _, choose)
  choose(items[1], 1)
end
vim.api.nvim_win_set_cursor(0, { 3, 0 })
vim.lsp.codelens.run()
check('[lenses] a lens runs the kernel', buffer_with('lift-run:/twice', '1.5'))

-- a run that would take too long
vim.api.nvim_buf_set_lines(buffer, 0, -1, false, {
  ';;; run: start=1',
  '(lift endless () (int)',
  '  (lambda (start)',
  '    (iterateWhile (lambda (n) (>= n 0)) (lambda (n) (mod (+ n 1) 1000)) start)))',
})
vim.api.nvim_win_set_cursor(0, { 2, 1 })
-- The processes that run a kernel of this program.
local function runs()
  return vim.iter(vim.fn.glob('/proc/[0-9]*/cmdline', true, true)):any(function(path)
    local opened = io.open(path, 'rb')
    local words = opened and opened:read('a') or ''
    if opened then opened:close() end
    return words:find('\0--embedded\0', 1, true) and words:find(file, 1, true)
  end)
end
vim.cmd('LiftRun')
check('a run has a process of its own', wait(runs))
vim.cmd('LiftCancel')
check('[cancel] a run is cancelled, and its process ends', wait(function() return not runs() end))
vim.cmd('undo')

-- Files of other languages: the place of a mistake, the type of a name, and the completion of a glyph's name.
for _, other in ipairs({
  { ending = 'apl', comments = '⍝ %s', lines = { 'm←2 3⍴⍳6', '⎕←m+⍳4', 'rh' }, code = 'apl/rank', type = 'Array[Array[Int,3],2]',
    complete = 'rho' },
  { ending = 'fcl', comments = '-- %s', lines = { 'val m = iota 6', 'val n = addi 1 2.0', 'val main = map' }, code = 'fcl/type',
    type = '[int]', complete = 'mapPull' },
}) do
  vim.cmd('edit ' .. vim.fn.tempname() .. '.' .. other.ending)
  local own = vim.api.nvim_get_current_buf()
  check(other.ending .. ': the file type and comments', vim.bo.filetype == other.ending and vim.bo.commentstring == other.comments,
    { vim.bo.filetype, vim.bo.commentstring })
  vim.api.nvim_buf_set_lines(own, 0, -1, false, other.lines)
  local found = wait(function()
    return vim.iter(vim.diagnostic.get(own)):find(function(d) return d.code == other.code end)
  end)
  check(other.ending .. ': a mistake at its line', found and found.lnum == 1, vim.diagnostic.get(own))
  local named = vim.lsp.buf_request_sync(own, 'textDocument/hover', { textDocument = vim.lsp.util.make_text_document_params(own),
    position = { line = 0, character = other.ending == 'fcl' and 4 or 0 } }, 20000)
  check(other.ending .. ': the type of a name', vim.inspect(named):find(other.type, 1, true), named)
  local last = other.lines[3]
  local offered = vim.lsp.buf_request_sync(own, 'textDocument/completion', { textDocument = vim.lsp.util.make_text_document_params(own),
    position = { line = 2, character = #last } }, 20000)
  check(other.ending .. ': completion', vim.inspect(offered):find(other.complete, 1, true))
  if other.ending == 'apl' then
    wait(function() return vim.fn.maparg('`r', 'i') ~= '' end)
    vim.api.nvim_win_set_cursor(0, { 3, 0 })
    vim.api.nvim_feedkeys('Sx`[3`r`i6`|`<`-\27', 'tx', false)
    check('[glyphs] a prefix key and a key enter a character of APL', line(3) == 'x←3⍴⍳6⊣⍪×', line(3))
  end
end
vim.api.nvim_set_current_buf(buffer)

client.stop()
check('the server stops', wait(function() return client.is_stopped() end))
vim.cmd('cquit ' .. (failed > 0 and 1 or 0))
