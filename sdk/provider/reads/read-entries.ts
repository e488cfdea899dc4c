// Reads a feature from entries that several features share.
import { yieldToLoop } from '../../waiting.ts'
import type { ReadPart, ReadRequest } from './contract.ts'
import { readEnd, type ReadItem, rowParts, type Unreadable, wantedItems } from './read-end.ts'

/** An entry of a long series may be a thousand episodes. */
const ENTRIES_AT_ONCE = 25

export interface AccountEntries<Entry> {
  /** As `ReadEnd.account`. */
  readonly account: string
  readonly entries: readonly Entry[]
  /** Why they are not proven to be complete. */
  readonly flaw?: string | undefined
}

/**
 * The stream of a read: the items of each entry, in parts.
 *
 * @example
 * read: { ratings: async function* ({ library }, request, signal) {
 *   yield* readEntries(await library.get(signal), ratingItems, request)
 * } }
 */
export async function* readEntries<Entry>(
  { account, entries, flaw }: AccountEntries<Entry>,
  itemsOf: (entry: Entry) => readonly ReadItem[],
  request: Pick<ReadRequest, 'kinds'>,
): AsyncGenerator<ReadPart> {
  const unreadable: Unreadable[] = []
  for (let from = 0; from < entries.length; from += ENTRIES_AT_ONCE) {
    const items = entries.slice(from, from + ENTRIES_AT_ONCE).flatMap(itemsOf)
    yield* rowParts(wantedItems(items, request, unreadable))
    await yieldToLoop()
  }
  yield readEnd({ account, reason: flaw, unreadable })
}
