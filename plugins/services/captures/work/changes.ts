// Differences between two rows. Times less than a minute apart are equal, because services round them differently.
import { isRecord, parseTime, REPORTED_PLAY_MS, sameTime, type Time } from '@playhead/sdk/items'

/** In display order. */
export const STATUSES = ['added', 'removed', 'updated', 'unchanged'] as const
export type Status = (typeof STATUSES)[number]

interface FieldChange {
  /** Dotted; `<root>` for the row itself. */
  readonly path: string
  readonly old: unknown
  readonly new: unknown
}

interface ChangeLimits {
  readonly maxChanges: number
  /** Deeper objects are compared as whole values. */
  readonly maxDepth: number
}

interface ListedChanges {
  readonly changes: readonly FieldChange[]
  readonly changes_truncated?: true
}

const ROOT = '<root>'
const TIMES = new Set(['watched_at', 'progress_at', 'last_progress_at', 'rated_at', 'added_at'])
/** Times of plays, compared as a set. */
export const WATCHED = 'watched_ats'
const MINUTE = 'YYYY-MM-DDTHH:MM'.length

export function isSameRow(a: Row, b: Row): boolean {
  return isSame('', a, b)
}

export type Row = Readonly<Record<string, unknown>>

export function listChanges(a: Row, b: Row, { maxChanges, maxDepth }: ChangeLimits): ListedChanges {
  const found: FieldChange[] = []
  const [before, after] = [timesOf(a[WATCHED]), timesOf(b[WATCHED])]
  const only = (some: readonly PlayTime[], others: readonly PlayTime[]) => [
    ...new Set(without(some, others).map(({ text }) => text.slice(0, MINUTE))),
  ]
  for (const [name, gone, come] of [
    ['added', null, only(after, before)],
    ['removed', only(before, after), null],
  ] as const)
    if ((gone ?? come).length > 0) found.push({ path: `${WATCHED}.${name}`, old: gone, new: come })
  walk('', withoutPlays(a), withoutPlays(b), 0)
  const changes = found.slice(0, maxChanges)
  return { changes, ...(found.length > maxChanges ? { changes_truncated: true } : {}) }

  function walk(path: string, one: unknown, other: unknown, depth: number): void {
    if (found.length > maxChanges || isSame(path.split('.').at(-1)!, one, other)) return
    if (!isRecord(one) || !isRecord(other) || depth >= maxDepth) {
      found.push({ path: path === '' ? ROOT : path, old: one ?? null, new: other ?? null })
      return
    }
    for (const name of [...new Set([...Object.keys(one), ...Object.keys(other)])].sort())
      walk(path === '' ? name : `${path}.${name}`, one[name], other[name], depth + 1)
  }
}

function isSame(name: string, a: unknown, b: unknown): boolean {
  if (a === b || (a == null && b == null)) return true
  if (TIMES.has(name) && typeof a === 'string' && typeof b === 'string') return isSameTime(timeOf(a), timeOf(b))
  if (name === WATCHED) {
    const [one, other] = [timesOf(a), timesOf(b)]
    return without(one, other).length === 0 && without(other, one).length === 0
  }
  if (Array.isArray(a) || Array.isArray(b)) return JSON.stringify(a) === JSON.stringify(b)
  if (!isRecord(a) || !isRecord(b)) return false
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => isSame(key, a[key], b[key]))
}

function withoutPlays({ [WATCHED]: _watched, ...row }: Row): Row {
  return row
}

interface PlayTime {
  readonly text: string
  readonly time: Time | undefined
}

function timesOf(value: unknown): readonly PlayTime[] {
  return Array.isArray(value) ? value.map((one) => timeOf(String(one))).sort((a, b) => (a.text < b.text ? -1 : 1)) : []
}

function timeOf(text: string): PlayTime {
  return { text, time: parseTime(text) }
}

function without(some: readonly PlayTime[], others: readonly PlayTime[]): readonly PlayTime[] {
  const exact = new Set(others.map(({ text }) => text))
  return some.filter((one) => !exact.has(one.text) && !others.some((other) => isSameTime(one, other)))
}

/** A whole minute is a difference, and so is a time instead of its day. */
function isSameTime({ text, time }: PlayTime, other: PlayTime): boolean {
  if (time === undefined || other.time === undefined) return text === other.text
  if ((time.precision === 'date') !== (other.time.precision === 'date')) return false
  return sameTime(time, other.time, REPORTED_PLAY_MS - 1)
}
