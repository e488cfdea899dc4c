// Ids and keys of corrected rows.
import { PlayheadError } from '@playhead/sdk'
import { type Ids, type IdScheme, type Item, itemKey, normaliseId, rowKey, schemeOf } from '@playhead/sdk/items'

type GivenIds = Readonly<Record<string, unknown>>

/** The item field that its key is built from: an episode is named by its show. */
export function idField({ type }: Item): 'ids' | 'show_ids' {
  return type === 'season' || type === 'episode' ? 'show_ids' : 'ids'
}

/**
 * The item with these ids. Null, or an id without a normal form, removes an id. `ids` of an episode or season are those of its
 * show; `own_ids` are its own.
 */
export function withIds(item: Item, given: GivenIds, emptyMeans: 'remove' | 'keep'): Item {
  const field = idField(item)
  const ids: { [scheme in IdScheme]?: string } = { ...item[field] }
  for (const [name, value] of Object.entries(given)) {
    const scheme = schemeOf(name)
    if (scheme === undefined)
      throw new PlayheadError('PLH_INVALID', `"${name.slice(0, 40)}" is no kind of id.`, { wire: 'validation_failed' })
    if (value === '' && emptyMeans === 'keep') continue
    const id = value === null ? undefined : normaliseLoosely(scheme, value)
    if (id === undefined) delete ids[scheme]
    else ids[scheme] = id
  }
  return { ...item, [field]: ids }
}

/** Accepts pasted values: for `https://www.themoviedb.org/movie/603-the-matrix` the first digits are used. */
function normaliseLoosely(scheme: IdScheme, value: unknown): string | undefined {
  const exact = normaliseId(scheme, value)
  if (exact !== undefined || typeof value !== 'string') return exact
  const digits = /\d+/.exec(scheme === 'imdb' ? (/tt\d+/i.exec(value)?.[0] ?? value) : value)?.[0]
  return digits === undefined ? undefined : normaliseId(scheme, digits)
}

/** The key that the item would have, with the play mark of the given key. Null if the item has no identity. */
export function rekeyed(item: Item, key: string): string | null {
  const base = itemKey(item)
  if (base.startsWith('unknown:')) return null
  const mark = /@.*$/s.exec(key)?.[0].replace(/~\d+$/, '') ?? ''
  const own = rowKey(item, mark !== '')
  // The play mark of the row stays, regardless of the item's time.
  return mark === '' ? base : `${own.replace(/@.*$/s, '')}${mark}`
}

/** Ids of the account that the correction contradicts or removes. */
export function replacedIds(before: Item, after: Item): readonly string[] {
  const changed = (name: 'ids' | 'show_ids') =>
    Object.entries(before[name] ?? {}).flatMap(([scheme, id]) =>
      (after[name] as Ids | undefined)?.[scheme as IdScheme] === id ? [] : [scheme],
    )
  return [...changed('ids'), ...changed('show_ids')]
}
