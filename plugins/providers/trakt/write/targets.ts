// Names items in the body of a write. Never by title.
import { type Item, type ItemKind, kindOf } from '@playhead/sdk/items'
import { type Name, nameById, nameByNumber } from '@playhead/trakt-dialect'

/** The SDK's scheme, Trakt's scheme, and whether the value is a number. */
const SCHEMES = [
  ['tracka', 'trakt', true],
  ['imdb', 'imdb', false],
  ['tmdb', 'tmdb', true],
  ['tvdb', 'tvdb', true],
] as const

/**
 * Possible identifications of the item, most reliable first. `byNumberToo`: also identifies an episode with an unknown id by show and
 * number, in the sync and for scrobbles. Episode orders differ, so a person can switch this off.
 */
export function namesOf(item: Item, byNumberToo: boolean): Name[] {
  const byId = nameById(item, SCHEMES)
  const byNumber = nameByNumber(item, SCHEMES)
  // These two ids reliably identify episodes; for seasons only Trakt's own id does.
  const isSure = byId?.ids['trakt'] !== undefined || (kindOf(item) === 'episode' && byId?.ids['tvdb'] !== undefined)
  const names = isSure ? [byId, byNumberToo ? byNumber : undefined] : [byNumber, byId]
  return names.filter((name) => name !== undefined)
}

/** The members of a scrobble that identify the item. */
export function workOf(kind: ItemKind, { ids, season, episode }: Name): object {
  return season === undefined ? { [kind]: { ids } } : { show: { ids }, episode: { season, number: episode } }
}
