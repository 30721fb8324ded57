import { createHash } from 'node:crypto';

/** A script that the server runs as one step, and the name by which it knows it. */
export interface RedisScript {
  readonly source: string;
  readonly sha: string;
}

function script(source: string): RedisScript {
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

// The first line matters: with it the server refuses the whole script when it could not write (out of memory, a replica, a
// failing disk) instead of stopping in the middle of it, which would leave half a commit.
const COMMIT_SOURCE = `
local next_key, next_argument = 1, 0
local function key() next_key = next_key + 1; return KEYS[next_key] end
local function argument() next_argument = next_argument + 1; return ARGV[next_argument] end
local function version() return redis.call('INCR', KEYS[1]) end

for index = 1, tonumber(argument()) do
  local kind = argument()
  if kind == 'absent' then
    if redis.call('EXISTS', key()) == 1 then return {0, index - 1} end
  elseif kind == 'present' then
    if redis.call('EXISTS', key()) == 0 then return {0, index - 1} end
  elseif kind == 'before' then
    local now = redis.call('TIME')
    if now[1] * 1000 + now[2] / 1000 >= tonumber(argument()) then return {0, index - 1} end
  else
    local wanted, row = argument(), redis.call('GET', key())
    if not row or string.match(row, '^%d+') ~= wanted then return {0, index - 1} end
  end
end

local results = {1}
for index = 1, tonumber(argument()) do
  local kind, name = argument(), key()
  if kind == 'put' then
    local json, expires_at, number = argument(), argument(), version()
    redis.call('SET', name, string.format('%.0f', number) .. ' ' .. json, 'PXAT', expires_at)
    results[index + 1] = number
  elseif kind == 'add' then
    local amount, expires_at = tonumber(argument()), argument()
    local row, prefix = redis.call('GET', name), string.format('%.0f', version()) .. ' '
    local count = string.format('%.17g', (row and tonumber(string.match(row, ' (.*)$')) or 0) + amount)
    if row then
      redis.call('SET', name, prefix .. count, 'KEEPTTL')
      results[index + 1] = {count, redis.call('PEXPIRETIME', name)}
    else
      redis.call('SET', name, prefix .. count, 'PXAT', expires_at)
      results[index + 1] = {count, tonumber(expires_at)}
    end
  elseif kind == 'append' then
    local count, keep_last, expires_at = tonumber(argument()), tonumber(argument()), argument()
    local length = redis.call('LLEN', name)
    if length == 0 and count > 0 then length = redis.call('RPUSH', name, '0') end
    -- In lots, because a call takes only so many arguments.
    for first = 1, count, 1000 do
      local lot = math.min(1000, count - first + 1)
      length = redis.call('RPUSH', name, unpack(ARGV, next_argument + 1, next_argument + lot))
      next_argument = next_argument + lot
    end
    if length == 0 then
      results[index + 1] = 0
    else
      local dropped = tonumber(redis.call('LINDEX', name, 0))
      results[index + 1] = dropped + length - 1
      local excess = length - 1 - keep_last
      if keep_last > 0 and excess > 0 then
        redis.call('LTRIM', name, excess, -1)
        redis.call('LSET', name, 0, string.format('%.0f', dropped + excess))
      end
      redis.call('PEXPIREAT', name, expires_at)
    end
  else
    redis.call('DEL', name)
    results[index + 1] = 0
  end
end
while next_argument < #ARGV do redis.call('PUBLISH', argument(), '') end
return results
`;

/**
 * KEYS: the version counter, then the key of each condition that has one and of each write, in order.
 * ARGV: the number of conditions; for each `absent`, `present`, `version` and the version, or `before` and the
 * time, by the server's clock; the number of writes; for each `put` json expiry, `add` amount expiry, `append` count keep-last(0: all) expiry entries…, or `delete`; then channels to wake.
 * Answers {0, index of the failed condition} or {1, result of each write…}.
 *
 * A value is the text `<version> <json>`. A log is a list whose head is the number of entries that were dropped before the
 * first kept one: a stream would number by itself, but takes at least 4 KB however short it is, a short list takes a
 * hundred bytes.
 */
export const COMMIT_SCRIPT = script(`#!lua${COMMIT_SOURCE}`);

/** The same for commits that only take away: they also run when the server's memory is full, and free some of it. */
export const REMOVE_SCRIPT = script(`#!lua flags=allow-oom${COMMIT_SOURCE}`);

/** KEYS: a log. ARGV: after which sequence, at most how many. Answers {dropped, kept, entries} in one consistent look. */
export const READ_LOG_SCRIPT = script(`#!lua flags=no-writes
local length = redis.call('LLEN', KEYS[1])
if length == 0 then return {0, 0, {}} end
local dropped = tonumber(redis.call('LINDEX', KEYS[1], 0))
local from = math.max(tonumber(ARGV[1]) - dropped, 0) + 1
return {dropped, length - 1, redis.call('LRANGE', KEYS[1], from, from + tonumber(ARGV[2]) - 1)}
`);
