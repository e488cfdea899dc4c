// Plays as a calendar (RFC 5545). A date without a time becomes an event of that day; the length is unknown.
import { episodeCode, fingerprint, type Item, kindOf, parseTime, type Time } from '@playhead/sdk/items'
import { defineExporter, exportTitle } from '@playhead/sdk/exporter'

const MAX_OCTETS = 75

export default defineExporter({
  format: 'ics',
  label: 'Calendar',
  features: ['history'],
  kinds: ['movie', 'show', 'season', 'episode'],
  mediaType: 'text/calendar; charset=utf-8',
  extension: 'ics',
  refuse: ({ item }) => (parseTime(item.watched_at) === undefined ? 'missing_watched_at' : undefined),
  begin: () =>
    lines([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Playhead//Watched//EN',
      'CALSCALE:GREGORIAN',
      'METHOD:PUBLISH',
      'X-WR-CALNAME:Watched',
    ]),
  text({ key, item }, { selection: { provider, instance, exportedAtMs } }) {
    const time = parseTime(item.watched_at)!
    return lines([
      'BEGIN:VEVENT',
      `UID:${fingerprint(`${provider} ${instance} ${key}`).toString(36)}@playhead`,
      `DTSTAMP:${utc(exportedAtMs)}`,
      `DTSTART${timeValue(time)}`,
      `SUMMARY:${escaped(summaryOf(item))}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ])
  },
  end: () => lines(['END:VCALENDAR']),
})

function summaryOf(item: Item): string {
  const kind = kindOf(item)
  if (kind === 'movie' || kind === 'show') return `${exportTitle(item)}${item.year == null ? '' : ` (${item.year})`}`
  const title = item.series_title == null ? '' : (item.title ?? '')
  return [item.series_title ?? exportTitle(item), episodeCode(item), title].filter((text) => text !== '').join(' ')
}

function timeValue({ atMs, precision }: Time): string {
  const text = utc(atMs)
  return precision === 'date' ? `;VALUE=DATE:${text.slice(0, 8)}` : `:${text}`
}

function utc(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
}

function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\\;,]/g, (sign) => `\\${sign}`)
    .replace(/\r\n|\n|\r/g, '\\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
}

/** Lines of at most 75 octets; a longer line continues after a space, without splitting a character. */
function lines(given: readonly string[]): string {
  return given.map((line) => `${folded(line)}\r\n`).join('')
}

function folded(line: string): string {
  if (Buffer.byteLength(line) <= MAX_OCTETS) return line
  let text = ''
  let octets = 0
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (octets + size > MAX_OCTETS) {
      text += '\r\n '
      octets = 1
    }
    text += character
    octets += size
  }
  return text
}
