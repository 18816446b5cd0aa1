-- Editing Lift: comments, brackets, indentation.
if vim.b.did_ftplugin then
  return
end
vim.b.did_ftplugin = true

vim.bo.commentstring = '; %s'
vim.bo.comments = ':;;;,:;'
vim.bo.expandtab = true
vim.bo.shiftwidth = 2
vim.bo.softtabstop = 2
vim.bo.lisp = true
vim.bo.lispwords = 'define,lift,primitive,lambda,λ,let,unpack,with,import'
vim.bo.iskeyword = '33,35-39,42-58,60-90,92,94-122,124,126-255'
vim.bo.matchpairs = '(:),[:]'
vim.b.undo_ftplugin = 'setlocal commentstring< comments< expandtab< shiftwidth< softtabstop< lisp< lispwords< '
  .. 'iskeyword< matchpairs<'

-- With the parser (docs/editors/neovim.md), its colours and folds; without it, those of syntax/lift.vim.
if pcall(vim.treesitter.start, 0, 'lift') then
  vim.wo.foldexpr = 'v:lua.vim.treesitter.foldexpr()'
end
