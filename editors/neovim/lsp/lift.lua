-- The language server, for `vim.lsp.enable('lift')` of Neovim 0.11; plugin/lift.lua starts the same in 0.10.
return {
  cmd = { 'lift', 'lsp' },
  filetypes = { 'lift', 'fcl', 'apl' },
  root_markers = { '.git' },
}
