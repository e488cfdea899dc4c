// Ids of runs: they sort by time, and no two are equal, also within one millisecond (https://github.com/ulid/spec).
import { randomBytes } from 'node:crypto'

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** 26 characters: ten of time, sixteen of chance. */
export function createRunId(nowMs: number): string {
  let time = ''
  for (let rest = nowMs, place = 0; place < 10; place += 1, rest = Math.floor(rest / 32))
    time = DIGITS[rest % 32] + time
  return time + Array.from(randomBytes(16), (byte) => DIGITS[byte % 32]).join('')
}
