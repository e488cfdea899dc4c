// Trakt: a ZIP archive of JSON files, numbered if they are long. The history of a VIP account has every play; the watched lists of all
// accounts have the last one. Sources: docs/reference/formats.md.
import { defined, type Item } from '@playhead/sdk'
import {
  csvWith,
  defineImporter,
  filesNamed,
  idCells,
  type ImportFile,
  type ImportRecord,
  type ImportResult,
  type ImportSketch,
  listAt,
  partItem,
  playRow,
  ratingCell,
  ratingRow,
  recordAt,
  textCell,
  timeCell,
  watchlistRow,
  yearCell,
} from '@playhead/sdk/importer'

type Fields = Readonly<Record<string, unknown>>

const HISTORY = /^(?:watched-)?history(?:-.*)?\.json$/
const HISTORY_OF_VIP = /^watched-history(?:-.*)?\.json$/
const WATCHED = /^watched-(?:movies|shows)(?:-.*)?\.json$/
const RATINGS = /^ratings-(?:movies|shows|seasons|episodes)(?:-.*)?\.json$/
const WATCHLIST = /^(?:lists-)?watchlist(?:-.*)?\.json$/
/** Folders of the archive itself, within a folder with the person's name. */
const OWN_FOLDER =
  /(?:^|\/)(?:watched|history|ratings|lists|watchlist|collection|hidden|user|comments|notes|likes|favorites|playback)$/i
const KINDS = ['movie', 'show', 'season', 'episode'] as const

export default defineImporter({
  format: 'trakt',
  label: 'Trakt',
  hint: 'At trakt.tv, open Settings, Data, then Export. Choose the ZIP file.',
  features: ['watchlist', 'history', 'ratings'],
  recognise: (sketch) => filesOf(sketch),
  owner: ({ path }) => path.slice(0, Math.max(0, path.lastIndexOf('/'))).replace(OWN_FOLDER, ''),
  open() {
    // The plays of the history are also in the watched lists.
    let hasHistory = false
    return {
      read(record) {
        if (record.file.kind === 'csv') return readCsv(record)
        const { name } = record.file
        if (HISTORY.test(name)) hasHistory = true
        return WATCHED.test(name) ? (hasHistory ? [] : readWatched(record)) : readEntry(record)
      },
    }
  },
})

function filesOf({ files, archive }: ImportSketch): readonly ImportFile[] | null {
  const json = files.filter(({ kind }) => kind === 'json')
  const tables = csvWith(files, ['trakt_id', 'type', 'title'])
  if (!archive) {
    const own = json.filter(isTrakt)
    return tables ?? (own.length === 0 ? null : own)
  }
  // SIMKL and others have watchlists too; these file names are unique to Trakt.
  const certain = filesNamed(json, [HISTORY_OF_VIP, WATCHED, RATINGS, /^lists-watchlist(?:-.*)?\.json$/]) ?? []
  const isOwn = certain.some(isTrakt) || (certain.length > 0 && certain.every(({ head }) => head.trim() === '[]'))
  return isOwn ? filesNamed(json, [HISTORY, WATCHED, RATINGS, WATCHLIST]) : tables
}

