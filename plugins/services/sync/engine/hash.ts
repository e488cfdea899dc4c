// Short names for things that are compared for equality only.
import { createHash } from 'node:crypto'

export function hashOf(value: unknown): string {
  return createHash('sha1')
    .update(JSON.stringify(sorted(value)) ?? '')
    .digest('hex')
    .slice(0, 20)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  )
}
