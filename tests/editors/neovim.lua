-- Neovim with editors/neovim in its runtime path and nothing else: `nvim --clean --headless -c 'luafile neovim.lua' FILE`.
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

vim.o.swapfile = false
vim.cmd('runtime! plugin/lift.lua')
vim.g.lift_cmd = { vim.env.LIFT, 'lsp' }
vim.cmd('edit!')
local buffer = vim.api.nvim_get_current_buf()
check('the file type', vim.bo.filetype == 'lift', vim.bo.filetype)
check('comments', vim.bo.commentstring == '; %s', vim.bo.commentstring)
local client = wait(function()
  local c = vim.lsp.get_clients({ bufnr = buffer })[1]
  return c and c.initialized and c
end)
check('the server starts', client and client.name == 'lift')

local diagnostics = wait(function()
  local d = vim.diagnostic.get(buffer)
  return #d > 0 and d
end)
check('one diagnostic', diagnostics and #diagnostics == 1 and diagnostics[1].code == 'type-mismatch'
  and diagnostics[1].lnum == 10, diagnostics)

-- as `K` does it: the floating window is read
local function float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
    end
  end
end

-- the repair of the literal, chosen as a user would
vim.api.nvim_win_set_cursor(0, { 11, 7 })
vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.title == 'Write `2.0f`' end })
check('a repair', wait(function() return line(11) == '  (* x 2.0f))' end), line(11))
check('the diagnostic is gone', wait(function() return #vim.diagnostic.get(buffer) == 0 end), vim.diagnostic.get(buffer))

vim.api.nvim_win_set_cursor(0, { 5, 18 })
vim.lsp.buf.hover()
local text = wait(float)
check('hover', text and text:find('<∃X, Array[Float,X]>', 1, true), text)
vim.cmd('stopinsert')

vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
local hints = wait(function()
  local h = vim.lsp.inlay_hint.get({ bufnr = buffer })
  return #h > 0 and h
end)
local labels = {}
for _, hint in ipairs(hints or {}) do
  local label = hint.inlay_hint.label
  if type(label) == 'table' then
    label = table.concat(vim.tbl_map(function(part) return part.value end, label))
  end
  table.insert(labels, label)
end
check('inlay hints', table.concat(labels, ' '):find('X1', 1, true), labels)

vim.api.nvim_win_set_cursor(0, { 7, 10 })
vim.lsp.buf.rename('big')
check('rename', wait(function()
  return line(7) == '(define (big x)' and line(5) == '    (map double (filter big xs))))'
end), { line(5), line(7) })

vim.api.nvim_win_set_cursor(0, { 5, 5 })
vim.lsp.buf.definition()
check('a built-in name leads to its declaration', wait(function()
  return vim.api.nvim_buf_get_name(0):find('lift:/', 1, true) and #vim.api.nvim_buf_get_lines(0, 0, -1, false) > 10
end), vim.api.nvim_buf_get_name(0))
vim.cmd('buffer! ' .. buffer)

vim.api.nvim_win_set_cursor(0, { 5, 5 })
vim.cmd('LiftGenerate')
check('generated OpenCL', wait(function()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'):find('__kernel', 1, true)
end), vim.api.nvim_buf_get_lines(0, 0, -1, false))
vim.cmd('close')

vim.api.nvim_set_current_buf(buffer)
vim.api.nvim_win_set_cursor(0, { 5, 5 })
vim.cmd('LiftRun')
check('a run', wait(function()
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  return lines[1]:find('; twice on', 1, true) and vim.tbl_contains(lines, '1.5') and vim.tbl_contains(lines, '2.0')
end), vim.api.nvim_buf_get_lines(0, 0, -1, false))
vim.cmd('close')

client.stop()
check('the server stops', wait(function() return client.is_stopped() end))
vim.cmd('cquit ' .. (failed > 0 and 1 or 0))
