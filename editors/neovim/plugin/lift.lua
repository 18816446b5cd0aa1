-- Lift in Neovim (0.10 or newer): file type, language server, and the documents and commands of the server.
if vim.g.loaded_lift then
  return
end
vim.g.loaded_lift = true

vim.filetype.add({ extension = { lift = 'lift' } })

-- `vim.g.lift_cmd` names another server: { '/path/to/lift', 'lsp' }.
local config = dofile(vim.fs.joinpath(vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))), 'lsp/lift.lua'))
config.name = 'lift'

local function client_of(buffer)
  return vim.lsp.get_clients({ name = 'lift', bufnr = buffer })[1] or vim.lsp.get_clients({ name = 'lift' })[1]
end

vim.api.nvim_create_autocmd('FileType', {
  pattern = 'lift',
  group = vim.api.nvim_create_augroup('lift', {}),
  callback = function(event)
    -- What the server itself shows (`lift:/prelude.lift`) is no file of a project.
    if event.file:match('^lift:') then
      return
    end
    local file = vim.api.nvim_buf_get_name(event.buf)
    local root = vim.fs.root(event.buf, config.root_markers) or vim.fs.dirname(file)
    local options = vim.tbl_extend('force', config, { cmd = vim.g.lift_cmd or config.cmd, root_dir = root })
    vim.lsp.start(options, { bufnr = event.buf })
  end,
})

-- Documents that only the server has: the prelude, pages about errors, generated OpenCL.
vim.api.nvim_create_autocmd('BufReadCmd', {
  pattern = { 'lift:/*', 'lift-opencl:/*' },
  group = 'lift',
  callback = function(event)
    local client = client_of()
    if not client then
      vim.notify('lift: no language server runs', vim.log.levels.ERROR)
      return
    end
    local answer = client.request_sync('lift/virtualText', { uri = event.file }, 5000, event.buf)
    local text = answer and answer.result and answer.result.text
    if not text then
      local why = answer and answer.err and answer.err.message or 'no answer'
      vim.notify('lift: ' .. why, vim.log.levels.ERROR)
      return
    end
    vim.api.nvim_buf_set_lines(event.buf, 0, -1, false, vim.split(text, '\n'))
    vim.bo[event.buf].buftype = 'nofile'
    vim.bo[event.buf].modifiable = false
    local kinds = { lift = 'lift', md = 'markdown', cl = 'opencl' }
    vim.bo[event.buf].filetype = kinds[event.file:gsub('%?.*$', ''):match('%.(%w+)$')] or ''
  end,
})

-- Opens `lines` beside the program.
local function show(lines, name, filetype)
  vim.cmd('rightbelow vnew')
  local buffer = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].filetype = filetype
  pcall(vim.api.nvim_buf_set_name, buffer, name)
end

-- Runs a command of the server for the kernel at the cursor.
local function command(name, more, done)
  local client = client_of(0)
  if not client then
    vim.notify('lift: no language server runs', vim.log.levels.ERROR)
    return
  end
  local at = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local argument = vim.tbl_extend('force', { uri = at.textDocument.uri, position = at.position }, more)
  client.request('workspace/executeCommand', { command = name, arguments = { argument } }, function(err, result)
    if err then
      vim.notify('lift: ' .. err.message, vim.log.levels.ERROR)
    else
      done(result)
    end
  end)
end

vim.api.nvim_create_user_command('LiftGenerate', function()
  command('lift.server.generateOpenCL', {}, function(result)
    show(vim.split(result.text, '\n'), result.kernel .. '.cl', 'opencl')
  end)
end, { desc = 'Show the OpenCL of the kernel at the cursor' })

vim.api.nvim_create_user_command('LiftRun', function(args)
  local more = #args.fargs > 0 and { inputs = args.fargs } or {}
  command('lift.server.runKernel', more, function(result)
    local lines = vim.split(result.output, '\n')
    table.insert(lines, 1, ('; %s on %s'):format(result.kernel, result.device))
    for i, part in ipairs(result.profile or {}) do
      table.insert(lines, 1 + i, (';   %-40s %12.1f µs'):format(part.name, part.microseconds))
    end
    show(lines, result.kernel .. ' (result)', '')
  end)
end, { nargs = '*', desc = 'Run the kernel at the cursor; its inputs, or as its own line `;;; run:` says' })
