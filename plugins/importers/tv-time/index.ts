// TV Time, which shut down in July 2026: the CSV files of a data request. Shows and episodes have TheTVDB ids, some files only names of
// shows, films only titles. Times are in UTC. The archive also contains tokens and addresses, so only these files are read. Many
// people have the JSON or CSV files of the browser extensions TV Time Liberator and TV Time Out instead.
import { defined } from '@playhead/sdk'
import { type Item, RATING_SCALES } from '@playhead/sdk/items'
import {
  csvWith,
  defineImporter,
  filesNamed,
  idCells,
  type ImportedRow,
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
  wholeCell,
} from '@playhead/sdk/importer'

type Cells = ImportRecord['cells']

const TRACKING = 'tracking-prod-records-v2.csv'
// First the files that map show names to ids.
const SHOWS = ['user_tv_show_data.csv', 'followed_tv_show.csv', 'user_show_special_status.csv', 'tv_show_rate.csv']
const PLAYS = [TRACKING, 'tracking-prod-records.csv', 'seen_episode.csv', 'seen_episode_source.csv']
// The tracking file contains these plays too.
const OTHER_PLAYS = ['watched_on_episode.csv', 'rewatched_episode.csv']
const FIRST_FILM = 1870

export default defineImporter({
  format: 'tvtime',
  label: 'TV Time',
  hint: 'The ZIP file that TV Time sent when you requested your data, or files of TV Time Liberator or TV Time Out.',
  features: ['watchlist', 'history', 'ratings'],
  recognise: filesOf,
  open: createReader,
})

function filesOf({ files, archive }: ImportSketch): readonly ImportFile[] | null {
  const tables = files.filter(({ kind }) => kind === 'csv')
  const named = filesNamed(tables, [...SHOWS, ...PLAYS, ...OTHER_PLAYS])?.filter(({ columns }) =>
    columns.some((one) => ['series_name', 'movie_name', 'tv_show_id', 'tv_show_name'].includes(one)),
  )
  const hasTracking = named?.some(({ name }) => name === TRACKING) === true
  const own = named?.filter(({ name }) => !hasTracking || !OTHER_PLAYS.includes(name)) ?? []
  const extension = ofExtension(files)
  if (archive || own.length > 0) return own.length === 0 ? extension : own
  return (
    csvWith(tables, ['key', 's_id', 'series_name', 'created_at']) ??
    csvWith(tables, ['entity_type', 'type', 'series_name', 'created_at']) ??
    csvWith(tables, ['tv_show_id', 'episode_number', 'created_at']) ??
    csvWith(tables, ['tv_show_name', 'episode_season_number', 'episode_number', 'created_at']) ??
    extension
  )
}

