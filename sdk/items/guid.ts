// Guid strings of media servers: imdb://tt0133093, tmdb://movie/603, com.plexapp.agents.thetvdb://121361/2/5?lang=en,
// plex://movie/5d77….
import { type IdScheme, normaliseId } from './id-schemes.ts'
import type { ItemKind } from './kind.ts'

export interface GuidId {
  readonly scheme: IdScheme
  readonly id: string
  /** Legacy guids of episodes and seasons contain the id of the show. */
  readonly of: 'item' | 'show'
  /** If the guid contains it. */
  readonly kind?: ItemKind
  readonly season?: number
  readonly episode?: number
}

const AGENTS: ReadonlyMap<string, IdScheme> = new Map([
  ['imdb', 'imdb'],
  ['com.plexapp.agents.imdb', 'imdb'],
  ['tmdb', 'tmdb'],
  ['com.plexapp.agents.themoviedb', 'tmdb'],
  ['tvdb', 'tvdb'],
  ['com.plexapp.agents.thetvdb', 'tvdb'],
])
const QUALIFIERS: ReadonlyMap<string, ItemKind | undefined> = new Map([
  ['movie', 'movie'],
  ['show', 'show'],
  ['tv', 'show'],
  ['series', 'show'],
  ['title', undefined],
])

/**
 * Parses a guid; undefined for an unknown form.
 *
 * @example
 * parseGuid('com.plexapp.agents.thetvdb://121361/2/5?lang=en')
 * // { scheme: 'tvdb', id: '121361', of: 'show', kind: 'episode', season: 2, episode: 5 }
 */
export function parseGuid(value: unknown): GuidId | undefined {
  if (typeof value !== 'string') return undefined
  const match = /^([a-z][a-z0-9.+-]*):\/\/([^?#]+)/i.exec(value.trim())
  if (match === null) return undefined
  const scheme = AGENTS.get(match[1]!.toLowerCase())
  if (scheme === undefined) {
    const id = normaliseId('guid', value)
    return id === undefined ? undefined : { scheme: 'guid', id, of: 'item' }
  }
  const parts = match[2]!.split('/')
  const qualified = QUALIFIERS.has(parts[0]!.toLowerCase())
  const kind = qualified ? QUALIFIERS.get(parts[0]!.toLowerCase()) : undefined
  const [text, season, episode, ...rest] = qualified ? parts.slice(1) : parts
  const id = normaliseId(scheme, text)
  // An unknown path could refer to anything.
  if (id === undefined || rest.length > 0) return undefined
  if (![season, episode].every((part) => part === undefined || /^\d{1,6}$/.test(part))) return undefined
  if (season === undefined) return { scheme, id, of: 'item', ...(kind === undefined ? {} : { kind }) }
  if (episode === undefined) return { scheme, id, of: 'show', kind: 'season', season: Number(season) }
  return { scheme, id, of: 'show', kind: 'episode', season: Number(season), episode: Number(episode) }
}
