// Writes to one account through plans of the library: one plan per operation, however many positions.
import { type AccountChange, defined, type Feature, type LibraryService, type Remote } from '@playhead/sdk'
import { formatTime } from '@playhead/sdk/items'
import { itemToWrite } from '@playhead/sdk/sync'
import type { Profile } from '../profiles.ts'
import type { Entry } from '../read/entry.ts'
import { QUEUED, type Step, stepOf, stepOfError } from './outcomes.ts'

export type Writer = Pick<Remote<LibraryService>, 'plan' | 'applyWhenFree' | 'outcomes'>

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

export function createAccountWrites(writer: Writer, profile: Profile, now: () => number): AccountWrites {
  async function write(
    feature: Feature,
    entries: readonly Entry[],
    change: (entry: Entry) => Omit<AccountChange, 'key'>,
    plays = false,
  ): Promise<ReadonlyMap<Entry, Step>> {
    if (entries.length === 0) return new Map()
    const byKey = new Map<string, Entry>()
    for (const entry of entries) byKey.set(byKey.has(entry.key) ? `${entry.key} ${entry.remoteId}` : entry.key, entry)
    const all = (step: Step) => new Map(entries.map((entry) => [entry, step]))
    try {
      const { planId } = await writer.plan({
        provider: profile.provider,
        instance: profile.instance,
        feature,
        ...(plays ? { plays } : {}),
        changes: [...byKey].map(([key, entry]) => ({ key, ...change(entry) })),
        cause: CAUSE,
      })
      // The person chose each position.
      const outcomes = await writer.applyWhenFree(planId, { approved: true, waitMs: WAIT_MS })
      if (outcomes === null) return all({ ...QUEUED, planId })
      const told = new Map(outcomes.map((outcome) => [outcome.key, outcome]))
      return new Map(
        [...byKey].map(([key, entry]) => [
          entry,
          stepOf(told.get(key) ?? { outcome: 'unknown', reason: 'no_outcome' }),
        ]),
      )
    } catch (error) {
      return all(stepOfError(error))
    }
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
        profile.history?.plays?.write === true,
      ),
    setPositions: (entries, positionOf) =>
      write('progress', entries, (entry) => {
        const { percent, positionMs } = positionOf(entry)
        const { item } = entry
        return {
          op: profile.progress.update ? 'update' : 'add',
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
  return formatTime({ atMs: Math.floor(nowMs / 1_000) * 1_000, precision: 'second' })
}
