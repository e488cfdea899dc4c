// A file format for imports: a table of films, separated by commas.
import { defined } from '@playhead/sdk'
import {
  csvWith,
  defineImporter,
  idCells,
  playRow,
  textCell,
  timeCell,
  watchlistRow,
  yearCell,
} from '@playhead/sdk/importer'

export default defineImporter({
  format: 'acme',
  label: 'Acme',
  hint: 'acme.example, Settings, Export.',
  features: ['watchlist', 'history'],
  // Certain, or null: a file of another format would become wrong rows.
  recognise: ({ files }) => csvWith(files, ['film title', 'released in', 'tmdb']),
  open: () => ({
    read({ cells }) {
      const title = textCell(cells['film title'])
      const year = yearCell(cells['released in'])
      const ids = idCells({ tmdb: cells['tmdb'] })
      if (title === undefined && ids.tmdb === undefined) return [{ skipped: 'missing_title' }]
      const item = defined({ type: 'movie', ids, title, year })
      // A day stays a day, and no time is invented.
      const watched = timeCell(cells['watched'])
      return [watched === undefined ? watchlistRow(item) : playRow(item, watched)]
    },
  }),
})
