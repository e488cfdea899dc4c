// Ryot's id of a work. Ryot finds titles at TMDB or TVDB by their names only, so the ids of what it finds decide.
import type { Item, WriteItem } from '@playhead/sdk'
import { type Ids, kindOf } from '@playhead/sdk/items'
import { isPlayheadError, type Static, Type } from '@playhead/sdk'
import { remember, type Session } from './session.ts'
import { idsOf, readFacts } from './titles.ts'

const MOST_FOUND = 20
const SOURCES = [
  ['tmdb', 'TMDB'],
  ['tvdb', 'TVDB'],
] as const

const Found = Type.Object({
  metadataSearch: Type.Object({ response: Type.Object({ items: Type.Array(Type.String()) }) }),
})
type Found = Static<typeof Found>

const lotOf = (item: Item) => (kindOf(item) === 'movie' ? 'MOVIE' : 'SHOW')
const worksIds = (item: Item): Ids =>
  (item.type === 'episode' || item.type === 'season' ? item.show_ids : item.ids) ?? {}

/** Undefined: Ryot finds no title with an id of the work. */
export async function findTitle(
  session: Session,
  { item, current }: WriteItem,
  signal: AbortSignal,
): Promise<string | undefined> {
  const ids = worksIds(item)
  const lot = lotOf(item)
  const isIt = (facts: { lot: string; source: string; identifier: string }) =>
    facts.lot === lot && Object.entries(idsOf(facts)).some(([scheme, id]) => ids[scheme as 'tmdb'] === id)
  const known = SOURCES.flatMap(([scheme]) => session.index.get(`${lot} ${scheme} ${ids[scheme]}`) ?? [])[0]
  if (known !== undefined) return known
  const own = item.native?.item_id ?? current?.native?.item_id
  if (own !== undefined) {
    // Merged titles have no facts any more.
    const [facts] = await readFacts(session.ask, [own], signal).catch((error: unknown) => {
      if (isPlayheadError(error, 'PLH_UPSTREAM') && error.details?.['refused'] === true) return []
      throw error
    })
    if (facts !== undefined && isIt(facts)) return own
  }
  const title = item.type === 'episode' || item.type === 'season' ? item.series_title : item.title
  if (title === undefined) return undefined
  for (const [scheme, source] of SOURCES) {
    if (ids[scheme] === undefined) continue
    const { metadataSearch }: Found = await session.ask(
      {
        query: `query($input: MetadataSearchInput!) { metadataSearch(input: $input) { response { items } } }`,
        variables: { input: { lot, source, search: { query: title, page: 1 } } },
      },
      Found,
      { signal },
    )
    const found = await readFacts(session.ask, metadataSearch.response.items.slice(0, MOST_FOUND), signal)
    for (const facts of found) remember(session, facts)
    const match = found.find(isIt)
    if (match !== undefined) return match.id
  }
  return undefined
}
