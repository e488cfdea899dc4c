// Reading watchlist, history and ratings: views of the library, or the word of the service that nothing changed.
import { type Item, kindOf, type ReadPart, type ReadRequest } from '@playhead/sdk'
import { isSame, isSettled, stampsOf } from './activities.ts'
import { decode, encode } from './checkpoint.ts'
import { type Entry, PARTS } from './entries.ts'
import { historyItems, ratingItems, watchlistItems } from './items.ts'
import type { Session } from './session.ts'

const CHUNK = 500
const MOST_UNREADABLE = 200

export interface View {
  readonly itemsOf: (entry: Entry) => Item[]
  /** The activities that move when anything in the view does. */
  readonly concerns: (name: string) => boolean
}

const OF_STATUS = new Set(['plantowatch', 'watching', 'completed', 'hold', 'dropped', 'removed_from_list'])

export const WATCHLIST: View = { itemsOf: watchlistItems, concerns: (name) => OF_STATUS.has(name) }
export const HISTORY: View = { itemsOf: historyItems, concerns: (name) => OF_STATUS.has(name) }
export const RATINGS: View = { itemsOf: ratingItems, concerns: (name) => name === 'rated_at' || name === 'removed_from_list' }

export async function* readLibrary(session: Session, view: View, request: ReadRequest, signal: AbortSignal): AsyncGenerator<ReadPart> {
  const { account } = await session.facts.get()
  const ofView = (stamps: Parameters<typeof stampsOf>[0]) => stampsOf(stamps, (group, name) => group !== 'settings' && view.concerns(name))
  const since = decode(request.since, account, session.now())
  if (since !== undefined && isSame(since.stamps, ofView(await session.activities.get()))) {
    yield { type: 'end', end: { complete: true, semantics: 'unchanged', account, checkpoint: encode(since) } }
    return
  }

  const { parts, stamps, fullAtMs } = await session.library.refresh(signal)
  const { kinds } = request
  const isWanted = (item: Item) => kinds === undefined || kinds.length === 0 || kinds.includes(kindOf(item))
  let rows: Item[] = []
  for (const part of PARTS) {
    for (const entry of parts[part].entries.values()) {
      rows.push(...view.itemsOf(entry).filter(isWanted))
      if (rows.length >= CHUNK) {
        yield { type: 'rows', rows }
        rows = []
      }
    }
  }
  if (rows.length > 0) yield { type: 'rows', rows }
  const unreadable = PARTS.flatMap((part) => parts[part].unreadable).slice(0, MOST_UNREADABLE)
  const known = ofView(stamps)
  const isSure = Object.keys(known).length > 0 && Object.values(known).every(isSettled)
  yield {
    type: 'end',
    end: {
      complete: true,
      semantics: 'present',
      account,
      ...(isSure ? { checkpoint: encode({ account, stamps: known, fullAtMs }) } : {}),
      ...(unreadable.length === 0 ? {} : {
        unreadable: unreadable.map((title) => ({ reason: 'no_identity', ...(title === undefined ? {} : { title }) })),
      }),
    },
  }
}
