// Exports of AniList lists as JSON: AniList's own (`gdpr_data.json` of anilist.co/settings/account), and answers of its interface as
// programs save them (`MediaListCollection`, or its lists or entries alone). Counts of episodes have no times, dates are days.
import { isRecord, type Item, RATING_SCALES, type RatingScale } from '@playhead/sdk/items'
import {
  defineImporter,
  idCells,
  type ImportedRow,
  type ImportFile,
  type ImportRecord,
  type ImportResult,
  type ImportSketch,
  listAt,
  playRow,
  ratingCell,
  ratingRow,
  recordAt,
  textCell,
  timeCell,
  watchlistRow,
  wholeCell,
  workItem,
  yearCell,
} from '@playhead/sdk/importer'

type Fields = Readonly<Record<string, unknown>>

/** An entry of either form. */
interface Entry {
  readonly work: Item
  readonly status: string
  readonly score: unknown
  readonly progress: number
  /** Episodes; 0: unknown. */
  readonly total: number
  readonly isAgain: boolean
  /** The day of completion. */
  readonly day: string | undefined
  /** Undefined: the export does not say whether it is a film. */
  readonly isFilm: boolean | undefined
}

/** In the order of AniList's numbers. */
const STATUSES = ['CURRENT', 'PLANNING', 'COMPLETED', 'DROPPED', 'PAUSED', 'REPEATING']
const ANIME = 0
/** The longest series has some thousand; a larger number is damaged. */
const MOST_EPISODES = 10_000
const SCALES: readonly (readonly [above: number, scale: RatingScale])[] = [
  [10, RATING_SCALES.hundredPoints],
  [5, RATING_SCALES.tenPoints],
]
const OWN = /"(?:series_id|title_language|legacy_lists)"/
const OF_INTERFACE = /"(?:MediaListCollection|mediaId|isCustomList|idMal|completedAt)"/

export default defineImporter({
  format: 'anilist-json',
  label: 'AniList',
  hint: 'At anilist.co, open Settings, Account, then Download under GDPR data. JSON of programs that save lists works too.',
  features: ['watchlist', 'history', 'ratings'],
  recognise: filesOf,
  // An export belongs to one person.
  owner: ({ path }) => path,
  open: openReader,
})

function filesOf({ files }: ImportSketch): readonly ImportFile[] | null {
  const found = files.filter(({ kind, name, tables, head }) => {
    if (kind !== 'json') return false
    if (/^gdpr_data.*\.json$/.test(name)) return tables === null || tables.includes('lists')
    const hasLists = tables === null || ['', 'lists', 'data'].some((table) => tables.includes(table))
    return hasLists && (OWN.test(head) || OF_INTERFACE.test(head))
  })
  return found.length === 0 ? null : found
}

function openReader() {
  /** Entries are in their status list and in any number of custom lists. */
  const seen = new Set<string>()
  const ratings: { readonly work: Item; readonly score: unknown }[] = []
  return {
    read({ value, table }: ImportRecord): ImportResult {
      if (!['', 'lists', 'data'].includes(table)) return []
      return entriesIn(value).flatMap((fields): ImportResult => {
        const isOwn = 'series_id' in fields
        const entry = isOwn ? ownEntry(fields) : entryOf(fields)
        if ('skipped' in entry) return [entry]
        const name = JSON.stringify(entry.work)
        if (seen.has(name)) return []
        seen.add(name)
        const rating = isOwn ? ratingCell(entry.score, RATING_SCALES.hundredPoints) : undefined
        if (!isOwn && Number(entry.score) > 0) ratings.push(entry)
        const rows = [
          ...(rating === undefined ? [] : [ratingRow(entry.work, rating)]),
          ...(entry.status === 'PLANNING' ? [watchlistRow(entry.work)] : []),
          ...playsOf(entry),
        ]
        return rows.length > 0 || Number(entry.score) > 0 ? rows : [{ skipped: 'unsupported_list' }]
      })
    },
    end: () => ratingsOf(ratings),
  }
}

/** The entries of a record: of an answer, a list or an entry. */
function entriesIn(value: unknown): readonly Fields[] {
  const fields = recordAt(value)
  if ('lists' in fields) return listAt(fields, 'lists').flatMap(entriesIn)
  if ('entries' in fields) return listAt(fields, 'entries').flatMap(entriesIn)
  return isRecord(value) && ('series_id' in value || 'media' in value || 'mediaId' in value) ? [fields] : []
}

