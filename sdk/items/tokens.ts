// Tokens: all names under which an item may meet its counterpart. Two accounts rarely agree on the best id, so rows are
// matched by any token that they share, never by their keys. A token is written like a key and carries the kind, so
// different kinds never meet.
import { type Ids, type IdScheme, type Reach, reaches, SCHEMES, STRONG_SCHEMES } from './id-schemes.ts'
import type { Item } from './item.ts'
import { formatPart } from './key.ts'
import { ownIds, partOf } from './key-of.ts'
import { kindOf } from './kind.ts'
import { strongConflicts } from './merge-ids.ts'

export interface TokenOptions {
  /** How far apart the accounts of the compared rows are. Default `anywhere`, which lets only strong schemes count. */
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
  // Of the other ids of a part only those count that name it to its own server.
  if (within === 'account') tokens.push(...idTokens(kind, own, within).filter((token) => !tokens.includes(token)))
  return tokens
}

/** Type, exact title and year, or undefined when one is missing. Letters' case and spaces do not count. */
export function titleTokenOf(item: Item): string | undefined {
  const kind = kindOf(item)
  const part = partOf(item)
  const isWork = kind === 'movie' || kind === 'show'
  if (!isWork && part === undefined) return undefined
  const [title, year] = isWork ? [item.title, item.year] : [item.series_title, item.series_year]
  const text = (title ?? '').normalize('NFC').toLowerCase().trim().replace(/\s+/gu, ' ')
  if (text === '' || year === null || year === undefined) return undefined
  return `${kind}|title:${text}|year:${year}${part === undefined ? '' : formatPart(part)}`
}

/**
 * What two items are to each other. `conflict`: they share a token and contradict each other in a strong id.
 * `ambiguous`: nothing but the title speaks for it, and at least one of them has ids that the other lacks; such an add
 * is held, not made.
 */
export type Comparison = 'same' | 'different' | 'conflict' | 'ambiguous'

export function compareItems(a: Item, b: Item, options: TokenOptions = {}): Comparison {
  const tokens = new Set(tokensOf(a, options))
  if (tokensOf(b, options).some((token) => tokens.has(token))) return contradicts(a, b) ? 'conflict' : 'same'
  const title = titleTokenOf(a)
  if (title === undefined || title !== titleTokenOf(b) || sharesScheme(a, b, options)) return 'different'
  return hasTokens(a, options) || hasTokens(b, options) ? 'ambiguous' : 'same'
}

/** True when a strong scheme names two works. The ids of the shows count as well. */
export function contradicts(a: Item, b: Item): boolean {
  return strongConflicts(ownIds(a), ownIds(b)).length > 0 || strongConflicts(a.show_ids, b.show_ids).length > 0
}

/** True when both could have named each other by an id and did not: they are different works, whatever their titles. */
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
