// Blocks: names of items that are not to be written. A block is a key (`movie:tmdb:603`, `tmdb:76479#s01e02`,
// `movie|title:heat|year:1995`), an id of the item (`imdb:tt0113277`), or `title:<title>|year:<year>`; the key of a play
// has its time (`tmdb:603@1782936900`). The case of letters does not matter.
import { normaliseId, schemeOf, SCHEMES } from './id-schemes.ts'
import type { Item } from './item.ts'
import { formatPart } from './key.ts'
import { ownIds, partOf } from './key-of.ts'
import { kindOf, parseType } from './kind.ts'
import { itemKey, rowKey } from './row-key.ts'
import { foldCase } from './text.ts'
import { plainTitle, tokensOf } from './tokens.ts'

export const MAX_BLOCK_LENGTH = 512

const BY_ID =
  /^(?:(movie|show|season|episode):)?([a-z]+):([^#@|]+?)(?:#(?:season:(\d{1,6})|s(\d{1,6})e(\d{1,6})))?(@.+)?$/
const BY_SLUG = /^(?:movie|show):title:[^:\s#@]+:\d{0,4}(?:#season:\d+|#s\d{2,}e\d{2,})?(?:@.+)?$/u
const BY_TITLE = /^(?:([a-z]+)\|)?title:(.+)\|year:(\d{0,4})(#season:\d+|#s\d{2,}e\d{2,})?$/u
const MARK = /^@(?:\d{7,}|date:\d{4}-\d{2}-\d{2}|id:.+)$/u
const CONTROL = /\p{Cc}/u

/** The normalized text for comparing a block; undefined if the text is not a block. */
export function blockName(text: string): string | undefined {
  if (text.length > MAX_BLOCK_LENGTH || CONTROL.test(text) || !text.isWellFormed()) return undefined
  const low = foldCase(text.trim())
  const titled = BY_TITLE.exec(low)
  if (titled !== null) {
    const [, type, title, year, part = ''] = titled
    const kind = type === undefined ? undefined : parseType(type)
    if (kind?.ok === false || plainTitle(title!) === '') return undefined
    return `${kind === undefined ? '' : `${kindOf({ type: kind.value })}|`}title:${plainTitle(title!)}|year:${year}${part}`
  }
  if (BY_SLUG.test(low)) return low
  const [, kind, name, value, season, ofEpisode, episode, mark = ''] = BY_ID.exec(low) ?? []
  const scheme = name === undefined ? undefined : schemeOf(name)
  const id = scheme === undefined ? undefined : normaliseId(scheme, value)
  if (id === undefined || (mark !== '' && !MARK.test(mark))) return undefined
  const part =
    season === undefined
      ? ofEpisode === undefined
        ? ''
        : formatPart({ season: Number(ofEpisode), episode: Number(episode) })
      : formatPart({ season: Number(season) })
  return `${kind === undefined ? '' : `${kind}:`}${scheme}:${id.toLowerCase()}${part}${mark}`
}

/** Blocks as written, without those equal to an earlier one. */
export function distinctBlocks(texts: Iterable<string>): string[] {
  const known = new Map<string, string>()
  for (const text of texts) {
    const name = blockName(text)
    if (name !== undefined && !known.has(name)) known.set(name, text.trim())
  }
  return [...known.values()]
}

/** All names by which a block can mean the item. */
export function blockNames(item: Item, plays: boolean): string[] {
  const names = new Set<string>()
  const whole = rowKey(item, plays)
  const at = whole.indexOf('@')
  const mark = at === -1 ? '' : whole.slice(at)
  const add = (name: string) => {
    for (const each of mark === '' ? [name] : [name, name + mark]) names.add(foldCase(each))
  }
  for (const name of [itemKey(item), ...tokensOf(item, { within: 'account' })]) {
    add(name)
    add(name.replace(/^(?:movie|show|season|episode):/, ''))
  }
  const own = ownIds(item)
  for (const scheme of SCHEMES) if (own[scheme] !== undefined) add(`${scheme}:${own[scheme]}`)
  const kind = kindOf(item)
  const part = partOf(item)
  const isWork = kind === 'movie' || kind === 'show'
  const title = plainTitle(isWork ? item.title : part === undefined ? null : item.series_title)
  if (title !== '') {
    const year = (isWork ? item.year : item.series_year) ?? ''
    const name = `title:${title}|year:${year}${isWork ? '' : formatPart(part!)}`
    names.add(name)
    names.add(`${kind}|${name}`)
  }
  return [...names]
}
