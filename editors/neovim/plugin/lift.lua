-- Lift in Neovim (0.10 or newer): file type, language server, and the documents and commands of the server.
if vim.g.loaded_lift then
  return
end
vim.g.loaded_lift = true

vim.filetype.add({ extension = { lift = 'lift', fcl = 'fcl', apl = 'apl' } })

-- `vim.g.lift_cmd` names another server: { '/path/to/lift', 'lsp' }. `vim.g.lift_options` are its options, as
-- docs/protocol.md has them: { inlayHints = { types = false } }.
local config = dofile(vim.fs.joinpath(vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))), 'lsp/lift.lua'))
config.name = 'lift'

local function say(message)
  vim.notify('lift: ' .. message, vim.log.levels.ERROR)
end

local function client_of(buffer)
  return vim.lsp.get_clients({ name = 'lift', bufnr = buffer })[1] or vim.lsp.get_clients({ name = 'lift' })[1]
end

-- --- documents that only the server has: the prelude, pages about errors, generated code -----------

local kinds = { lift = 'lift', md = 'markdown', cl = 'opencl', c = 'c', json = 'json', core = 'liftcore' }

local function fill(buffer, text)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, '\n'))
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
end

vim.api.nvim_create_autocmd('BufReadCmd', {
  pattern = { 'lift:/*', 'lift-opencl:/*' },
  group = vim.api.nvim_create_augroup('lift', {}),
  callback = function(event)
    local uri = vim.api.nvim_buf_get_name(event.buf)
    local client = client_of()
    if not client then
      say('no language server runs')
      return
    end
    local answer = client.request_sync('lift/virtualText', { uri = uri }, 5000, event.buf)
    local text = answer and answer.result and answer.result.text
    if not text then
      say(answer and answer.err and answer.err.message or 'no answer')
      return
    end
    vim.bo[event.buf].buftype = 'nofile'
    vim.bo[event.buf].swapfile = false
    vim.bo[event.buf].filetype = kinds[uri:gsub('%?.*$', ''):match('%.(%w+)$')] or ''
    fill(event.buf, text)
  end,
})

-- Generated code follows the edits: the server says when a text that was asked for has changed.
config.handlers = {
  ['lift/virtualTextChanged'] = function(_, params, context)
    local buffer = vim.fn.bufnr(params.uri)
    local client = vim.lsp.get_client_by_id(context.client_id)
    if buffer == -1 or not client then
      return
    end
    client.request('lift/virtualText', { uri = params.uri }, function(_, result)
      if result and vim.api.nvim_buf_is_valid(buffer) then
        fill(buffer, result.text)
      end
    end)
  end,
}

-- The window that shows a buffer, else a new one beside the program. The program keeps the cursor.
local function beside(buffer)
  if vim.fn.bufwinid(buffer) == -1 then
    vim.api.nvim_open_win(buffer, false, { split = 'right' })
  end
end

-- --- commands of the server -----------------------------------------------------------------------

-- The request of the run in progress, which `:LiftCancel` ends.
local running

local function execute(name, argument, done)
  local client = client_of(0)
  if not client then
    say('no language server runs')
    return
  end
  local _, id = client.request('workspace/executeCommand', { command = name, arguments = { argument } }, function(err, result)
    if err then
      say(err.message)
    else
      done(result)
    end
  end)
  return client, id
end

-- The argument of a command: the kernel at the cursor.
local function here(more)
  local client = client_of(0)
  local at = vim.lsp.util.make_position_params(0, client and client.offset_encoding or 'utf-16')
  return vim.tbl_extend('force', { uri = at.textDocument.uri, position = at.position }, more)
end

local function generate(argument)
  execute('lift.server.generateOpenCL', argument, function(result)
    local buffer = vim.fn.bufadd(result.uri)
    vim.fn.bufload(buffer)
    beside(buffer)
  end)
end

local function run(argument)
  local client, id = execute('lift.server.runKernel', argument, function(result)
    running = nil
    local lines = { ('; %s on %s'):format(result.kernel, result.device) }
    for _, part in ipairs(result.profile or {}) do
      table.insert(lines, (';   %-40s %12.1f µs'):format(part.name, part.microseconds))
    end
    local buffer = vim.fn.bufadd('lift-run:/' .. result.kernel)
    vim.bo[buffer].buftype = 'nofile'
    fill(buffer, table.concat(lines, '\n') .. '\n' .. result.output)
    beside(buffer)
  end)
  running = client and { client = client, id = id }
