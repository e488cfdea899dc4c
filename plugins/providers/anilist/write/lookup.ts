// Looks up works by id, with the current entry of the account. Titles are not searched.
import type { ItemOutcome } from '@playhead/sdk'
import { type Item, kindOf } from '@playhead/sdk/items'
import { ask } from '../graphql.ts'
import { kindOfMedia } from '../items.ts'
import type { Session } from '../session.ts'
import { type Found, LookupAnswer } from '../wire.ts'

/** Works per page, and per lookup. */
export const MAX_LOOKUP = 50

const MEDIA = `{
  id idMal format
  mediaListEntry {
    id status score(format: POINT_100) progress repeat notes hiddenFromStatusLists customLists(asArray: true)
    startedAt { year month day } completedAt { year month day }
  }
}`

type Finding = { readonly media: Found } | { readonly refused: ItemOutcome }

/** @param items at most `MAX_LOOKUP`; one request for all of them */
export async function lookUp(
  { upstream }: Session,
  items: readonly Item[],
  signal: AbortSignal,
): Promise<(item: Item) => Finding> {
  const ids = numbersOf(items, ({ anilist }) => anilist)
  const malIds = numbersOf(items, ({ anilist, mal }) => (anilist === undefined ? mal : undefined))
  if (ids.length === 0 && malIds.length === 0)
    return () => ({ refused: { outcome: 'unsupported', reason: 'missing_ids' } })
  const parts = [
    { has: ids.length > 0, variable: '$ids: [Int]', field: pageOf('byId', 'id_in: $ids') },
    { has: malIds.length > 0, variable: '$malIds: [Int]', field: pageOf('byMal', 'idMal_in: $malIds') },
  ].filter(({ has }) => has)
  const query = `query (${parts.map(({ variable }) => variable).join(', ')}) { ${parts.map(({ field }) => field).join(' ')} }`
  const variables = { ...(ids.length === 0 ? {} : { ids }), ...(malIds.length === 0 ? {} : { malIds }) }
  const { byId, byMal } = await ask(upstream, { query, variables }, LookupAnswer, { signal })

  return (item) => {
    const { anilist, mal } = item.ids
    const page = anilist === undefined ? byMal : byId
    const found = (page?.media ?? []).filter(
      (media) => String(anilist === undefined ? media.idMal : media.id) === (anilist ?? mal),
    )
    const [media] = found
    if (media === undefined) {
      // Only a complete response proves that a work does not exist.
      const isWhole = page !== undefined && page.pageInfo.hasNextPage === false
      return {
        refused: isWhole
          ? { outcome: 'not_found', reason: 'not_found' }
          : { outcome: 'failed', reason: 'lookup_incomplete' },
      }
    }
    const contradicts = found.length > 1 || (mal !== undefined && media.idMal !== null && String(media.idMal) !== mal)
    if (contradicts) return { refused: { outcome: 'rejected', reason: 'ambiguous_ids' } }
    if (kindOfMedia(media) !== kindOf(item)) return { refused: { outcome: 'rejected', reason: 'kind_mismatch' } }
    return { media }
  }
}

function pageOf(alias: string, which: string): string {
  return `${alias}: Page(perPage: ${MAX_LOOKUP}) { pageInfo { hasNextPage } media(${which}, type: ANIME) ${MEDIA} }`
}

function numbersOf(items: readonly Item[], idOf: (ids: Item['ids']) => string | undefined): number[] {
  return [...new Set(items.map(({ ids }) => Number(idOf(ids))))].filter((id) => Number.isSafeInteger(id) && id > 0)
}
