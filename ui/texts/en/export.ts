// Texts of the export.
import { translated } from '../language.ts'
export const exporting = translated('exporting', {
  intro: 'Download your data as a file for another service, a spreadsheet or your calendar.',
  account: 'Account',
  all: 'All profiles',
  feature: 'Data',
  features: {
    watchlist: 'Watchlist',
    history: 'History',
    ratings: 'Ratings',
    combined: 'History with ratings',
    progress: 'Progress',
    all: 'Everything',
  },
  format: 'Format',
  types: 'Types',
  typeNames: { movie: 'Films', show: 'Shows', season: 'Seasons', episode: 'Episodes' },
  rewatches: 'Include every rewatch',
  download: 'Download',
  summary: '{n, plural, one {# line} other {# lines}} · {size}',
  leftOut: '{n, plural, one {# row is left out} other {# rows are left out}}',
  preview: 'Preview',
  columns: { title: 'Title', year: 'Year', type: 'Type', at: 'Watched', rating: 'Rating' },
  none: {
    title: 'Nothing to export yet',
    text: 'Connect a service and run a sync. Then you can export its data.',
    action: 'Connect a service',
  },
})
