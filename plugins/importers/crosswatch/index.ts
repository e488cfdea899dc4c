// CrossWatch: its tracker stores one JSON file per feature, `{ "ts": …, "items": { key: item } }`, optionally with the name of a pair
// in the file name. Snapshots are older states in a separate folder. Other people of the household have
// `profiles/<id>/…`.
import { defined } from '@playhead/sdk'
import { isRecord, parseItem } from '@playhead/sdk/items'
import {
  defineImporter,
  type ImportFeature,
  type ImportFile,
  type ImportRecord,
  type ImportResult,
  type ImportSketch,
} from '@playhead/sdk/importer'

const NAME = /^(watchlist|history|ratings|progress)(?:[._-].*)?\.json$/

export default defineImporter({
  format: 'crosswatch',
  label: 'CrossWatch',
  hint: 'The .cw_provider folder of CrossWatch as a ZIP file, or one of its files.',
  features: ['watchlist', 'history', 'ratings', 'progress'],
  recognise: filesOf,
  owner: ({ path }) => {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    // Files outside the folder of profiles belong to the first profile, which has no id.
    return /(?:^|\/)profiles\/[^/]+$/.test(folder) ? folder : `${folder}/default`
  },
  open: () => ({ read: readRecord }),
})

function filesOf({ files }: ImportSketch): readonly ImportFile[] | null {
  const found = files.filter(
    ({ kind, path, name, head }) =>
      kind === 'json' &&
      NAME.test(name) &&
      !/(?:^|\/)snapshots?\//.test(path) &&
      /^\s*\{\s*"(?:ts"\s*:\s*\d+\s*,\s*"items"|items")\s*:\s*\{/.test(head),
  )
  return found.length === 0 ? null : found
}

function readRecord({ file, table, value }: ImportRecord): ImportResult {
  if (table !== 'items') return []
  const parsed = isRecord(value) ? parseItem(value) : undefined
  if (parsed?.ok !== true) return [{ skipped: 'unsupported_type' }]
  const {
    native: _native,
    library_id: _library,
    rating,
    rated_at: ratedAt,
    watched_at: watchedAt,
    ...item
  } = parsed.value
  const feature = NAME.exec(file.name)?.[1] as ImportFeature
  const values =
    feature === 'ratings'
      ? { rating, rated_at: ratedAt }
      : feature === 'history'
        ? { watched: true, watched_at: watchedAt }
        : {}
  return [{ feature, item: defined({ ...item, ...values }) }]
}
