// Marks titles as watched: adds a play, then clears the position. One request never adds two plays to a title.
import type { Profile } from '../profiles.ts'
import type { Entry } from '../read/entry.ts'
import type { Reads } from '../read/reads.ts'
import { type AccountWrites, nowText, type Writer } from './account-writes.ts'
import { ALREADY, type Ending, endingOf, isDone, QUEUED, type Step, stepResult } from './outcomes.ts'
import { createRecent } from './recent.ts'
import { type Order, type Ready, rowKey, SAME_ACTION_MS, type Task } from './task.ts'

interface Marking {
  /** The result for a title that was just marked, or whose mark is pending. */
  before(order: Order, task: Task, via: Pick<Writer, 'outcomes'>): Promise<Ending | undefined>
  write(
    order: Order,
    profile: Profile,
    writes: AccountWrites,
    ready: readonly Ready[],
  ): Promise<ReadonlyMap<Entry, Ending>>
}

const WAITING: Ending = { ...QUEUED, reason: 'already_queued' }

export function createMarking(reads: Pick<Reads, 'invalidate'>, now: () => number): Marking {
  /** Times of plays that were added or may have been added. */
  const plays = createRecent<{ readonly watchedAt: string; readonly isDone: boolean }>(SAME_ACTION_MS, now)
  /** Plans of plays that wait for a sync of the account, by row. */
  const queued = new Map<string, string>()

  async function isQueued(task: Task, via: Pick<Writer, 'outcomes'>): Promise<boolean> {
    const planId = queued.get(rowKey(task))
    if (planId === undefined) return false
    // A deleted plan is no longer pending.
    const report = await via.outcomes(planId).catch(() => undefined)
    if (report?.isWaiting === true) return true
    queued.delete(rowKey(task))
    reads.invalidate(task.profile)
    return false
  }

  return {
    async before(order, task, via) {
      if (await isQueued(task, via)) return WAITING
      return plays.get(playKey(order, task))?.isDone === true ? ALREADY.mark_watched : undefined
    },
    async write(order, profile, writes, ready) {
      // A retry uses the time of the first attempt, so that a play that was recorded after all is recognized.
      const times = new Map(
        ready.map(({ task, entry }) => {
          const watchedAt = order.watchedAt ?? plays.get(playKey(order, task))?.watchedAt ?? nowText(now())
          plays.set(playKey(order, task), { watchedAt, isDone: false })
          return [entry, watchedAt]
        }),
      )
      const entries = ready.map(({ entry }) => entry)
      const added = await writes.addPlays(entries, (entry) => times.get(entry) as string)
      for (const { task, entry } of ready) {
        const step = added.get(entry)
        if (isDone(step)) plays.set(playKey(order, task), { watchedAt: times.get(entry) as string, isDone: true })
        if (step?.status === 'waiting') queued.set(rowKey(task), step.planId as string)
      }
      // While the play is queued, the position stays.
      const cleaned = profile.progress.remove
        ? await writes.removePositions(entries.filter((entry) => added.get(entry)?.ok === true))
        : new Map<Entry, Step>()
      return new Map(
        entries.map((entry) => [
          entry,
          endingOfTitle(entry, added.get(entry) as Step, cleaned.get(entry), times.get(entry) as string),
        ]),
      )
    },
  }
}

function endingOfTitle(entry: Entry, history: Step, cleanup: Step | undefined, watchedAt: string): Ending {
  return {
    ...endingOf(history, 'mark_watched'),
    history_result: stepResult(history),
    playback_cleanup_result: cleanup === undefined ? null : stepResult(cleanup),
    decision_context: { before_percent: entry.percent, watched_at: watchedAt },
  }
}

function playKey({ watchedAt = '' }: Order, task: Task): string {
  return `${rowKey(task)} ${watchedAt}`
}