end

-- The commands of code lenses.
config.commands = {
  ['lift.server.generateOpenCL'] = function(command)
    generate(command.arguments[1])
  end,
  ['lift.server.runKernel'] = function(command)
    run(command.arguments[1])
  end,
}

local stages = { 'elaborated', 'core', 'scheduled', 'opencl', 'plan', 'host' }
vim.api.nvim_create_user_command('LiftGenerate', function(args)
  generate(here(args.args ~= '' and { stage = args.args } or {}))
end, {
  nargs = '?',
  complete = function(typed)
    return vim.tbl_filter(function(stage)
      return vim.startswith(stage, typed)
    end, stages)
  end,
  desc = 'Show what the kernel at the cursor becomes: its OpenCL, or another stage',
})

vim.api.nvim_create_user_command('LiftRun', function(args)
  run(here(#args.fargs > 0 and { inputs = args.fargs } or {}))
end, { nargs = '*', desc = 'Run the kernel at the cursor; its inputs, or as its own line `;;; run:` says' })

vim.api.nvim_create_user_command('LiftCancel', function()
  if running then
    running.client.cancel_request(running.id)
    running = nil
    vim.notify('lift: the run was cancelled')
  end
end, { desc = 'End the run in progress' })

vim.api.nvim_create_user_command('LiftExplain', function()
  local found = vim.diagnostic.get(0, { lnum = vim.api.nvim_win_get_cursor(0)[1] - 1 })[1]
  if not (found and found.code) then
    say('there is no message at this line')
    return
  end
  local buffer = vim.fn.bufadd(('lift:/explain/%s.md'):format(found.code))
  vim.fn.bufload(buffer)
  beside(buffer)
end, { desc = 'Show the page about the message at this line' })

-- The type of the selected expression, and where its lengths come from.
local function hover_selection()
  local client = client_of(0)
  if not client then
    return
  end
  local from, to = vim.fn.getpos('v'), vim.fn.getpos('.')
  if from[2] > to[2] or (from[2] == to[2] and from[3] > to[3]) then
    from, to = to, from
  end
  local params = vim.lsp.util.make_given_range_params(
    { from[2], from[3] - 1 }, { to[2], to[3] - 1 }, 0, client.offset_encoding)
  client.request('lift/hoverRange', params, function(_, hover)
    if hover then
      local lines = vim.lsp.util.convert_input_to_markdown_lines(hover.contents)
      vim.lsp.util.open_floating_preview(lines, 'markdown', { focus_id = 'lift/hoverRange' })
    end
  end)
end

-- A prefix key and a key enter a character of APL: `r becomes ⍴. The server has the characters with their keys. A prefix
-- key alone is itself after 'timeoutlen'. `vim.g.lift_apl_prefix_key` is another prefix key,
-- '' is none.
vim.api.nvim_create_autocmd('LspAttach', {
  group = 'lift',
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    local prefix = vim.g.lift_apl_prefix_key or '`'
    if not client or client.name ~= 'lift' or prefix == '' or vim.bo[event.buf].filetype ~= 'apl' then
      return
    end
    local function literally(keys)
      return (keys:gsub('<', '<lt>'):gsub('|', '<Bar>'))
    end
    client.request('lift/characters', vim.empty_dict(), function(_, answer)
      if not answer or not vim.api.nvim_buf_is_valid(event.buf) then
        return
      end
      for _, entry in ipairs(answer.characters) do
        vim.keymap.set('i', literally(prefix .. entry.key), entry.character,
          { buffer = event.buf, desc = table.concat(entry.names, ', ') })
      end
    end, event.buf)
  end,
})

vim.api.nvim_create_autocmd('FileType', {
  pattern = { 'lift', 'fcl', 'apl' },
  group = 'lift',
  callback = function(event)
    local file = vim.api.nvim_buf_get_name(event.buf)
    -- Documents of the server (`lift:/prelude.lift`) do not belong to a project.
    if file:match('^lift[%w-]*:/') then
      return
    end
    local root = vim.fs.root(event.buf, config.root_markers) or vim.fs.dirname(file)
    local options = vim.tbl_extend('force', config, {
      cmd = vim.g.lift_cmd or config.cmd,
      root_dir = root,
      init_options = vim.g.lift_options,
    })
    vim.lsp.start(options, { bufnr = event.buf })
    vim.keymap.set('x', 'K', hover_selection, { buffer = event.buf, desc = 'Type of the selected expression' })
  end,
})
