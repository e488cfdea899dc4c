// Yamtrack: one table of works, seasons and episodes. A completed show or season was watched by its episodes; it counts as a separate
// play only if the file contains none of them.
import { type Item, RATING_SCALES } from '@playhead/sdk/items'
import {
  csvWith,
  defineImporter,
  idCells,
  type ImportedRow,
  type ImportRecord,
  type ImportResult,
  playRow,
  ratingCell,
  ratingRow,
  textCell,
  timeCell,
  watchlistRow,
  wholeCell,
  workItem,
} from '@playhead/sdk/importer'

const TYPES: Readonly<Record<string, Item['type'] | undefined>> = {
  movie: 'movie',
  tv: 'show',
  season: 'season',
  episode: 'episode',
  anime: 'anime',
}

export default defineImporter({
  format: 'yamtrack',
  label: 'Yamtrack',
  hint: 'In Yamtrack, open Settings, then Export data.',
  features: ['watchlist', 'history', 'ratings'],
  recognise: ({ files }) => csvWith(files, ['media_id', 'source', 'media_type', 'status']),
  // An export belongs to one person.
  owner: ({ path }) => path,
  open() {
    const watchedParts = new Set<string>()
    const whole: { readonly name: string; readonly row: ImportedRow }[] = []
    return {
      read: (record) => readRow(record, watchedParts, whole),
      end: () => whole.filter(({ name }) => !watchedParts.has(name)).map(({ row }) => row),
    }
  },
})

function readRow(
  { cells }: ImportRecord,
  watchedParts: Set<string>,
  whole: { readonly name: string; readonly row: ImportedRow }[],
): ImportResult {
  const type = TYPES[(cells['media_type'] ?? '').toLowerCase()]
  if (type === undefined) return [{ skipped: 'unsupported_type' }]
  const id = cells['media_id']
  const source = cells['source']
  // Works that people added themselves have their own numbers.
  const work = `${source} ${id}`
  const ids = idCells({ tmdb: source === 'tmdb' ? id : '', mal: source === 'mal' ? id : '' })
  const title = textCell(cells['title'])
  if (title === undefined && Object.keys(ids).length === 0) return [{ skipped: 'missing_title' }]
  const season = wholeCell(cells['season_number'])
  const item = workItem({ type, ids, title, season, episode: wholeCell(cells['episode_number'], 1) })
  if (item === undefined) return [{ skipped: 'invalid_value' }]
  const status = (cells['status'] ?? '').toLowerCase()
  // `progressed_at` is the time of marking. Until 2025 episodes had a separate column.
  const time = timeCell(cells['end_date']) ?? timeCell(cells['watch_date'])
  const rows: ImportedRow[] = []
  const rating = ratingCell(cells['score'], RATING_SCALES.tenPointsHalves)
  if (rating !== undefined && type !== 'episode') rows.push(ratingRow(item, rating))
  if (status === 'planning') rows.push(watchlistRow(item))
  const play = playRow(item, time)
  if (type === 'episode') {
    watchedParts.add(work).add(`${work} ${season}`)
    rows.push(play)
  } else if (status === 'completed') {
    if (type === 'movie') rows.push(play)
    else whole.push({ name: type === 'season' ? `${work} ${season}` : work, row: play })
  }
  return rows.length > 0 || status === 'completed' ? rows : [{ skipped: 'unsupported_list' }]
}
