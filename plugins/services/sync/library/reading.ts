// The part of a read that runs on the main thread: requests rows from the provider and their shapes from the feature.
// Rows cross to the engine's thread as JSON texts, which are cheaper to copy than objects.
import {
  defined,
  featureCapability,
  PlayheadError,
  type PluginContext,
  providerCapability,
  type Shape,
  type SyncFeature,
} from '@playhead/sdk'
import { type Item, minimise } from '@playhead/sdk/items'
import { type Feature, noteUnreadable, type ReadEnd, type ReadRequest, type Unreadable } from '@playhead/sdk/provider'
import { isUsable } from './rows.ts'
import { isNameOnly } from './unreadable.ts'

export interface Shaping {
  readonly feature: Feature
  readonly input: Parameters<SyncFeature['shape']>[1]
}

interface ReadOrder {
  readonly provider: string
  readonly instance: string
  readonly request: ReadRequest
  readonly shaping: Shaping
}

type ShapedPart =
  | {
      readonly type: 'rows'
      /** Rows of the provider in this part, including unusable ones. */
      readonly given: number
      /** Usable rows as JSON, with known fields only. */
      readonly texts: readonly string[]
      /** One shape for each text. */
      readonly shapes: readonly Shape[]
      readonly total?: number
    }
  | { readonly type: 'end'; readonly end: ReadEnd & { readonly unreadable: readonly Unreadable[] } }

/** Rows from a provider without the unusable ones. */
export type UsablePart =
  | { readonly type: 'rows'; readonly given: number; readonly items: readonly Item[]; readonly total?: number }
  | Extract<ShapedPart, { readonly type: 'end' }>

export interface Reading {
  /** Throws what the provider throws, and `PLH_UPSTREAM_INVALID` for a stream that breaks the contract. */
  read(order: ReadOrder, signal: AbortSignal): AsyncIterable<ShapedPart>
}

/** Rows that cross to the engine's thread at once: a few milliseconds on the main thread. */
const BATCH = 500

export function createReading({ use }: Pick<PluginContext, 'use'>): Reading {
  return {
    async *read({ shaping, ...order }, signal) {
      for await (const part of usableParts(use, order, signal)) {
        if (part.type === 'end') {
          yield part
          continue
        }
        const { items, ...rest } = part
        yield { ...rest, texts: items.map((item) => JSON.stringify(item)), shapes: await shapesOf(use, items, shaping) }
      }
    },
  }
}

export async function shapesOf(
  use: PluginContext['use'],
  items: readonly Item[],
  { feature, input }: Shaping,
): Promise<readonly Shape[]> {
  if (items.length === 0) return []
  const shapes = await use(featureCapability(feature)).shape(items, input)
  if (shapes.length === items.length) return shapes
  throw new PlayheadError('PLH_UPSTREAM_INVALID', `The feature ${feature} returned the wrong number of shapes.`)
}

/** A provider's read in small parts, checked against the contract. Throws as `Reading.read`. */
export async function* usableParts(
  use: PluginContext['use'],
  { provider, instance, request }: Omit<ReadOrder, 'shaping'>,
  signal: AbortSignal,
): AsyncGenerator<UsablePart> {
  // A missing provider rejects with a promise instead of a stream.
  const stream = await use(providerCapability(provider)).read(instance, request, signal)
  const unreadable: Unreadable[] = []
  let end: ReadEnd | undefined
  for await (const part of stream) {
    if (end !== undefined) throw malformed(provider, 'a part after the end')
    if (part.type === 'end') {
      end = part.end
      continue
    }
    if (part.type !== 'rows' || !Array.isArray(part.rows))
      throw malformed(provider, 'a part is neither rows nor the end')
    const { total } = part
    for (let start = 0; start < Math.max(part.rows.length, 1); start += BATCH) {
      const rows = part.rows.slice(start, start + BATCH)
      yield {
        type: 'rows',
        given: rows.length,
        items: rows.flatMap((row) => usable(row, unreadable) ?? []),
        ...defined({ total }),
      }
    }
  }
  if (end === undefined) return
  if (typeof end.account !== 'string') throw malformed(provider, 'an end without an account')
  for (const row of end.unreadable ?? []) noteUnreadable(unreadable, row)
  // Without this check a lost row would look like a removal.
  for (const row of end.gone ?? []) usable(row, unreadable)
  yield { type: 'end', end: { ...end, unreadable } }
}

function usable(row: Item, unreadable: Unreadable[]): Item | undefined {
  const isKnown = isUsable(row)
  const item = isKnown ? minimise(row) : row
  const title = typeof item?.title === 'string' ? { title: item.title } : {}
  // A title that was shortened may identify nothing any more.
  const isShort = isKnown && (item.title !== row.title || item.series_title !== row.series_title)
  if (!isKnown || (isShort && !isUsable(item))) {
    noteUnreadable(unreadable, { reason: 'missing_ids', ...title })
    return undefined
  }
  if (isNameOnly(item)) noteUnreadable(unreadable, { reason: 'title_only', ...title })
  return item
}

export function malformed(provider: string, what: string): PlayheadError {
  return new PlayheadError('PLH_UPSTREAM_INVALID', `${provider} sent a malformed read: ${what}.`)
}
