// Tokens: all names under which an item can match. Two accounts rarely agree on the best id, so rows match by any
// shared token, not by key. A token is written like a key and contains the kind.
import { contradicts } from './contradict.ts'
import { type Ids, type IdScheme, type Reach, reaches, SCHEMES, STRONG_SCHEMES } from './id-schemes.ts'
import type { Item } from './item.ts'
import { formatPart } from './key.ts'
import { ownIds, partOf } from './key-of.ts'
import { kindOf } from './kind.ts'
import { foldCase } from './text.ts'

export interface TokenOptions {
  /** The scope of the comparison. Default `anywhere`, in which only strong schemes count. */
  readonly within?: Reach
}

/**
 * @example
 * tokensOf({ type: 'episode', ids: { tvdb: '349232' }, show_ids: { tvdb: '121361' }, season: 1, episode: 1 })
 * // ['show:tvdb:121361#s01e01', 'episode:tvdb:349232']
 */
export function tokensOf(item: Item, { within = 'anywhere' }: TokenOptions = {}): string[] {
  const kind = kindOf(item)
  if (kind === 'movie' || kind === 'show') return idTokens(kind, item.ids, within)
  const part = partOf(item)
  const own = ownIds(item)
  const tokens =
    part === undefined ? [] : idTokens('show', item.show_ids ?? {}, within).map((token) => token + formatPart(part))
  for (const scheme of STRONG_SCHEMES) if (own[scheme] !== undefined) tokens.push(`${kind}:${scheme}:${own[scheme]}`)
  // Other ids of a part count only at their own server.
  if (within === 'account') tokens.push(...idTokens(kind, own, within).filter((token) => !tokens.includes(token)))
  return tokens
}

/** Type, exact title and year; undefined if one is missing. Ignores case and spaces. */
export function titleTokenOf(item: Item): string | undefined {
  const kind = kindOf(item)
  const part = partOf(item)
  const isWork = kind === 'movie' || kind === 'show'
  if (!isWork && part === undefined) return undefined
  const [title, year] = isWork ? [item.title, item.year] : [item.series_title, item.series_year]
  const text = plainTitle(title)
  if (text === '' || year === null || year === undefined) return undefined
  return `${kind}|title:${text}|year:${year}${part === undefined ? '' : formatPart(part)}`
}

/** A title for equality, without case and additional spaces; empty if there is none. */
export function plainTitle(title: string | null | undefined): string {
  return foldCase((title ?? '').toWellFormed())
    .trim()
    .replace(/\s+/gu, ' ')
}

/**
 * `conflict`: a shared token and contradictory strong ids. `ambiguous`: only the title matches, and one item has ids
 * that the other lacks; such an add is held.
 */
export type Comparison = 'same' | 'different' | 'conflict' | 'ambiguous'

export function compareItems(a: Item, b: Item, options: TokenOptions = {}): Comparison {
  const tokens = new Set(tokensOf(a, options))
  if (tokensOf(b, options).some((token) => tokens.has(token))) return contradicts(a, b) ? 'conflict' : 'same'
  const title = titleTokenOf(a)
  if (title === undefined || title !== titleTokenOf(b) || sharesScheme(a, b, options)) return 'different'
  return hasTokens(a, options) || hasTokens(b, options) ? 'ambiguous' : 'same'
}

/**
 * True if both items have ids of a common scheme. If they do not match, they are different works, even with equal
 * titles.
 */
export function sharesScheme(a: Item, b: Item, { within = 'anywhere' }: TokenOptions = {}): boolean {
  const both = (x: Ids, y: Ids) => REACHING[within].some((scheme) => x[scheme] !== undefined && y[scheme] !== undefined)
  return both(ownIds(a), ownIds(b)) || both(a.show_ids ?? {}, b.show_ids ?? {})
}

function hasTokens(item: Item, options: TokenOptions): boolean {
  return tokensOf(item, options).length > 0
}

function idTokens(kind: string, ids: Ids, within: Reach): string[] {
  const tokens: string[] = []
  for (const scheme of REACHING[within]) {
    const id = ids[scheme]
    if (id !== undefined) tokens.push(`${kind}:${scheme}:${id}`)
  }
  return tokens
}

const reachingSchemes = (within: Reach): readonly IdScheme[] => SCHEMES.filter((scheme) => reaches(scheme, within))
const REACHING: Readonly<Record<Reach, readonly IdScheme[]>> = {
  anywhere: reachingSchemes('anywhere'),
  provider: reachingSchemes('provider'),
  account: reachingSchemes('account'),
}