/** Shows with seasons, and films: as JSON, which is more complete, or as CSV. Their lists are not read. */
function ofExtension(files: readonly ImportFile[]): readonly ImportFile[] | null {
  const json = files.filter(
    ({ kind, head }) =>
      kind === 'json' &&
      /^\s*\[\s*\{/.test(head) &&
      /"uuid"\s*:/.test(head) &&
      /"tvdb"\s*:/.test(head) &&
      /"(?:seasons|is_watched)"\s*:/.test(head),
  )
  if (json.length > 0) return json
  const tables = [
    csvWith(files, ['show_uuid', 'show_title', 'season_number', 'episode_number', 'is_watched']),
    csvWith(files, ['uuid', 'tvdb_id', 'imdb_id', 'title', 'is_watched']),
    csvWith(files, ['uuid', 'tvdb_id', 'imdb_id', 'title', 'status']),
  ].flatMap((one) => one ?? [])
  return tables.length === 0 ? null : tables
}

const isTrue = (value: unknown) => value === true || value === 'true'

/** One show or film of an extension's JSON. The number of rewatches has no times and is left out. */
function ofJson(value: unknown): ImportResult {
  const entry = recordAt(value)
  const ids = idsIn(entry)
  const { title, year } = splitTitle(textCell(entry['title']))
  if (title === undefined && Object.keys(ids).length === 0) return [{ skipped: 'missing_title' }]
  if (!Array.isArray(entry['seasons'])) return [extensionFilm(ids, title, year, entry)]
  const plays = listAt(entry, 'seasons').flatMap((season) =>
    listAt(season, 'episodes').flatMap((one) => {
      const episode = recordAt(one)
      if (!isTrue(episode['is_watched'])) return []
      const numbers = { season: recordAt(season)['number'], episode: episode['number'] }
      return [extensionPlay({ ids: idsIn(episode), show_ids: ids, title, year }, numbers, episode)]
    }),
  )
  if (plays.length > 0) return plays
  const show = defined({ type: 'show' as const, ids, title, year })
  return entry['status'] === 'not_started_yet' ? [watchlistRow(show, utc(textCell(entry['created_at'])))] : []
}

interface OfShow {
  readonly ids: Item['ids']
  readonly show_ids: Item['ids']
  readonly title: Item['title']
  readonly year: Item['year']
}

function extensionPlay(
  { ids, show_ids: showIds, title, year }: OfShow,
  { season, episode }: { readonly season: unknown; readonly episode: unknown },
  fields: Readonly<Record<string, unknown>>,
): ImportResult[number] {
  // If specials are listed among other episodes, their numbers are not those of a catalogue.
  const isOdd = isTrue(fields['special'] ?? fields['is_special']) && wholeCell(season) !== 0
  const numbers = isOdd ? { season: undefined } : { season, episode }
  const item = partItem({ type: 'episode', ids, show_ids: showIds, ...numbers, series_title: title, series_year: year })
  return item === undefined ? { skipped: 'invalid_value' } : playRow(item, utc(textCell(fields['watched_at'])))
}

function extensionFilm(
  ids: Item['ids'],
  title: Item['title'],
  year: Item['year'],
  fields: Readonly<Record<string, unknown>>,
): ImportedRow {
  const film = defined({ type: 'movie' as const, ids, title, year })
  return isTrue(fields['is_watched'])
    ? playRow(film, utc(textCell(fields['watched_at'])))
    : watchlistRow(film, utc(textCell(fields['created_at'])))
}

/** `-1` if the extension found none. */
function idsIn(entry: unknown): Item['ids'] {
  const { tvdb, imdb } = recordAt(entry, 'id')
  return idCells({ tvdb, imdb })
}

function createReader() {
  /** TheTVDB's id of a show by its name; null if two shows have the name. */
  const idsOfNames = new Map<string, string | null>()
  const shows = new Map<string, { readonly row: ImportedRow; readonly isForLater: boolean }>()
  const watchedShows = new Set<string>()
  const films = new Map<string, ImportedRow>()
  const watchedFilms = new Set<string>()
  const plays = new Set<string>()
  const days = new Map<string, string>()

  function name(series: string | undefined, tvdb: string | undefined): void {
    if (series === undefined || tvdb === undefined) return
    const known = idsOfNames.get(series)
    idsOfNames.set(series, known === undefined || known === tvdb ? tvdb : null)
  }

  function showOf(cells: Cells) {
    const series = textCell(first(cells, 'series_name', 'tv_show_name'))
    const { tvdb } = idCells({ tvdb: first(cells, 's_id', 'series_id', 'tv_show_id') })
    name(series, tvdb)
    const id = tvdb ?? (series === undefined ? undefined : (idsOfNames.get(series) ?? undefined))
    return { ids: id === undefined ? {} : { tvdb: id }, ...splitTitle(series), id: id ?? series }
  }

  function showRow(cells: Cells, isForLater: boolean, isPlanned: boolean): ImportResult {
    const { id, ids, title, year } = showOf(cells)
    if (id === undefined) return [{ skipped: 'missing_title' }]
    if (Number(first(cells, 'nb_episodes_seen', 'ep_watch_count')) > 0) watchedShows.add(id)
    if (!isForLater && !isPlanned) return []
    const row = watchlistRow(defined({ type: 'show', ids, title, year }), utc(cells['created_at']))
    if (shows.get(id)?.isForLater !== true) shows.set(id, { row: shows.get(id)?.row ?? row, isForLater })
    return []
  }

  function showRating(cells: Cells): ImportResult {
    const { id, ids, title, year } = showOf(cells)
    const rating = ratingCell(cells['rating'], RATING_SCALES.fiveStarsHalves)
    if (id === undefined) return [{ skipped: 'missing_title' }]
    if (rating === undefined) return [{ skipped: 'invalid_value' }]
    const rated = utc(cells['updated_at']) ?? utc(cells['created_at'])
    return [ratingRow(defined({ type: 'show', ids, title, year }), rating, rated)]
  }

  function episodeRow(cells: Cells, file: ImportFile): ImportResult {
    const { id, ids, title, year } = showOf(cells)
    const own = idCells({ tvdb: first(cells, 'ep_id', 'episode_id') })
    if (id === undefined && own.tvdb === undefined) return [{ skipped: 'missing_title' }]
    const item = partItem({
      type: 'episode',
      ids: own,
      show_ids: ids,
      season: first(cells, 'season_number', 's_no', 'episode_season_number'),
      episode: first(cells, 'episode_number', 'ep_no'),
      series_title: title,
      series_year: year,
    })
    if (item === undefined) return [{ skipped: 'invalid_value' }]
    if (id !== undefined) watchedShows.add(id)
    const time = utc(cells['watch_date']) ?? utc(cells['created_at'])
    // Several files may have the same numbers, some without ids of episodes.
    const name = id === undefined || item.episode === undefined ? [own.tvdb] : [id, item.season, item.episode]
    const play = JSON.stringify([name, time])
    const day = JSON.stringify([name, time?.slice(0, 10)])
    // The files of several years contain the same plays.
    if (plays.has(play) || (days.get(day) ?? file.path) !== file.path) return []
    plays.add(play)
    days.set(day, file.path)
    return [playRow(item, time)]
  }

  function filmRow(cells: Cells): ImportResult {
    const title = textCell(cells['movie_name']) ?? titleOfKey(cells['alpha_range_key'])
    if (title === undefined) return [{ skipped: 'missing_title' }]
    // `0001-01-01` if the date is unknown.
    const year = wholeCell((cells['release_date'] ?? '').slice(0, 4), FIRST_FILM, 9_999)
    const item = defined({ type: 'movie', ids: {}, title, year })
    const id = JSON.stringify([title, year])
    if (cells['type'] === 'watch' || cells['type'] === 'rewatch') {
      watchedFilms.add(id)
      return [playRow(item, utc(cells['watch_date']) ?? utc(cells['created_at']))]
    }
    if (cells['type'] !== 'follow' && cells['type'] !== 'towatch') return [{ skipped: 'not_watched' }]
    films.set(id, watchlistRow(item))
    return []
  }

  function extensionRow(cells: Cells, columns: readonly string[]): ImportResult {
    const ids = idCells({ tvdb: cells['tvdb_id'], imdb: cells['imdb_id'] })
    const { title, year } = splitTitle(textCell(first(cells, 'title', 'show_title')))
    if (columns.includes('show_uuid')) {
      if (!isTrue(cells['is_watched'])) return []
      const own = idCells({ tvdb: cells['episode_tvdb_id'] })
      const numbers = { season: cells['season_number'], episode: cells['episode_number'] }
      return [extensionPlay({ ids: own, show_ids: {}, title, year }, numbers, cells)]
    }
    if (title === undefined && Object.keys(ids).length === 0) return [{ skipped: 'missing_title' }]
    if (columns.includes('is_watched')) return [extensionFilm(ids, title, year, cells)]
    const show = defined({ type: 'show' as const, ids, title, year })
    return cells['status'] === 'not_started_yet' ? [watchlistRow(show, utc(cells['created_at']))] : []
  }

  /** A single table: `key` or `type` contains the kind of the row. Other rows are totals. */
  function trackingRow(cells: Cells, file: ImportFile): ImportResult {
    const key = cells['key'] ?? ''
    if (key.startsWith('user-series')) {
      const isPlanned = cells['is_followed'] === 'true' && cells['is_archived'] !== 'true'
      return showRow(cells, cells['is_for_later'] === 'true', isPlanned)
    }
    const isPlay = /^(?:re)?watch(?:-episode|$)/.test(key === '' ? (cells['type'] ?? 'watch') : key)
    return isPlay ? episodeRow(cells, file) : [{ skipped: 'not_watched' }]
  }

  return {
    read({ cells, file, value }: ImportRecord): ImportResult {
      const { columns } = file
      if (file.kind === 'json') return ofJson(value)
      if (columns.includes('imdb_id') || columns.includes('show_uuid')) return extensionRow(cells, columns)
      if (columns.includes('episode_number') || columns.includes('ep_no')) {
        const isFilm = cells['entity_type'] === 'movie' || textCell(cells['movie_name']) !== undefined
        if (columns.includes('tv_show_name') || columns.includes('tv_show_id')) return episodeRow(cells, file)
        return isFilm ? filmRow(cells) : trackingRow(cells, file)
      }
      if (columns.includes('movie_name')) return filmRow(cells)
      if (columns.includes('rating')) return showRating(cells)
      if (columns.includes('status')) return showRow(cells, cells['status'] === 'for_later', false)
      return showRow(cells, false, cells['active'] === '1' && cells['archived'] !== '1')
    },
    // A followed title that was never watched belongs on the watchlist.
    end: (): ImportResult => [
      ...[...shows].flatMap(([id, { row, isForLater }]) => (isForLater || !watchedShows.has(id) ? [row] : [])),
      ...[...films].flatMap(([id, row]) => (watchedFilms.has(id) ? [] : [row])),
    ],
  }
}

function first(cells: Cells, ...names: readonly string[]): string | undefined {
  return names.map((name) => cells[name]).find((cell) => (cell ?? '') !== '')
}

function utc(value: string | undefined): string | undefined {
  return timeCell(value, { assumeUtc: true })
}

/** `watch-alpha-no-hard-feelings`, for films without a name. */
function titleOfKey(key = ''): string | undefined {
  return textCell(/^[a-z]+-alpha-(.+)$/.exec(key)?.[1]?.replaceAll('-', ' '))
}

/** `The Office (2005)`: the year distinguishes shows with one name. */
function splitTitle(text: string | undefined): Pick<Item, 'title' | 'year'> {
  const match = /^(.+) \((\d{4})\)$/.exec(text ?? '')
  if (match !== null) return { title: match[1]!, year: Number(match[2]) }
  return text === undefined ? {} : { title: text }
}
