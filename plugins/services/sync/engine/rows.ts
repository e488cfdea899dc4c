// The rows of one side in memory: each a piece of JSON, and what the feature says about it. Objects are made only when they are needed.
import { createHash } from 'node:crypto'
import {
  createColumn, createPackedJson, createPackedTexts, fingerprint, formatKey, formatPlayKey, type IdScheme, ID_SCHEMES, type Item, ITEM_TYPES, keyOf, markOf,
  minimise, playOf, type Shape,
} from '@playhead/sdk'
import { createNumberLists } from './number-lists.ts'

export interface SideRows {
  readonly size: number
  item(index: number): Item
  json(index: number): string
  value(index: number): string
  evidence(index: number): number | undefined
  rank(index: number): number | undefined
  /** Of the row's text: the same row as in another run has the same number. */
  fingerprint(index: number): number
  /** Why the row is left alone. */
  skip(index: number): string | undefined
  /** Characters of all rows. */
  readonly textLength: number
  /** From now on the row is left alone. */
  leave(index: number, why: string): void
  /** Numbers of its tokens, as `createSideRows` was told to make them. */
  tokens(index: number): readonly number[]
  /** @param kept the text of the row, where it was kept before */
  add(item: Item, shape: Shape, kept?: string): void
  /** Of the texts of all rows in their order. Rows with one digest are the same rows, to the letter. */
  digest(rest: () => Promise<void>): Promise<string>
  /** After its last use. Only `size` is known afterwards. */
  release(): void
}

/** @param numbersOf tokens of a row as numbers. Made while the row is at hand: to make them later it had to be parsed again. */
export function createSideRows(numbersOf: (item: Item) => readonly number[] = () => []): SideRows {
  const texts = createPackedJson()
  const tokens = createNumberLists()
  const values = createPackedTexts()
  const evidences = createColumn(Float64Array, Number.NaN)
  const fingerprints = createColumn(Float64Array)
  const ranks = createColumn(Float64Array, Number.NaN)
  const skips = new Map<number, string>()
  let textLength = 0
  let digest: { readonly size: number; readonly text: string } | undefined

  return {
    get size() { return texts.size },
    get textLength() { return textLength },
    item: (index) => JSON.parse(texts.get(index)) as Item,
    json: (index) => texts.get(index),
    value: (index) => values.get(index),
    evidence: (index) => orNone(evidences.at(index)),
    rank: (index) => orNone(ranks.at(index)),
    fingerprint: (index) => fingerprints.at(index),
    skip: (index) => skips.get(index),
    leave: (index, why) => void skips.set(index, why),
    tokens: (index) => tokens.get(index),
    add(item, shape, kept) {
      const index = texts.size
      const text = kept ?? JSON.stringify(minimise(item))
      texts.add(text)
      textLength += text.length
      tokens.add(numbersOf(item))
      fingerprints.push(fingerprint(text))
      const used = 'value' in shape
      values.add(used ? shape.value : '')
      if (used && shape.evidenceMs !== undefined) evidences.set(index, shape.evidenceMs)
      if (used && shape.rank !== undefined) ranks.set(index, shape.rank)
      if (!used) skips.set(index, shape.skip)
      else if (item.transient === true) skips.set(index, 'transient')
    },
    async digest(rest) {
      if (digest?.size === texts.size) return digest.text
      const hash = createHash('sha256')
      for (const piece of texts.pieces()) {
        hash.update(piece)
        await rest()
      }
      digest = { size: texts.size, text: hash.digest('hex') }
      return digest.text
    },
    release() {
      for (const list of [texts, tokens, values, evidences, fingerprints, ranks]) list.release()
    },
  }
}

function orNone(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value
}

/** A row that can be told apart; others are reported and never synced. */
export function isUsable(item: Item): boolean {
  return typeof item === 'object' && item !== null && (ITEM_TYPES as readonly string[]).includes(item.type)
    && isIds(item.ids) && (item.show_ids === undefined || isIds(item.show_ids)) && keyOf(item).ok
}

export function itemKey(item: Item): string {
  const key = keyOf(item)
  return key.ok ? formatKey(key.value) : `unknown:${item.title ?? ''}`
}

/** The canonical key of an item, or of a play of it. */
export function rowKey(item: Item, plays: boolean): string {
  const key = keyOf(item)
  if (!key.ok) return itemKey(item)
  const play = plays ? playOf(item) : undefined
  return play?.ok === true ? formatPlayKey({ item: key.value, mark: markOf(play.value) }) : formatKey(key.value)
}

export interface ForAccount {
  readonly current?: Item
  readonly sameProvider: boolean
}

/** What may be sent to another account: nothing that only the account it came from understands. */
export function forAccount(item: Item, { current, sameProvider }: ForAccount): Item {
  const { native: _native, library_id: _library, transient: _transient, ...rest } = item
  const kept = (ids: Item['ids']): Item['ids'] => Object.fromEntries(Object.entries(ids).filter(([scheme]) => {
    const reach = ID_SCHEMES[scheme as IdScheme]?.reach
    return reach === 'anywhere' || (sameProvider ? reach === 'provider' : reach === 'provider' && scheme !== 'guid')
  }))
  return {
    ...rest, ids: kept(item.ids),
    ...(item.show_ids === undefined ? {} : { show_ids: kept(item.show_ids) }),
    ...(current?.native === undefined ? {} : { native: current.native }),
  }
}

function isIds(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    && Object.values(value).every((id) => id === undefined || typeof id === 'string')
}
