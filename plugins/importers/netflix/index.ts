// Netflix: titles and dates, without ids, so that every title is asked about once. `NetflixViewingHistory.csv` writes dates
// as the person's country does: which part is the day is known only from the whole file. `ViewingActivity.csv`, for those who
// asked for their data, has times in UTC and all profiles of the household.
import {
  csvWith,
  defineImporter,
  type ImportedRow,
  type ImportRecord,
  type Item,
  textCell,
  timeCell,
} from '@playhead/sdk'

const SEASON =
  /^(?:season|series|part|book|volume|vol\.|collection|chapter|staffel|teil|saison|partie|temporada|parte|stagione|seizoen|s[æä]song?|sezon|kausi|limited series|miniseries|mini-series|miniserie)\b\s*(\d+)?/i

export default defineImporter({
  format: 'netflix',
  label: 'Netflix',
  hint: 'netflix.com, Account, Profile, Viewing activity, Download all.',
  features: ['history'],
  recognise: ({ files }) =>
    csvWith(files, ['profile name', 'start time', 'title', 'supplemental video type']) ??
    csvWith(
      files.filter(({ columns }) => columns.length === 2),
      ['title', 'date'],
    ),
  open() {
    const waiting: { readonly title: string; readonly date: string }[] = []
    return {
      read({ cells, file: { columns } }) {
        const title = textCell(cells['title'])
        if (title === undefined) return [{ skipped: 'missing_title' }]
        if (columns.includes('start time')) return readActivity(title, cells)
        waiting.push({ title, date: cells['date'] ?? '' })
        return []
      },
      end() {
        const isDayFirst = dayIsFirst(waiting.map(({ date }) => date))
        return waiting.map(({ title, date }) => rowOf(title, dateOf(date, isDayFirst)))
      },
    }
  },
})

function readActivity(title: string, cells: ImportRecord['cells']) {
  if (textCell(cells['supplemental video type']) !== undefined) return [{ skipped: 'trailer' as const }]
  const person = textCell(cells['profile name'])
  return [
    {
      ...rowOf(title, timeCell(cells['start time'], { assumeUtc: true })),
      ...(person === undefined ? {} : { person }),
    },
  ]
}

/** `Show: Season 1: Title of the episode`; anything else may be a film, or an episode without a season. */
function rowOf(title: string, watchedAt: string | undefined): ImportedRow {
  const parts = title.split(': ')
  const at = parts.findIndex((part, index) => index > 0 && SEASON.test(part))
  const time = { watched: true, ...(watchedAt === undefined ? {} : { watched_at: watchedAt }) }
  if (at === -1 || at === parts.length - 1) {
    const item: Item = { type: 'movie', ids: {}, title, ...time }
    return { feature: 'history', item, about: { type: 'unknown', title } }
  }
  const series = parts.slice(0, at).join(': ')
  const number = SEASON.exec(parts[at]!)?.[1]
  return {
    feature: 'history',
    item: {
      type: 'episode',
      ids: {},
      show_ids: {},
      series_title: series,
      title: parts.slice(at + 1).join(': '),
      ...(number === undefined ? {} : { season: Number(number) }),
      ...time,
    },
    about: { type: 'show', title: series },
    episodeTitle: parts.slice(at + 1).join(': '),
  }
}

/** True or false if some date proves it; undefined if all dates could be either. */
function dayIsFirst(dates: readonly string[]): boolean | undefined {
  for (const date of dates) {
    const [, a, b] = SHORT.exec(date.trim()) ?? []
    if (a !== undefined && Number(a) > 12) return true
    if (b !== undefined && Number(b) > 12) return false
  }
  return undefined
}

const SHORT = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{2}|\d{4})$/

function dateOf(text: string, isDayFirst: boolean | undefined): string | undefined {
  const match = SHORT.exec(text.trim())
  if (match === null) return timeCell(text)
  const [, a = '', b = '', year = ''] = match
  if (isDayFirst === undefined && a !== b) return undefined
  const [day, month] = isDayFirst === true ? [a, b] : [b, a]
  return timeCell(`${year.length === 2 ? `20${year}` : year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`)
}
