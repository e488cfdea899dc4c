// Writes to one account: one order per operation, however many positions.
import { type AccountChange, type ActionOutcome, type Actions, defined, type Feature, type Remote } from '@playhead/sdk'
import { formatTime } from '@playhead/sdk/items'
import { itemToWrite } from '@playhead/sdk/sync'
import type { Profile } from '../profiles.ts'
import type { Entry } from '../read/entry.ts'
import type { Step } from './outcomes.ts'

export type Writer = Pick<Remote<Actions>, 'act' | 'outcomes'>

export interface Position {
  readonly percent: number
  readonly positionMs?: number
}

/** How long a response waits for a sync of the account. */
const WAIT_MS = 10_000
const CAUSE = 'playback_progress'

export interface AccountWrites {
  removePositions(entries: readonly Entry[]): Promise<ReadonlyMap<Entry, Step>>
  addPlays(entries: readonly Entry[], watchedAt: (entry: Entry) => string): Promise<ReadonlyMap<Entry, Step>>
  setPositions(entries: readonly Entry[], positionOf: (entry: Entry) => Position): Promise<ReadonlyMap<Entry, Step>>
}

export function createAccountWrites(
  writer: Writer,
  { provider, instance, progress, history }: Profile,
  now: () => number,
): AccountWrites {
  async function write(
    feature: Feature,
    entries: readonly Entry[],
    change: (entry: Entry) => Omit<AccountChange, 'key'>,
    plays = false,
  ): Promise<ReadonlyMap<Entry, Step>> {
    if (entries.length === 0) return new Map()
    const taken = new Set<string>()
    const changes = entries.map((entry) => {
      const key = taken.has(entry.key) ? `${entry.key} ${entry.remoteId}` : entry.key
      taken.add(key)
      return { key, ...change(entry) }
    })
    const about = { provider, instance, feature, ...(plays ? { plays } : {}), cause: CAUSE }
    // The person chose each position.
    const [report] = await writer.act([{ ...about, changes, approved: true, waitMs: WAIT_MS }])
    const { planId, outcomes } = report!
    return new Map(entries.map((entry, n) => [entry, { ...(outcomes[n] as ActionOutcome), planId }]))
  }

  return {
    removePositions: (entries) => write('progress', entries, ({ item }) => ({ op: 'remove', item, current: item })),
    addPlays: (entries, watchedAt) =>
      write(
        'history',
        entries,
        (entry) => ({
          op: 'add',
          item: { ...itemToWrite(entry.item, ['duration_ms']), watched: true, watched_at: watchedAt(entry) },
        }),
        history?.plays?.write === true,
      ),
    setPositions: (entries, positionOf) =>
      write('progress', entries, (entry) => {
        const { percent, positionMs } = positionOf(entry)
        const { item } = entry
        return {
          op: progress.update ? 'update' : 'add',
          item: {
            ...itemToWrite(item, ['duration_ms']),
            ...defined({ native: item.native, progress_ms: positionMs }),
            progress_percent: percent,
            progress_at: nowText(now()),
          },
          current: item,
        }
      }),
  }
}

export function nowText(nowMs: number): string {
  return formatTime({ atMs: nowMs, precision: 'second' })
}
