// SIMKL: a backup is one JSON file with films, shows and anime; episodes have the time of watching. Anime episodes have the numbers
// of their entry, unless the backup contains the aired ones.
import { defined } from '@playhead/sdk'
import { isRecord, type Item } from '@playhead/sdk/items'
import {
  csvWith,
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
  yearCell,
} from '@playhead/sdk/importer'

const TABLES = ['movies', 'shows', 'anime']

export default defineImporter({
  format: 'simkl',
  label: 'SIMKL',
  hint: 'At simkl.com, open Settings, then Import and export. Choose the backup as a ZIP file or as CSV.',
  features: ['watchlist', 'history', 'ratings'],
  recognise: filesOf,
  open: () => ({ read: (record) => (record.file.kind === 'csv' ? readCsv(record) : readEntry(record)) }),
})

function filesOf({ files, archive }: ImportSketch): readonly ImportFile[] | null {
  const tables = csvWith(files, ['simkl_id', 'title', 'type'])
  if (tables !== null) return tables
  const found = files.filter(
    ({ kind, name, tables: own, head }) =>
      kind === 'json' && (archive ? name === 'simklbackup.json' : isOwn(own) && /"(?:simkl|status)"/.test(head)),
  )
  return found.length === 0 ? null : found
}

function isOwn(tables: readonly string[] | null): boolean {
  return tables !== null && tables.length > 0 && tables.every((one) => TABLES.includes(one))
}

function readEntry({ value, table }: ImportRecord): ImportResult {
  if (!TABLES.includes(table)) return []
  const entry = recordAt(value)
  const work = recordAt(entry, isRecord(entry['movie']) ? 'movie' : 'show')
  const title = textCell(work['title']) ?? textCell(entry['title'])
  const ids = idsOf(recordAt(work, 'ids'), recordAt(entry, 'ids'))
  if (title === undefined && Object.keys(ids).length === 0) return [{ skipped: 'missing_title' }]
  const isFilm = table === 'movies' || entry['anime_type'] === 'movie'
  const type = isFilm ? 'movie' : table === 'anime' ? 'anime' : 'show'
  const item: Item = defined({ type, ids, title, year: yearCell(work['year']) })
  const rows: ImportResult[number][] = []
  const rating = ratingCell(entry['user_rating'] ?? entry['rating'])
  const rated = timeCell(entry['user_rated_at'] ?? entry['rated_at'])
  const added = timeCell(entry['added_to_watchlist_at'])
  if (rating !== undefined) rows.push(ratingRow(item, rating, rated))
  if (entry['status'] === 'plantowatch') rows.push(watchlistRow(item, added))
  const last = timeCell(entry['last_watched_at'])
  if (isFilm && (entry['status'] === 'completed' || (last !== undefined && entry['status'] !== 'plantowatch')))
    rows.push(playRow(item, last))
  if (!isFilm) {
    const seasons = listAt(entry, 'seasons')
    rows.push(...seasons.flatMap((season) => episodesOf(item, season, table === 'anime')))
    // Some backups are created without episodes.
    if (seasons.length === 0 && entry['status'] === 'completed') rows.push(playRow(item, last))
  }
  return rows.length > 0 ? rows : [{ skipped: 'unsupported_list' }]
}

function episodesOf(show: Item, season: unknown, isAnime: boolean): ImportResult {
  return listAt(season, 'episodes').flatMap((one): ImportResult => {
    const episode = recordAt(one)
    const aired = recordAt(episode, 'tvdb')
    const numbers =
      isAnime && 'episode' in aired
        ? { season: wholeCell(aired['season']), episode: wholeCell(aired['episode'], 1) }
        : { season: wholeCell(recordAt(season)['number']), episode: wholeCell(episode['number'], 1) }
    if (numbers.season === undefined || numbers.episode === undefined) return [{ skipped: 'invalid_value' }]
    const { tmdb: _tmdb, imdb: _imdb, tvdb, ...own } = show.ids
    // The numbers of an anime entry are not valid for the whole show.
    const showIds = !isAnime ? show.ids : 'episode' in aired ? (tvdb === undefined ? own : { ...own, tvdb }) : own
    const item: Item = defined({
      type: 'episode',
      ids: {},
      show_ids: showIds,
      season: numbers.season,
      episode: numbers.episode,
      series_title: show.title,
      series_year: show.year,
    })
    return [playRow(item, timeCell(episode['watched_at']))]
  })
}

function readCsv({ cells }: ImportRecord): ImportResult {
  const ids = idCells({ trackb: cells['simkl_id'], tvdb: cells['tvdb'], tmdb: cells['tmdb'], imdb: cells['imdb'] })
  const title = textCell(cells['title'])
  if (title === undefined && Object.keys(ids).length === 0) return [{ skipped: 'missing_title' }]
  const type = ({ movie: 'movie', show: 'show', tv: 'show', anime: 'anime' } as const)[
    (cells['type'] ?? '').toLowerCase()
  ]
  if (type === undefined) return [{ skipped: 'unsupported_type' }]
  const item: Item = defined({ type, ids, title, year: yearCell(cells['year']) })
  const list = (cells['watchlist'] ?? '').toLowerCase().replace(/[^a-z0-9]/g, '')
  const rating = ratingCell(cells['rating'])
  const date = timeCell(cells['watcheddate'])
  const rows: ImportedRow[] = []
  if (rating !== undefined) {
    // The only date of a row with a list is the time of watching.
    rows.push(ratingRow(item, rating, list === '' ? date : undefined))
  }
  if (list === '1' || list === 'plantowatch') rows.push(watchlistRow(item))
  if (list === 'completed') rows.push(playRow(item, date))
  return rows.length > 0 ? rows : [{ skipped: 'unsupported_list' }]
}

function idsOf(...given: readonly Readonly<Record<string, unknown>>[]) {
  const { simkl, simkl_id, imdb, tmdb, tvdb, mal, anidb, anilist, kitsu } = Object.assign({}, ...given) as Readonly<
    Record<string, unknown>
  >
  return idCells({ trackb: simkl ?? simkl_id, imdb, tmdb, tvdb, mal, anidb, anilist, kitsu })
}
