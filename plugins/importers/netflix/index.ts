// Netflix: titles and dates without ids, so that each film and show needs one lookup. `NetflixViewingHistory.csv` has dates in the
// format of the person's country, which the whole file determines. `ViewingActivity.csv` from a data request has times in UTC, all
// profiles of the household, and a row for each sitting.
import { defined, type Item } from '@playhead/sdk'
import {
  csvWith,
  defineImporter,
  type ImportedRow,
  type ImportFile,
  type ImportRecord,
  textCell,
  timeCell,
} from '@playhead/sdk/importer'
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
/** `Episode 2`: the last part of the title of an episode without a name. */
const NUMBERED =
  /^(?:episode|ep\.?|folge|épisode|episodio|episódio|aflevering|afsnit|avsnitt|jakso|odcinek|epizoda|díl|rész|bölüm)\s*\d+$/iu
/** A shorter playback is only a preview, not a viewing. */
const GLANCE_SECONDS = 120
const RESUMED_SECONDS = 60
// Bounded, because a long run of spaces would be scanned from each position.
const BETWEEN = /\s{0,2}(?:: |：)\s*/u

export default defineImporter({
  format: 'netflix',
  label: 'Netflix',
  hint: 'At netflix.com, open Account, Profile, Viewing activity, then Download all.',
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
        // Some languages translate the column names.
        const [titleColumn = '', dateColumn = ''] = columns.includes('title') ? ['title', 'date'] : columns
        const title = textCell(cells[titleColumn])
        // Titles that Netflix no longer offers start with the colon.
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
        const shows = showsIn([...waiting, ...sittings].map(({ title }) => title))
        return [
          ...waiting.map(({ title }, index) => rowOf(title, dates[index], shows)),
          ...viewingsOf(sittings).map((one) => ('skipped' in one ? one : rowOf(one.title, one.startedAt, shows))),
        ]
      },
    }
  },
})

function namedHistory(files: readonly ImportFile[]): readonly ImportFile[] | null {
  const own = files.filter(({ name, columns }) => name.startsWith('netflixviewinghistory') && columns.length === 2)
  return own.length === 0 ? null : own
}

interface Sitting {
  readonly title: string
  readonly startedAt: string | undefined
  /** Undefined if the file does not contain it. */
  readonly seconds: number | undefined
  /** The sitting started where an earlier one ended. */
  readonly isResumed: boolean
}

function sittingOf(title: string, cells: ImportRecord['cells']): Sitting {
  const startedAt = timeCell(cells['start time'], { assumeUtc: true })
  const [seconds, bookmark] = [secondsOf(cells['duration']), secondsOf(cells['bookmark'])]
  return {
    title,
    startedAt,
    seconds,
    isResumed: seconds !== undefined && bookmark !== undefined && bookmark - seconds > RESUMED_SECONDS,
  }
}

/** Each viewing once, at its last sitting. */
function viewingsOf(
  sittings: readonly Sitting[],
): readonly (Pick<Sitting, 'title' | 'startedAt'> | { readonly skipped: 'not_watched' })[] {
  const byTitle = Map.groupBy(sittings, ({ title }) => title)
  return [...byTitle.values()].flatMap((own) => {
    const viewings: Pick<Sitting, 'startedAt' | 'title' | 'seconds'>[] = []
    const inOrder = own.toSorted((a, b) => (a.startedAt ?? '').localeCompare(b.startedAt ?? '', 'en'))
    for (const { title, startedAt, seconds, isResumed } of inOrder) {
      const before = isResumed ? viewings.pop() : undefined
      const total = before === undefined ? seconds : (before.seconds ?? Infinity) + seconds!
      viewings.push({ title, startedAt, seconds: total })
    }
    return viewings.map(({ title, startedAt, seconds = Infinity }) =>
      seconds < GLANCE_SECONDS ? { skipped: 'not_watched' as const } : { title, startedAt },
    )
  })
}

function secondsOf(text: string | undefined): number | undefined {
  const [, hours, minutes, seconds] = /^(\d+):(\d{2}):(\d{2})$/.exec(text?.trim() ?? '') ?? []
  return hours === undefined ? undefined : Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
}

interface Shows {
  /** The first parts of titles that certainly belong to shows. */
  readonly names: ReadonlySet<string>
  readonly titles: ReadonlySet<string>
}

/** Shows have seasons, numbered episodes, or several titles of three parts, which are very rare for films. */
function showsIn(titles: readonly string[]): Shows {
  const names = new Set<string>()
  const others = new Map<string, Set<string>>()
  for (const title of titles) {
    const parts = title.split(BETWEEN)
    if (seasonAt(parts) !== -1 || (parts.length === 2 && NUMBERED.test(parts[1]!))) names.add(parts[0]!)
    else if (parts.length > 2) others.set(parts[0]!, (others.get(parts[0]!) ?? new Set()).add(title))
  }
  for (const [name, own] of others) if (own.size > 1) names.add(name)
  return { names, titles: new Set(titles) }
}

function seasonAt(parts: readonly string[]): number {
  const at = parts.findIndex((part, index) => index > 0 && SEASON.test(part))
  return at === parts.length - 1 ? -1 : at
}

/**
 * `Show: Season 1: Title of the episode`, `Show: Episode 2`, and for shows with several rows in the file
 * `Tiger King: Tiger King 2: Beg Your Pardon`. Any other title may be a film or an episode; the person decides.
 */
function rowOf(title: string, watchedAt: string | undefined, { names, titles }: Shows): ImportedRow {
  const parts = title.split(BETWEEN)
  const time = { watched: true, ...defined({ watched_at: watchedAt }) }
  const at = seasonAt(parts)
  const isNumbered = parts.length > 1 && NUMBERED.test(parts.at(-1)!)
  const isOfShow = parts.length > 2 && names.has(parts[0]!)
  if (at === -1 && !isNumbered && !isOfShow) {
    // Searches for the show if the title is not a film.
    const about = parts.length > 2 && !titles.has(parts[0]!) ? parts[0]! : title
    return {
      feature: 'history',
      item: { type: 'movie', ids: {}, title, ...time },
      about: { type: 'unknown', title: about },
    }
  }
  const [series, episode] =
    at !== -1
      ? [parts.slice(0, at), parts.slice(at + 1)]
      : isOfShow
        ? [parts.slice(0, 1), isNumbered ? parts.slice(-1) : parts.slice(1)]
        : [parts.slice(0, -1), parts.slice(-1)]
  const number =
    at === -1
      ? undefined
      : SEASON.exec(parts[at]!)
          ?.slice(1)
          .find((one) => one !== undefined)
  const item: Item = {
    type: 'episode',
    ids: {},
    show_ids: {},
    series_title: series.join(': '),
    title: episode.join(': '),
    ...(number === undefined ? {} : { season: Number(number) }),
    ...time,
  }
  return { feature: 'history', item, about: { type: 'show', title: item.series_title! }, episodeTitle: item.title! }
}