type Read = Entry | (ImportResult[number] & { readonly skipped: string })

/** AniList's own export names neither titles nor kinds. More than one episode is a series. */
function ownEntry(fields: Fields): Read {
  if (fields['series_type'] !== ANIME) return { skipped: 'unsupported_type' }
  const progress = wholeCell(fields['progress']) ?? 0
  const ids = idCells({ anilist: fields['series_id'] })
  if (ids.anilist === undefined) return { skipped: 'missing_title' }
  return {
    work: workItem({ type: 'anime', ids })!,
    status: STATUSES[wholeCell(fields['status']) ?? -1] ?? '',
    score: fields['score'],
    progress,
    total: 0,
    isAgain: (wholeCell(fields['repeat']) ?? 0) > 0,
    day: undefined,
    isFilm: progress > 1 ? false : undefined,
  }
}

function entryOf(fields: Fields): Read {
  const media = recordAt(fields, 'media')
  if (media['type'] === 'MANGA') return { skipped: 'unsupported_type' }
  const titles = recordAt(media, 'title')
  const title = textCell(titles['english']) ?? textCell(titles['romaji']) ?? textCell(titles['native'])
  const ids = idCells({ anilist: media['id'] ?? fields['mediaId'], mal: media['idMal'] })
  if (title === undefined && Object.keys(ids).length === 0) return { skipped: 'missing_title' }
  const year = yearCell(media['seasonYear'] ?? recordAt(media, 'startDate')['year'])
  const format = textCell(media['format'])
  const progress = wholeCell(fields['progress']) ?? 0
  const isFilm = format === undefined ? (progress > 1 ? false : undefined) : format === 'MOVIE'
  const status = textCell(fields['status']) ?? ''
  return {
    work: { ...workItem({ type: 'anime', ids, title, year })!, ...(isFilm === true ? { film: true } : {}) },
    status,
    score: fields['score'],
    progress,
    total: wholeCell(media['episodes']) ?? 0,
    isAgain: (wholeCell(fields['repeat']) ?? 0) > 0 || status === 'REPEATING',
    day: dayOf(recordAt(fields, 'completedAt')),
    isFilm,
  }
}

function dayOf({ year, month, day }: Fields): string | undefined {
  const parts = [year, month, day].map((part) => wholeCell(part, 1))
  if (parts.includes(undefined)) return undefined
  const [y, m, d] = parts.map(String) as [string, string, string]
  return timeCell(`${y.padStart(4, '0')}-${m.padStart(2, '0')}-${d.padStart(2, '0')}`)
}

function playsOf({ work, status, progress, total, isAgain, day, isFilm }: Entry): ImportedRow[] {
  const isCompleted = status === 'COMPLETED'
  if (isFilm === true)
    return isCompleted || isAgain || progress > 0 ? [playRow(work, isCompleted ? day : undefined)] : []
  if (isFilm === undefined) return []
  // A second watch counts from 0.
  const seen = Math.min(isCompleted || isAgain ? Math.max(total, progress) : progress, MOST_EPISODES)
  const { ids, title, year } = work
  const part = { type: 'episode', ids, title: title ?? undefined, year: year ?? undefined, season: 1 } as const
  return Array.from({ length: seen }, (_, index) =>
    // The end of a series is the day of its last episode alone.
    playRow(workItem({ ...part, episode: index + 1 })!, isCompleted && index + 1 === total ? day : undefined),
  )
}

/**
 * Scores are in the format that the person chose at AniList, which is not in the file: up to 100, 10, 5 or 3. The largest one says
 * which; if all are 5 or less, several are possible.
 */
function ratingsOf(ratings: readonly { readonly work: Item; readonly score: unknown }[]): ImportResult {
  const largest = Math.max(0, ...ratings.map(({ score }) => Number(score)).filter(Number.isFinite))
  const scale = SCALES.find(([above]) => largest > above)?.[1]
  return ratings.map(({ work, score }) => {
    const rating = scale === undefined ? undefined : ratingCell(score, scale)
    return rating === undefined ? { skipped: 'invalid_value' } : ratingRow(work, rating)
  })
}
