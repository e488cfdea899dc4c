// Builds the title of works with common ids: its key, name and search text.
import { foldText, formatKey, type Ids, keyOf, reaches, SCHEMES } from '@playhead/sdk/items'

export interface TitleWork {
  readonly title_id: number
  readonly kind: 'movie' | 'show'
  readonly title: string | null
  readonly year: number | null
  readonly ids: string
  readonly tokens: string
  readonly name: string
}

const ARTICLES = /^(?:the|a|an|der|die|das|ein|eine|le|la|les|el|los|il)\s+/i

export function toTitle(works: readonly TitleWork[], ids: Ids) {
  const [first] = works as readonly [TitleWork]
  const name = works.find(({ title }) => title !== null)?.title ?? null
  const year = works.find((one) => one.year !== null)?.year ?? null
  const shared = Object.fromEntries(
    SCHEMES.flatMap((scheme) =>
      ids[scheme] === undefined || !reaches(scheme, 'provider') ? [] : [[scheme, ids[scheme]]],
    ),
  ) as Ids
  const found = keyOf({ type: first.kind, ids: shared, title: name, year })
  return {
    key: found.ok ? formatKey(found.value) : first.name,
    kind: first.kind,
    name: name ?? '',
    sort: foldText(name ?? '\uffff').replace(ARTICLES, ''),
    year,
    ids: JSON.stringify(shared),
    tmdb: shared.tmdb ?? null,
    words: [foldText(name ?? ''), year ?? '', ...Object.entries(shared).map(([scheme, id]) => `${scheme}:${id}`)].join(
      ' ',
    ),
  }
}
