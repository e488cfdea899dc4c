// Short names for things that are compared for equality only.
import { createHash } from 'node:crypto'

export function hashOf(value: unknown): string {
  return createHash('sha1').update(JSON.stringify(sorted(value)) ?? '').digest('hex').slice(0, 20)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined).sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, each]) => [name, sorted(each)]))
}

/** A number of 53 bits that tells texts apart quickly. Two rows of one item with the same number are the same row. */
export function fingerprint(text: string): number {
  let [low, high] = [0x811c9dc5, 0x01000193]
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    low = Math.imul(low ^ code, 0x9e3779b1)
    high = Math.imul(high ^ code, 0x85ebca6b)
  }
  low = Math.imul(low ^ (low >>> 16), 0xc2b2ae35) ^ Math.imul(high ^ (high >>> 13), 0x27d4eb2f)
  high = Math.imul(high ^ (high >>> 16), 0x165667b1) ^ Math.imul(low ^ (low >>> 13), 0x9e3779b1)
  return (high & 0x1f_ffff) * 0x1_0000_0000 + (low >>> 0)
}
