// Rows whose key names another id than the row has under the same scheme. The time of a play is no part of the id.
import { defineAnalyzer, type IdScheme, type Item, parseKey, withExpectedId } from '@playhead/sdk'

export default defineAnalyzer({
  label: 'Keys and ids',
  problems: [
    {
      type: 'key_ids_mismatch',
      severity: 'info',
      category: 'ids',
      meaning: 'The key of the row names another id than the row has.',
      fix: 'The row gets the id of its key, unless the request names another.',
      fixFields: ['id_name', 'expected'],
    },
  ],
  needs: { features: ['history', 'progress', 'ratings', 'watchlist'] },
  *inspect({ rows }) {
    for (const { key, item } of rows) {
      if (!mayDiffer(key, item)) continue
      const base = key.replace(/@.*$/s, '').replace(/~\d+$/, '')
      const parsed = parseKey(base)
      if (!parsed.ok || parsed.value.base.by !== 'id') continue
      const { base: named, part } = parsed.value
      // The key of an episode has the id of its show.
      const ids = part === undefined ? item.ids : (item.show_ids ?? {})
      const id = ids[named.scheme]
      if (id === undefined || id === named.id) continue
      yield {
        type: 'key_ids_mismatch',
        key,
        message: `The key says ${named.scheme} ${named.id}, the row ${id}.`,
        fields: {
          id_name: named.scheme,
          id_value: id,
          key_base: named.id,
          expected: named.id,
          field: part === undefined ? 'ids' : 'show_ids',
        },
      }
    }
  },
  fix: withExpectedId,
})

/** False for a key whose text names the id of the row, or a scheme that the row lacks: nearly all, and cheap to see. */
function mayDiffer(key: string, { ids, show_ids: showIds }: Item): boolean {
  const scheme = key.indexOf(':') + 1
  const start = key.indexOf(':', scheme) + 1
  const id = (key.includes('#') ? showIds : ids)?.[key.slice(scheme, start - 1) as IdScheme]
  if (id === undefined) return false
  const end = start + id.length
  return !key.startsWith(id, start) || (end < key.length && !'#@~'.includes(key[end]!))
}