/** An entry with a Trakt time, and a work with a Trakt id: the first of its ids, or since 2025 the last. */
function isTrakt({ head }: ImportFile): boolean {
  return (
    /^\s*\[/.test(head) &&
    /"(?:watched_at|last_watched_at|rated_at|listed_at)"/.test(head) &&
    /"ids"\s*:\s*\{(?:[^{}]|\{[^{}]*\})*"trakt"\s*:\s*\d/.test(head)
  )
}

function readEntry({ value }: ImportRecord): ImportResult {
  const entry = recordAt(value)
  const item = itemOf(entry)
  if (item === undefined) return [{ skipped: 'unsupported_type' }]
  const rating = ratingCell(entry['rating'])
  if ('rated_at' in entry || 'rating' in entry) {
    if (rating === undefined) return [{ skipped: 'invalid_value' }]
    return [ratingRow(item, rating, timeCell(entry['rated_at']))]
  }
  if ('watched_at' in entry) return [playRow(item, timeCell(entry['watched_at']))]
  return [watchlistRow(item, timeCell(entry['listed_at']))]
}

/** A film with its last play, or a show with the last plays of its episodes. */
function readWatched({ value }: ImportRecord): ImportResult {
  const entry = recordAt(value)
  const show = recordAt(entry, 'show')
  if (Object.keys(show).length === 0) {
    const item = itemOf(entry)
    if (item === undefined) return [{ skipped: 'unsupported_type' }]
    return [playRow(item, timeCell(entry['last_watched_at']))]
  }
  const rows = listAt(entry, 'seasons').flatMap((season) =>
    listAt(season, 'episodes').flatMap((episode) => {
      const { last_watched_at: last } = recordAt(episode)
      const number = { season: recordAt(season)['number'], number: recordAt(episode)['number'] }
      const item = itemOf({ type: 'episode', show, episode: number })
      return [item === undefined ? { skipped: 'invalid_value' as const } : playRow(item, timeCell(last))]
    }),
  )
  if (rows.length > 0) return rows
  const isWatched = Number(entry['plays']) > 0 || timeCell(entry['last_watched_at']) !== undefined
  return [{ skipped: isWatched ? 'missing_episodes' : 'not_watched' }]
}

function itemOf(entry: Fields): Item | undefined {
  const type = KINDS.find((kind) => kind === entry['type']) ?? KINDS.toReversed().find((kind) => kind in entry)
  if (type === undefined) return undefined
  const work = recordAt(entry, type)
  const ids = idsOf(work)
  const title = textCell(work['title'])
  if (type === 'movie' || type === 'show') return defined({ type, ids, title, year: yearCell(work['year']) })
  const show = recordAt(entry, 'show')
  return partItem({
    type,
    ids,
    show_ids: idsOf(show),
    title,
    series_title: textCell(show['title']),
    series_year: yearCell(show['year']),
    season: type === 'season' ? work['number'] : work['season'],
    episode: work['number'],
  })
}

function idsOf(work: Fields) {
  const { trakt, imdb, tmdb, tvdb } = recordAt(work, 'ids')
  return idCells({ tracka: trakt, imdb, tmdb, tvdb })
}

function readCsv({ cells, file: { columns } }: ImportRecord): ImportResult {
  const type = KINDS.find((kind) => kind === cells['type'])
  if (type === undefined) return [{ skipped: 'unsupported_type' }]
  const isPart = type === 'season' || type === 'episode'
  const own = (prefix: string) =>
    idCells({
      tracka: cells[`${prefix}trakt_id`],
      imdb: cells[`${prefix}imdb_id`],
      tmdb: cells[`${prefix}tmdb_id`],
      tvdb: cells[`${prefix}tvdb_id`],
    })
  const work = { ids: own(''), title: textCell(cells['title']), year: yearCell(cells['year']) }
  const item = isPart
    ? partItem({
        ...work,
        type,
        show_ids: own('show_'),
        series_title: textCell(cells['show_title']),
        series_year: yearCell(cells['show_year']),
        season: cells['season'],
        episode: cells['episode'],
      })
    : defined({ type, ...work })
  if (item === undefined) return [{ skipped: 'invalid_value' }]
  const rating = ratingCell(cells['rating'])
  if (columns.includes('watched_at')) return [playRow(item, timeCell(cells['watched_at']))]
  if (rating !== undefined) return [ratingRow(item, rating, timeCell(cells['rated_at']))]
  // Ratings and the watchlist have the same columns.
  if (textCell(cells['rating']) !== undefined || textCell(cells['rated_at']) !== undefined)
    return [{ skipped: 'invalid_value' }]
  return [watchlistRow(item, timeCell(cells['listed_at']))]
}
