-- The script of wrk (bench/wrk.mjs). The file that is its first argument returns the requests, from which each is drawn by chance; of a
-- new article the number in its title is drawn, too. At the end it prints one line of JSON.
local requests, formatted = {}, {}

function init(args)
  requests = dofile(args[1])
  math.randomseed(os.time() + tonumber(args[2]))
  for place, each in ipairs(requests) do
    -- One that creates is written anew each time.
    if not each.isNew then formatted[place] = wrk.format(each.method, each.path, each.headers, each.body) end
  end
end

function request()
  local place = math.random(#requests)
  if formatted[place] then return formatted[place] end
  local each = requests[place]
  local body = each.body:gsub("Article %d+", string.format("Article %d", math.random(0, 2 ^ 46)))
  return wrk.format(each.method, each.path, each.headers, body)
end

function done(summary, latency)
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  print(string.format(
    '{"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"bytes":%f,"refused":%d,"failed":%d}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    summary.bytes / math.max(summary.requests, 1), summary.errors.status, failed
  ))
end
