// Rows whose key names another id than the row has under the same scheme, and rows whose ids are those of two works. The
// time of a play is not part of the id.
import { type IdScheme, type Item, parseKey } from '@playhead/sdk/items'
import {
  type AnalyzerAccount,
  type AnalyzerRow,
  defineAnalyzer,
  type Finding,
  withExpectedId,
} from '@playhead/sdk/analyzer'

/** Schemes of which a work has one id, and which TMDB knows. */
const EXTERNAL = ['imdb', 'tvdb'] as const

export default defineAnalyzer({
  label: 'Keys and IDs',
  problems: [
    {
      type: 'key_ids_mismatch',
      severity: 'info',
      category: 'ids',
      meaning: 'The key of the item does not match its IDs.',
      fix: 'The item gets the ID of its key, unless the request contains another ID.',
      fixFields: ['id_name', 'expected'],
    },
    {
      type: 'ids_of_two_works',
      label: 'IDs of two titles',
      severity: 'warn',
      category: 'ids',
      meaning: 'The IDs of the item belong to two different titles, so services may match the wrong one.',
    },
  ],
  needs: { features: ['history', 'progress', 'ratings', 'watchlist'], metadata: true },
  *inspect({ account, rows }) {
    for (const row of rows) {
      const { key, item } = row
      yield* ofTwoWorks(account, row)
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

/** TMDB has another id of the work that the TMDB id of the row names. A person has to decide which of them is right. */
function* ofTwoWorks({ label, group }: AnalyzerAccount, { key, item, known }: AnalyzerRow): Iterable<Finding> {
  if (known === undefined) return
  const ids = item.type === 'season' || item.type === 'episode' ? item.show_ids : item.ids
  for (const scheme of EXTERNAL) {
    const [id, other] = [ids?.[scheme], known[scheme]]
    if (id === undefined || other === undefined || id === other) continue
    const match = 'Use "Fix match" on the page of the title'
    yield {
      type: 'ids_of_two_works',
      key,
      message: `It has ${scheme} ${id}, but the work with its tmdb ${ids!.tmdb} has ${scheme} ${other}. ${match}${group === 'media_server' ? `, or match it again at ${label}` : ''}.`,
      fields: { id_name: scheme, id_value: id, tmdb: ids!.tmdb, id_of_tmdb: other },
    }
    return
  }
}

/**
 * False for a key whose text names the id of the row, or a scheme that the row lacks: this holds for nearly all keys and
 * is cheap to check.
 */
function mayDiffer(key: string, { ids, show_ids: showIds }: Item): boolean {
  const scheme = key.indexOf(':') + 1
  const start = key.indexOf(':', scheme) + 1
  const id = (key.includes('#') ? showIds : ids)?.[key.slice(scheme, start - 1) as IdScheme]
  if (id === undefined) return false
  const end = start + id.length
  return !key.startsWith(id, start) || (end < key.length && !'#@~'.includes(key[end]!))
}
