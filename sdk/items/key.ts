// Keys as text. They contain the kind, because a movie and a show may share a number: movie:tmdb:603, show:tmdb:1399,
// show:tmdb:1399#season:2, show:tmdb:1399#s01e02, episode:tvdb:123, movie:title:heat:1995. A play adds its time or id:
// …@1782936900, …@id:42, …@date:2026-07-01.
import { twoDigits } from './episode-code.ts'
import { ID_SCHEMES, type IdScheme, normaliseId } from './id-schemes.ts'
import type { ItemKind } from './kind.ts'
import { accept, refuse, type Result } from './result.ts'

export type KeyBase =
  | { readonly kind: ItemKind; readonly by: 'id'; readonly scheme: IdScheme; readonly id: string }
  | { readonly kind: 'movie' | 'show'; readonly by: 'title'; readonly slug: string; readonly year: number | null }

export interface ItemKey {
  /** The work, or the show of `part`. */
  readonly base: KeyBase
  readonly part?: { readonly season: number; readonly episode?: number }
}

/** Distinguishes the plays of an item. */
export type PlayMark = { readonly epochSeconds: number } | { readonly date: string } | { readonly eventId: string }

export interface PlayKey {
  readonly item: ItemKey
  readonly mark: PlayMark
}

const KEY = /^(movie|show|season|episode):([a-z]+):([^#@]+?)(?:#(?:season:(\d+)|s(\d{2,})e(\d{2,})))?$/
const MARK = /^(?:(-\d+|\d{5,})|date:(\d{4}-\d{2}-\d{2})|id:(.+))$/s

export function formatKey({ base, part }: ItemKey): string {
  const name = base.by === 'id' ? `${base.scheme}:${escapeText(base.id)}` : `title:${base.slug}:${base.year ?? ''}`
  return `${base.kind}:${name}${part === undefined ? '' : formatPart(part)}`
}

/** Parses a key. Only the canonical spelling is valid. */
export function parseKey(text: string): Result<ItemKey> {
  const match = KEY.exec(text)
  const base = match === null ? undefined : parseBase(match[1] as ItemKind, match[2]!, match[3]!)
  if (match === null || base === undefined) {
    return refuse(
      'invalid_key',
      `"${text}" is no item key; expected for example movie:tmdb:603 or show:tmdb:1399#s01e02`,
    )
  }
  const [season, episode] = match[4] === undefined ? [match[5], match[6]] : [match[4], undefined]
  const key: ItemKey =
    season === undefined
      ? { base }
      : { base, part: { season: Number(season), ...(episode === undefined ? {} : { episode: Number(episode) }) } }
  if ((key.part === undefined || base.kind === 'show') && formatKey(key) === text) return accept(key)
  return refuse('invalid_key', `"${text}" is not how an item key is written`)
}

export function formatPlayKey({ item, mark }: PlayKey): string {
  if ('epochSeconds' in mark) return `${formatKey(item)}@${mark.epochSeconds}`
  return `${formatKey(item)}@${'date' in mark ? `date:${mark.date}` : `id:${escapeText(mark.eventId)}`}`
}

export function parsePlayKey(text: string): Result<PlayKey> {
  const at = text.indexOf('@')
  const mark = at === -1 ? null : MARK.exec(text.slice(at + 1))
  if (mark === null) {
    return refuse(
      'invalid_key',
      `"${text}" is no key of a play; expected <item key>@<epoch seconds> or <item key>@id:<event id>`,
    )
  }
  const item = parseKey(text.slice(0, at))
  if (!item.ok) return item
  const key: PlayKey = { item: item.value, mark: toMark(mark) }
  return formatPlayKey(key) === text
    ? accept(key)
    : refuse('invalid_key', `"${text}" is not how the key of a play is written`)
}

/** The kind of the key: a part of a show is a season or an episode. */
export function kindOfKey({ base, part }: ItemKey): ItemKind {
  if (part === undefined) return base.kind
  return part.episode === undefined ? 'season' : 'episode'
}

/** `#season:2` or `#s01e02`. */
export function formatPart({ season, episode }: { readonly season: number; readonly episode?: number }): string {
  return episode === undefined ? `#season:${season}` : `#s${twoDigits(season)}e${twoDigits(episode)}`
}

/** The slug of a title, as in keys. */
export function slugOf(title: string): string {
  const text = title.toWellFormed().normalize('NFKC').toLowerCase()
  const slug = text.replace(/[^\p{L}\p{N}\p{M}]+/gu, '-').replace(/^-|-$/g, '')
  // A title of punctuation only is still a title.
  return slug === '' ? encodeURIComponent(text.trim()) : slug
}

function parseBase(kind: ItemKind, scheme: string, value: string): KeyBase | undefined {
  if (scheme === 'title') {
    const match = /^([^:\s]+):(\d{1,4})?$/u.exec(value)
    if (match === null || (kind !== 'movie' && kind !== 'show')) return undefined
    return { kind, by: 'title', slug: match[1]!, year: match[2] === undefined ? null : Number(match[2]) }
  }
  if (!Object.hasOwn(ID_SCHEMES, scheme)) return undefined
  const known = scheme as IdScheme
  const id = unescapeText(value)
  if (ID_SCHEMES[known].rank === null || id === undefined || normaliseId(known, id) !== id) return undefined
  return { kind, by: 'id', scheme: known, id }
}

function toMark([, epoch, date, id]: RegExpExecArray): PlayMark {
  if (epoch !== undefined) return { epochSeconds: Number(epoch) }
  return date === undefined ? { eventId: unescapeText(id!) ?? '' } : { date }
}

function escapeText(text: string): string {
  return text.toWellFormed().replace(/[%#@\s]/gu, (sign) => encodeURIComponent(sign))
}

function unescapeText(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
