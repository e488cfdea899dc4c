// Stremio: the data export of an account (stremio.com, account settings), whose `library` has each title as `d`; or titles as the
// API and the apps store them: a list, `result` of an answer, or `items` of a saved library. The fields are those of stremio-core
// (https://github.com/Stremio/stremio-core, src/types/library).
import { defined } from '@playhead/sdk'
import { isRecord, type Item } from '@playhead/sdk/items'
import {
  defineImporter,
  idCells,
  type ImportedRow,
  type ImportFile,
  type ImportRecord,
  type ImportResult,
  type ImportSketch,
  playRow,
  recordAt,
  textCell,
  timeCell,
  watchlistRow,
  wholeCell,
  workItem,
  yearCell,
} from '@playhead/sdk/importer'

const TABLES = ['library', 'result', 'items', '']
/** Fields that only titles of Stremio have. */
const OWN = /"(?:_mtimestamp|overallTimeWatched|flaggedWatched|timesWatched)"/
/** The apps mark the next episode with a position of one millisecond. */
const NEXT_MS = 1

export default defineImporter({
  format: 'stremio',
  label: 'Stremio',
  hint: 'At stremio.com, open the account settings, Data export. Some exports of Stremio repeat one title; then connect the account instead.',
  features: ['watchlist', 'history', 'progress'],
  recognise: filesOf,
  open() {
    const seen = new Set<string>()
    return { read: (record) => readTitle(record, seen) }
  },
})

function filesOf({ files }: ImportSketch): readonly ImportFile[] | null {
  const found = files.filter(
    ({ kind, tables, head }) =>
      kind === 'json' &&
      tables?.some((table) => TABLES.includes(table)) === true &&
      (OWN.test(head) || (tables.includes('library') && /"[^"]*\bstremio\b/i.test(head))),
  )
  return found.length === 0 ? null : found
}

function readTitle({ table, value }: ImportRecord, seen: Set<string>): ImportResult {
  if (!TABLES.includes(table)) return []
  const outer = isRecord(value) ? value : {}
  const title = isRecord(outer['d']) ? outer['d'] : outer
  const id = textCell(title['_id']) ?? ''
  // Other values of the account.
  if (id === '') return [{ skipped: 'invalid_value' }]
  // The data export may repeat one title.
  if (seen.has(id)) return []
  seen.add(id)
  const type = title['type'] === 'movie' ? 'movie' : title['type'] === 'series' ? 'show' : undefined
  if (type === undefined) return [{ skipped: 'unsupported_type' }]
  const [, imdb] = /^(tt\d+)$/.exec(id) ?? []
  const [, tmdb] = /^tmdb:(\d+)$/.exec(id) ?? []
  const ids = idCells({ imdb, tmdb })
  const name = textCell(title['name'])
  if (name === undefined && Object.keys(ids).length === 0) return [{ skipped: 'missing_title' }]
  const work: Item = defined({ type, ids, title: name, year: yearCell(title['year']) })
  const rows: ImportResult[number][] = []
  if (title['removed'] !== true && title['temp'] !== true) rows.push(watchlistRow(work))
  rows.push(
    ...(type === 'movie' ? readMovie(work, recordAt(title, 'state')) : readShow(work, id, recordAt(title, 'state'))),
  )
  return rows.length > 0 ? rows : [{ skipped: 'not_watched' }]
}

type State = Readonly<Record<string, unknown>>

const offsetOf = (state: State) => wholeCell(state['timeOffset']) ?? 0
const timeOf = (state: State) => timeCell(state['lastWatched'])

function position(item: Item, state: State, at: string | undefined): ImportedRow {
  const duration = wholeCell(state['duration'], 1)
  return {
    feature: 'progress',
    item: defined({ ...item, progress_ms: offsetOf(state), duration_ms: duration, progress_at: at }),
  }
}

/** A movie has one time for its last play and its position. */
function readMovie(work: Item, state: State): ImportResult {
  const isWatched = (wholeCell(state['timesWatched']) ?? 0) > 0
  const isBegun = offsetOf(state) > NEXT_MS
  const at = isWatched && isBegun ? undefined : timeOf(state)
  return [...(isWatched ? [playRow(work, at)] : []), ...(isBegun ? [position(work, state, at)] : [])]
}

/**
 * The video that was played last names its episode. The others are bits in the order of a list that the file does not have.
 */
function readShow({ ids, title, year }: Item, id: string, state: State): ImportResult {
  const video = textCell(state['video_id']) ?? ''
  const [, season, episode] = (video.startsWith(`${id}:`) && /^(\d+):(\d+)$/.exec(video.slice(id.length + 1))) || []
  const part = workItem({
    ...{ type: 'episode' as const, ids, title: title ?? undefined, year: year ?? undefined },
    ...{ season: wholeCell(season), episode: wholeCell(episode, 1) },
  })
  const isWatched = (wholeCell(state['flaggedWatched']) ?? 0) > 0
  const rows: ImportResult[number][] = []
  if (part !== undefined && isWatched) rows.push(playRow(part, timeOf(state)))
  if (part !== undefined && offsetOf(state) > NEXT_MS)
    rows.push(position(part, state, isWatched ? undefined : timeOf(state)))
  if (textCell(state['watched']) !== undefined) rows.push({ skipped: 'missing_episodes' })
  return rows
}
