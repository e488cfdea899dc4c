// Keys without a kind (tmdb:1399, tmdb:1399#s01e02, trakt:1#season:2), as older clients send them. Movies and shows share
// numbers, so such a text may mean several keys.
import { normaliseId, schemeOf } from './id-schemes.ts'
import { formatKey, formatPart, parseKey, parsePlayKey, slugOf } from './key.ts'
import { type ItemKind, kindOf, parseType } from './kind.ts'

const KINDS: readonly ItemKind[] = ['movie', 'show', 'season', 'episode']
const UNTYPED =
  /^(?<name>[a-z_]+):(?<value>[^#@]+)(?:#(?:season:(?<whole>\d+)|s(?<season>\d+)e(?<episode>\d+)))?(?<mark>@.+)?$/i
const TITLED = /^(\w+)\|title:(.*)\|year:(\d{0,4})$/

/** All keys that a text can mean; a full key means itself. Empty for an invalid key. */
export function candidateKeys(text: string): string[] {
  if (parseKey(text).ok || parsePlayKey(text).ok) return [text]
  const titled = TITLED.exec(text)
  if (titled !== null) return titleCandidates(titled[1]!, titled[2]!, titled[3]!)
  const { name = '', value, whole, season = whole, episode, mark = '' } = UNTYPED.exec(text)?.groups ?? {}
  const scheme = schemeOf(name)
  const id = scheme === undefined ? undefined : normaliseId(scheme, value)
  if (scheme === undefined || id === undefined) return []
  const numbers = { season: Number(season), ...(episode === undefined ? {} : { episode: Number(episode) }) }
  const part = season === undefined ? '' : formatPart(numbers)
  return (part === '' ? KINDS : ['show' as const])
    .map((kind) => `${formatKey({ base: { kind, by: 'id', scheme, id } })}${part}${mark}`)
    .filter((key) => (mark === '' ? parseKey(key) : parsePlayKey(key)).ok)
}

function titleCandidates(type: string, title: string, year: string): string[] {
  const found = parseType(type)
  const kind = found.ok ? kindOf({ type: found.value }) : undefined
  const slug = slugOf(title)
  if ((kind !== 'movie' && kind !== 'show') || slug === '') return []
  return [formatKey({ base: { kind, by: 'title', slug, year: year === '' ? null : Number(year) } })]
}
