// Cinema tickets: one line each, with the day.
import { csvWith, defineImporter, idCells, textCell, timeCell, yearCell } from '@playhead/sdk/importer'

export default defineImporter({
  format: 'shoebox',
  label: 'Shoebox',
  hint: 'The table of your tickets, with the columns Ticket, From, Number at TMDB and Seen on.',
  features: ['history'],
  recognise: ({ files }) => csvWith(files, ['ticket', 'from', 'number at tmdb', 'seen on']),
  open: () => ({
    read({ cells }) {
      const title = textCell(cells['ticket'])
      const year = yearCell(cells['from'])
      const ids = idCells({ tmdb: cells['number at tmdb'] })
      const seen = timeCell(cells['seen on'])
      if (title === undefined) return [{ skipped: 'missing_title' }]
      const item = { type: 'movie', ids, title, ...(year === undefined ? {} : { year }) } as const
      return [
        { feature: 'history', item: { ...item, watched: true, ...(seen === undefined ? {} : { watched_at: seen }) } },
      ]
    },
  }),
})
