// Playhead's own JSON: complete rows with their feature. Ids that are only valid in the exported account are omitted.
import { isRecord, type Item, parseItem } from '@playhead/sdk/items'
import { defineImporter, type ImportedRow } from '@playhead/sdk/importer'

const FEATURES = ['watchlist', 'history', 'ratings', 'progress'] as const

export default defineImporter({
  format: 'playhead',
  label: 'Playhead',
  hint: 'The JSON export of Playhead.',
  features: FEATURES,
  recognise({ files }) {
    const found = files.filter(({ kind, head }) => kind === 'json' && /^\s*\{\s*"format"\s*:\s*"playhead"/.test(head))
    return found.length === 0 ? null : found
  },
  // Profiles belong to different people. The files of one profile, by feature or in parts, belong together.
  owner: ({ path, head }) => {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    return `${folder}/${/"instance"\s*:\s*"([^"/]*)"/.exec(head)?.[1] ?? ''}`
  },
  open: () => ({
    read({ table, value }) {
      if (table !== 'rows') return []
      if (!isRecord(value) || !isRecord(value['item'])) return [{ skipped: 'invalid_value' }]
      const feature = FEATURES.find((one) => one === value['feature'])
      const parsed = parseItem(value['item'])
      if (feature === undefined || !parsed.ok) return [{ skipped: 'unsupported_type' }]
      const { native: _native, library_id: _library, ...item } = parsed.value
      const rows: ImportedRow[] = [{ feature, item: feature === 'history' ? withoutRating(item) : item }]
      // A combined export stores the ratings on its plays.
      if (feature === 'history' && item.rating !== undefined) rows.push({ feature: 'ratings', item: withoutPlay(item) })
      return rows
    },
  }),
})

function withoutRating({ rating: _rating, rated_at: _at, ...item }: Item): Item {
  return item
}

function withoutPlay({ watched: _watched, watched_at: _at, ...item }: Item): Item {
  return item
}
