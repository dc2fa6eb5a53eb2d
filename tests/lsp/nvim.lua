-- Attaches a server to the buffer at hand, waits for what it finds, applies one action through
-- Neovim's own code_action, and writes down what was seen.
local case = vim.json.decode(vim.env.NVIM_CASE)

local function write(value)
  local file = assert(io.open(case.result, "w"))
  file:write(vim.json.encode(value))
  file:close()
end

local function fail(message)
  io.stderr:write(message .. "\n")
  vim.cmd("cquit")
end

local function shown()
  local list = {}
  for _, each in ipairs(vim.diagnostic.get(0)) do
    local code = each.code or (each.user_data and each.user_data.lsp and each.user_data.lsp.code)
    table.insert(list, { lnum = each.lnum, col = each.col, code = code, severity = each.severity })
  end
  table.sort(list, function(a, b)
    return a.lnum < b.lnum or (a.lnum == b.lnum and a.col < b.col)
  end)
  return list
end

local ok, problem = pcall(function()
  vim.bo.filetype = case.language
  local id = vim.lsp.start_client({ name = "emendo", cmd = case.command, root_dir = vim.fn.getcwd() })
  vim.lsp.buf_attach_client(0, id)
  assert(vim.wait(90000, function()
    return #vim.diagnostic.get(0) > 0
  end, 50), "no diagnostics came")
  local before, first = vim.api.nvim_buf_get_changedtick(0), shown()
  -- The cursor goes to the first finding of the line, and the menu is answered.
  for _, each in ipairs(first) do
    if each.lnum == case.line - 1 then
      vim.api.nvim_win_set_cursor(0, { case.line, each.col })
      break
    end
  end
  vim.ui.select = function(items, _, choose)
    for _, item in ipairs(items) do
      local action = item[2] or item.action
      if action.edit and action.title:find(case.title, 1, true) then
        return choose(item)
      end
    end
    error("no such action")
  end
  vim.lsp.buf.code_action()
  assert(vim.wait(30000, function()
    return vim.api.nvim_buf_get_changedtick(0) ~= before
  end, 50), "no action was applied")
  -- The next check replaces what was shown.
  vim.wait(10000, function()
    return #vim.diagnostic.get(0) < #first
  end, 50)
  write({ diagnostics = first, lines = vim.api.nvim_buf_get_lines(0, 0, -1, false), left = shown() })
  vim.lsp.stop_client(id)
end)
if not ok then
  fail(tostring(problem))
end
vim.cmd("qall!")
