// TV Time, which closed in July 2026: the CSV files that people got when they asked for their data. Shows and episodes have
// the ids of TheTVDB, films only titles. Times have no zone, so that they are dates. The archive also holds tokens and
// addresses: only these files are read.
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
  type Item,
  textCell,
  timeCell,
  wholeCell,
  yearCell,
} from '@playhead/sdk'

type Cells = ImportRecord['cells']

const NAMES = [
  'tracking-prod-records-v2.csv',
  'tracking-prod-records.csv',
  'seen_episode.csv',
  'seen_episode_source.csv',
]

export default defineImporter({
  format: 'tvtime',
  label: 'TV Time',
  hint: 'The ZIP archive that TV Time sent when you asked for your data.',
  features: ['watchlist', 'history'],
  recognise: filesOf,
  open() {
    const seen = new Set<string>()
    const followed = new Map<string, ImportedRow>()
    return {
      read({ cells, file: { columns } }) {
        if (columns.includes('tv_show_id')) return episodeRow(cells, seen)
        const isFilm = cells['entity_type'] === 'movie' || (cells['movie_name'] ?? '') !== ''
        return isFilm ? filmRow(cells, seen, followed) : seriesRow(cells, seen)
      },
      // A film that is followed and was never watched is one to watch.
      end: () => [...followed].flatMap(([name, row]) => (seen.has(name) ? [] : [row])),
    }
  },
})

function filesOf({ files }: ImportSketch): readonly ImportFile[] | null {
  const named = filesNamed(
    files.filter(({ kind }) => kind === 'csv'),
    NAMES,
  )?.filter(({ columns }) => columns.some((one) => ['series_name', 'movie_name', 'tv_show_id'].includes(one)))
  if (named !== undefined && named.length > 0) return named
  return csvWith(files, ['series_name', 'created_at']) ?? csvWith(files, ['tv_show_id', 'episode_number', 'created_at'])
}

/** `watch-episode-…` are plays, `user-series-…` the shows. */
function seriesRow(cells: Cells, seen: Set<string>): ImportResult {
  const key = cells['key'] ?? ''
  if (key.startsWith('user-series')) {
    const isLater =
      cells['is_for_later'] === 'true' || (cells['is_followed'] === 'true' && cells['ep_watch_count'] === '0')
    const ids = idCells({ tvdb: cells['s_id'] ?? cells['series_id'] })
    const title = splitTitle(cells['series_name'])
    if (!isLater) return [{ skipped: 'not_watched' }]
    if (title === undefined && ids.tvdb === undefined) return [{ skipped: 'missing_title' }]
    return [{ feature: 'watchlist', item: { type: 'show', ids, ...title } }]
  }
  if (key !== '' && !/^(?:re)?watch-episode/.test(key)) return [{ skipped: 'not_watched' }]
  return episodeRow(cells, seen)
}

function episodeRow(cells: Cells, seen: Set<string>): ImportResult {
  const first = (...names: readonly string[]) => names.map((name) => cells[name]).find((cell) => (cell ?? '') !== '')
  const season = wholeCell(first('season_number', 's_no', 'episode_season_number'))
  const episode = wholeCell(first('episode_number', 'ep_no'), 1)
  const showIds = idCells({ tvdb: first('s_id', 'series_id', 'tv_show_id') })
  const series = splitTitle(first('series_name', 'tv_show_name'))
  if (season === undefined || episode === undefined) return [{ skipped: 'invalid_value' }]
  if (series === undefined && showIds.tvdb === undefined) return [{ skipped: 'missing_title' }]
  const date = timeCell(first('watch_date', 'created_at', 'updated_at'))
  const name = JSON.stringify([showIds.tvdb ?? series?.title, season, episode, date])
  // The files of several years have the same plays.
  if (seen.has(name)) return []
  seen.add(name)
  const item: Item = {
    type: 'episode',
    ids: idCells({ tvdb: first('ep_id', 'episode_id') }),
    show_ids: showIds,
    season,
    episode,
    watched: true,
    ...(series === undefined ? {} : { series_title: series.title }),
    ...(series?.year === undefined ? {} : { series_year: series.year }),
    ...(date === undefined ? {} : { watched_at: date }),
  }
  return [{ feature: 'history', item }]
}

function filmRow(cells: Cells, seen: Set<string>, followed: Map<string, ImportedRow>): ImportResult {
  const title = textCell(cells['movie_name'])
  if (title === undefined) return [{ skipped: 'missing_title' }]
  const year = yearCell((cells['release_date'] ?? '').slice(0, 4))
  const item: Item = { type: 'movie', ids: {}, title, ...(year === undefined ? {} : { year }) }
  const name = JSON.stringify([title, year])
  if (cells['type'] === 'watch' || cells['type'] === 'rewatch') {
    seen.add(name)
    const time = timeCell(cells['watch_date']) ?? timeCell(cells['created_at'])
    return [
      { feature: 'history', item: { ...item, watched: true, ...(time === undefined ? {} : { watched_at: time }) } },
    ]
  }
  if (cells['type'] !== 'follow' && cells['type'] !== 'towatch') return [{ skipped: 'not_watched' }]
  followed.set(name, { feature: 'watchlist', item })
  return []
}

/** `The Office (2005)`: the year tells shows of one name apart. */
function splitTitle(value: unknown): { readonly title: string; readonly year?: number } | undefined {
  const text = textCell(value)
  const match = /^(.+) \((\d{4})\)$/.exec(text ?? '')
  return match === null
    ? text === undefined
      ? undefined
      : { title: text }
    : { title: match[1]!, year: Number(match[2]) }
}
