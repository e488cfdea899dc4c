// A table with ids or titles and a type, as Playhead's generic list. A date makes a row a play, a rating a rating.
import {
  csvWith,
  defineImporter,
  idCells,
  type ImportedRow,
  type Item,
  parseType,
  ratingCell,
  textCell,
  timeCell,
  wholeCell,
  yearCell,
} from '@playhead/sdk'

export default defineImporter({
  format: 'list',
  label: 'Generic list',
  hint: 'A CSV file with the columns tmdbID, imdbID, Title, Year and Type.',
  features: ['watchlist', 'history', 'ratings'],
  recognise: ({ files }) => csvWith(files, ['tmdbid', 'imdbid', 'title', 'year', 'type']),
  open: () => ({
    read({ cells, file: { columns } }) {
      const type = parseType(cells['type'])
      if (!type.ok) return [{ skipped: 'unsupported_type' }]
      const ids = idCells({ tmdb: cells['tmdbid'], imdb: cells['imdbid'] })
      const title = textCell(cells['title'])
      if (title === undefined && Object.keys(ids).length === 0) return [{ skipped: 'missing_title' }]
      const isPart = type.value === 'season' || type.value === 'episode'
      const season = wholeCell(cells['season'])
      const episode = wholeCell(cells['episode'], 1)
      const year = yearCell(cells['year'])
      if ((isPart && season === undefined) || (type.value === 'episode' && episode === undefined))
        return [{ skipped: 'invalid_value' }]
      const item: Item = isPart
        ? {
            type: type.value,
            ids: {},
            show_ids: ids,
            season: season!,
            ...(type.value === 'episode' ? { episode: episode! } : {}),
            ...(title === undefined ? {} : { series_title: title }),
          }
        : { type: type.value, ids, ...(title === undefined ? {} : { title }), ...(year === undefined ? {} : { year }) }
      const rating = ratingCell(cells['rating'])
      const date = timeCell(cells['watcheddate'])
      const rows: ImportedRow[] = []
      if (columns.includes('watcheddate'))
        rows.push({
          feature: 'history',
          item: { ...item, watched: true, ...(date === undefined ? {} : { watched_at: date }) },
        })
      if (rating !== undefined) rows.push({ feature: 'ratings', item: { ...item, rating } })
      if (rows.length === 0 && !columns.includes('rating')) rows.push({ feature: 'watchlist', item })
      return rows.length > 0 ? rows : [{ skipped: 'invalid_value' }]
    },
  }),
})
