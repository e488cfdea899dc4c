// The free-form detail of a fact as JSON of limited size, without secret fields. Fields that do not fit are omitted and
// listed.

const MAX_LENGTH = 16 * 1024
const MAX_MEMBER = 4 * 1024
const REDACTED = '[redacted]'
const SECRET = /password|token|cookie|secret|totp|api_?key|^pin$|^code$|hash|salt/i
const LIMITS: Readonly<Record<string, number>> = { user_agent: 240, path: 240 }

/** @returns JSON of an object */
export function fitDetail(detail: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(detail, hideSecrets)
  if (text.length <= MAX_LENGTH) return text
  const members = Object.entries(JSON.parse(text) as Record<string, unknown>).map(([name, value]) => ({
    name,
    value,
    length: JSON.stringify(value).length,
  }))
  const kept: Record<string, unknown> = {}
  const omitted: string[] = []
  let space = MAX_LENGTH - 1_024
  for (const { name, value, length } of members.toSorted((a, b) => a.length - b.length)) {
    const fits = length <= MAX_MEMBER && (space -= length + name.length + 4) >= 0
    if (fits) kept[name] = value
    else if (omitted.length < 20) omitted.push(name.slice(0, 40))
  }
  return JSON.stringify({ ...kept, omitted })
}

function hideSecrets(this: unknown, name: string, value: unknown): unknown {
  if (value === null || value === '') return value
  if (SECRET.test(name) && typeof value !== 'boolean' && typeof value !== 'object') return REDACTED
  if (typeof value !== 'string') return value
  const limit = LIMITS[name]
  return limit !== undefined && value.length > limit ? value.slice(0, limit) : value
}
