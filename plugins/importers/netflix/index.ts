// Netflix: titles and dates, without ids, so that every title is asked about once. `NetflixViewingHistory.csv` writes dates
// as the person's country does: which part is the day is known only from the whole file. `ViewingActivity.csv`, for those who
// asked for their data, has times in UTC, all profiles of the household, and a row for each sitting.
import {
  csvWith,
  defineImporter,
  type ImportedRow,
  type ImportFile,
  type ImportRecord,
  type ImportResult,
  type Item,
  textCell,
  timeCell,
} from '@playhead/sdk'
import { datesOf } from './dates.ts'

const SEASON_WORDS = [
  ['season', 'series', 'part', 'book', 'volume', 'vol\\.', 'collection', 'chapter', 'limited series', 'mini-?series'],
  ['staffel', 'teil', 'saison', 'partie', 'temporada', 'parte', 'stagione', 'miniserie', 'seizoen', 'sæson', 'säsong'],
  ['sesong', 'kausi', 'sezon', 'sezonul', 'sezona', 'sezóna', 'řada', 'série', 'évad', 'musim', 'mùa', 'phần'],
  ['сезон', 'σεζόν', 'עונה', 'الموسم', 'الجزء', 'ซีซั่น', 'ซีซัน', 'シーズン', '시즌'],
]
  .flat()
  .join('|')
/** `Season 2`, `Staffel 2`, `2. évad`, `第2季` */
const SEASON = new RegExp(
  `^(?:(?:${SEASON_WORDS})(?!\\p{L})\\s*(\\d+)?|(\\d+)\\.?\\s*(?:${SEASON_WORDS})(?!\\p{L})|第\\s*(\\d+)\\s*[季部])`,
  'iu',
)
/** Less than that is no viewing, but a look at what it is. */
const GLANCE_SECONDS = 120
const RESUMED_SECONDS = 60
// Bounded, because a long run of spaces would be looked through from each of them.
const BETWEEN = /\s{0,2}(?:: |：)\s*/u

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
    ) ??
    namedHistory(files),
  // Each profile has a file of its own.
  owner: ({ path }) => path,
  open() {
    const waiting: { readonly title: string; readonly date: string }[] = []
    const sittings: Sitting[] = []
    return {
      read({ cells, file: { columns } }) {
        // Some pages name the columns in their language.
        const [titleColumn = '', dateColumn = ''] = columns.includes('title') ? ['title', 'date'] : columns
        const title = textCell(cells[titleColumn])
        // Titles that Netflix no longer has begin with the colon after them.
        if (title === undefined || /^[:：]/u.test(title)) return [{ skipped: 'missing_title' }]
        if (columns.includes('start time')) {
          if (textCell(cells['supplemental video type']) !== undefined) return [{ skipped: 'trailer' }]
          sittings.push(sittingOf(title, cells))
          return []
        }
        waiting.push({ title, date: cells[dateColumn] ?? '' })
        return []
      },
      end() {
        const dates = datesOf(waiting.map(({ date }) => date))
        return [...waiting.map(({ title }, index) => rowOf(title, dates[index])), ...viewingsOf(sittings)]
      },
    }
  },
})

function namedHistory(files: readonly ImportFile[]): readonly ImportFile[] | null {
  const own = files.filter(({ name, columns }) => name.startsWith('netflixviewinghistory') && columns.length === 2)
  return own.length === 0 ? null : own
}

interface Sitting {
  readonly row: ImportedRow
  readonly title: string
  readonly startedAt: string
  /** Undefined if the file does not say. */
  readonly seconds: number | undefined
  /** It began where an earlier one ended. */
  readonly isResumed: boolean
}

function sittingOf(title: string, cells: ImportRecord['cells']): Sitting {
  const startedAt = timeCell(cells['start time'], { assumeUtc: true })
  const [seconds, bookmark] = [secondsOf(cells['duration']), secondsOf(cells['bookmark'])]
  return {
    row: rowOf(title, startedAt),
    title,
    startedAt: startedAt ?? '',
    seconds,
    isResumed: seconds !== undefined && bookmark !== undefined && bookmark - seconds > RESUMED_SECONDS,
  }
}

/** Each viewing once, at its last sitting. */
function viewingsOf(sittings: readonly Sitting[]): ImportResult {
  const byTitle = Map.groupBy(sittings, ({ title }) => title)
  return [...byTitle.values()].flatMap((own) => {
    const viewings: Pick<Sitting, 'row' | 'seconds'>[] = []
    for (const { row, seconds, isResumed } of own.toSorted((a, b) => a.startedAt.localeCompare(b.startedAt, 'en'))) {
      const before = isResumed ? viewings.pop() : undefined
      const total = before === undefined ? seconds : (before.seconds ?? Infinity) + seconds!
      viewings.push({ row, seconds: total })
    }
    return viewings.map(({ row, seconds = Infinity }) =>
      seconds < GLANCE_SECONDS ? { skipped: 'not_watched' as const } : row,
    )
  })
}

function secondsOf(text: string | undefined): number | undefined {
  const [, hours, minutes, seconds] = /^(\d+):(\d{2}):(\d{2})$/.exec(text?.trim() ?? '') ?? []
  return hours === undefined ? undefined : Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
}

/** `Show: Season 1: Title of the episode`; anything else may be a film, or an episode without a season. */
function rowOf(title: string, watchedAt: string | undefined): ImportedRow {
  const parts = title.split(BETWEEN)
  const at = parts.findIndex((part, index) => index > 0 && SEASON.test(part))
  const time = { watched: true, ...(watchedAt === undefined ? {} : { watched_at: watchedAt }) }
  if (at === -1 || at === parts.length - 1) {
    const item: Item = { type: 'movie', ids: {}, title, ...time }
    return { feature: 'history', item, about: { type: 'unknown', title } }
  }
  const series = parts.slice(0, at).join(': ')
  const number = SEASON.exec(parts[at]!)
    ?.slice(1)
    .find((one) => one !== undefined)
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
