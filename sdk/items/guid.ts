// Guid strings of media servers: imdb://tt0133093, tmdb://movie/603, com.plexapp.agents.thetvdb://121361/2/5?lang=en,
// com.plexapp.agents.hama://anidb-11347/1/2?lang=en, plex://movie/5d77….
import { type IdScheme, normaliseId } from './id-schemes.ts'
import type { ItemKind } from './kind.ts'

export interface GuidId {
  readonly scheme: IdScheme
  readonly id: string
  /** Legacy guids of episodes and seasons contain the id of the show. */
  readonly of: 'item' | 'show'
  /** Present if the guid contains it. */
  readonly kind?: ItemKind
  readonly season?: number
  readonly episode?: number
}

/** The subject of a service's old agent, or of a Guid of the new ones. */
interface Agent {
  readonly scheme?: IdScheme
  /** Agents with several services: the id contains its service, in the agent's own form. */
  readonly read?: (text: string) => readonly [scheme: IdScheme, id: string] | undefined
}

/**
 * HAMA's ids name their source: `tvdb-121361`; a number alone is from AniDB. Modes `tvdb3` and later and `anidb2` and
 * later number episodes in their own way (absolute numbers, arcs, seasons of another service), so they name no episode.
 */
function ofHama(text: string): readonly [IdScheme, string] | undefined {
  const [, name = 'anidb', id] = /^(?:([a-z]+2?)-)?((?:tt)?\d+)$/.exec(text.toLowerCase()) ?? []
  const scheme = HAMA.get(name)
  return scheme === undefined || id === undefined ? undefined : [scheme, id]
}

const HAMA: ReadonlyMap<string, IdScheme> = new Map([
  ['anidb', 'anidb'],
  ['tvdb', 'tvdb'],
  // Its files are numbered continuously, and its episodes as at TheTVDB.
  ['tvdb2', 'tvdb'],
  ['tmdb', 'tmdb'],
  ['imdb', 'imdb'],
])

const ofNfoShow = (text: string) => [/^tt/i.test(text) ? 'imdb' : 'tvdb', text] as const
const ofNfoMovie = (text: string) => (/^tt/i.test(text) ? (['imdb', text] as const) : undefined)
const ofMcm = (text: string) => (/^mcm_tv_a_/i.test(text) ? (['tvdb', text.slice(9)] as const) : undefined)

/** The ids of agents are those that the agents and Trakt's former Plex plugin document. */
const AGENTS: ReadonlyMap<string, Agent> = new Map([
  ['imdb', { scheme: 'imdb' }],
  ['com.plexapp.agents.imdb', { scheme: 'imdb' }],
  ['tmdb', { scheme: 'tmdb' }],
  ['com.plexapp.agents.themoviedb', { scheme: 'tmdb' }],
  ['com.plexapp.agents.standalone', { scheme: 'tmdb' }],
  ['tvdb', { scheme: 'tvdb' }],
  ['com.plexapp.agents.thetvdb', { scheme: 'tvdb' }],
  ['com.plexapp.agents.anidb', { scheme: 'anidb' }],
  ['net.fribbtastic.coding.plex.myanimelist', { scheme: 'mal' }],
  ['net.devvsbugs.coding.plex.myanimelist', { scheme: 'mal' }],
  ['com.plexapp.agents.mcm', { read: ofMcm }],
  ...['com.plexapp.agents.', ''].flatMap((prefix): [string, Agent][] => [
    [`${prefix}hama`, { read: ofHama }],
    [`${prefix}xbmcnfo`, { read: ofNfoMovie }],
    [`${prefix}xbmcnfotv`, { read: ofNfoShow }],
  ]),
])

/** Guids of parts of these agents begin with the id of the show, also those without numbers. */
export function isLegacyGuid(value: string | undefined): boolean {
  if (parseGuid(value)?.scheme === 'guid') return false
  const scheme = /^([a-z][a-z0-9.+-]*):/i.exec(value?.trim() ?? '')?.[1]?.toLowerCase() ?? ''
  return /^(?:com\.plexapp\.agents|net\.(?:fribbtastic|devvsbugs)\.coding\.plex)\.|^(?:hama|xbmcnfo(?:tv)?)$/.test(
    scheme,
  )
}

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
  const agent = AGENTS.get(match[1]!.toLowerCase())
  if (agent === undefined) return ownGuid(value)
  const parts = match[2]!.split('/')
  const qualified = QUALIFIERS.has(parts[0]!.toLowerCase())
  const kind = qualified ? QUALIFIERS.get(parts[0]!.toLowerCase()) : undefined
  const [text, season, episode, ...rest] = qualified ? parts.slice(1) : parts
  const named = agent.scheme === undefined ? agent.read?.(text ?? '') : ([agent.scheme, text] as const)
  if (named === undefined) return ownGuid(value)
  const [scheme, own] = named
  const id = normaliseId(scheme, own)
  // An unknown path could refer to anything.
  if (id === undefined || rest.length > 0) return undefined
  if (![season, episode].every((part) => part === undefined || /^\d{1,6}$/.test(part))) return undefined
  if (season === undefined) return kind === undefined ? { scheme, id, of: 'item' } : { scheme, id, of: 'item', kind }
  if (episode === undefined) return { scheme, id, of: 'show', kind: 'season', season: Number(season) }
  return { scheme, id, of: 'show', kind: 'episode', season: Number(season), episode: Number(episode) }
}

/** The guid identifies the work only at servers of this kind. */
function ownGuid(value: string): GuidId | undefined {
  const id = normaliseId('guid', value)
  return id === undefined ? undefined : { scheme: 'guid', id, of: 'item' }
}
