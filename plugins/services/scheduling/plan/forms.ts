// Forms of settings that are accepted beside those of the schema. Unreadable values become the default.
import { isTimeZone, readText } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'

const EVENTS = [
  ['start', ['start', 'play', 'playing', 'resume']],
  ['pause', ['pause', 'paused']],
  ['stop', ['stop', 'stopped', 'scrobble', 'finished']],
] as const

/** The playback event that a word stands for. */
export function readPlayback(value: unknown): (typeof EVENTS)[number][0] | undefined {
  const word = readText(value).toLowerCase()
  return EVENTS.find(([, words]) => (words as readonly string[]).includes(word))?.[0]
}

export function readMode(value: unknown): unknown {
  return readText(value).toLowerCase() === 'custom' ? 'custom_interval' : value
}

/** `7:05` is `07:05`. */
export function readTime(value: unknown): string | undefined {
  const match = /^(\d{1,2}):(\d{2})$/.exec(readText(value))
  if (match === null || Number(match[1]) > 23 || Number(match[2]) > 59) return undefined
  return `${String(match[1]).padStart(2, '0')}:${match[2]}`
}

export function readUrl(value: unknown): string {
  const url = readText(value)
  return url.length <= 2_000 && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? url : ''
}

export function readZone(value: unknown): string {
  const zone = readText(value)
  return isTimeZone(zone) ? zone : ''
}

export function readChannel(value: unknown): string {
  return readText(value).replaceAll(/\D/g, '').slice(0, 40)
}

export function readName(value: unknown): string {
  return readText(value).slice(0, 200)
}

export function readDays(value: unknown): unknown {
  if (!Array.isArray(value)) return undefined
  const days = value
    .map((day: unknown) => (typeof day === 'object' ? NaN : Number(day)))
    .filter((day) => Number.isInteger(day) && day >= 1 && day <= 7)
  return [...new Set(days)].sort((a, b) => a - b)
}

/**
 * Rows without an id, or with the id of an earlier row, get one from their position: the same input gives the same ids.
 */
export function readRows(value: unknown, prefix: string): unknown {
  if (!Array.isArray(value)) return undefined
  const rows = value.slice(0, 500).map((row: unknown) => (isRecord(row) ? row : {}))
  const idOf = (row: (typeof rows)[number]) => readText(readText(row['id']).slice(0, 80))
  const given = new Set(rows.map(idOf))
  const used = new Set<string>()
  return rows.map((row) => {
    let id = idOf(row)
    for (let n = 1; id === '' || used.has(id); n++) {
      const free = `${prefix}_${n}`
      id = given.has(free) || used.has(free) ? '' : free
    }
    used.add(id)
    return { ...row, id }
  })
}
