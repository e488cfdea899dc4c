// The write procedure: read the current entries, decide item by item, and send the changes, ten per request.
import { defined, isPlayheadError, type Item } from '@playhead/sdk'
import {
  type ItemOutcome,
  outcomeOfError,
  type WriteItem,
  type WriteOutcome,
  type WriteResult,
} from '@playhead/sdk/provider'
import { type Change, CHANGES_OF_A_REQUEST, makeChanges } from './changes.ts'
import { lookUp } from './lookup.ts'
import type { Session } from '../session.ts'
import type { Found } from '../wire.ts'

export type Decision = { readonly change: Change } | { readonly outcome: ItemOutcome }

interface WritePlan {
  /** Decides the change for one item from the found work. */
  readonly decide: (media: Found, item: Item, current: Item | undefined) => Decision
  /** Number of items that are read together; small chunks keep the time between read and change short. */
  readonly together: number
  /** May be sent twice. */
  readonly repeatable: boolean
}

interface Meant {
  readonly key: string
  readonly change: Change
}

export async function writeEntries(
  session: Session,
  items: readonly WriteItem[],
  plan: WritePlan,
  signal: AbortSignal,
): Promise<WriteResult> {
  const outcomes = new Map<string, ItemOutcome>()
  let retryAfterMs: number | undefined
  /** Outcome of the remaining items after an error that affects all. */
  let rest: ItemOutcome | undefined

  const settle = (keys: readonly string[], error: unknown, isSent: boolean): void => {
    const failure = outcomeOfError(error)
    if (failure === undefined) throw error
    // A failed lookup changed nothing.
    const outcome: ItemOutcome =
      isSent || failure.outcome === 'rate_limited' ? failure : { outcome: 'failed', reason: failure.reason }
    for (const key of keys) outcomes.set(key, outcome)
    retryAfterMs = isPlayheadError(error) ? (error.retryAfterMs ?? retryAfterMs) : retryAfterMs
    rest =
      outcome.outcome === 'rate_limited'
        ? { outcome: 'rate_limited', reason: 'deferred' }
        : { outcome: 'failed', reason: failure.reason }
  }

  for (const group of inGroups(items, plan.together)) {
    if (rest !== undefined) break
    let meant: readonly Meant[]
    try {
      meant = await decideAll(session, group, plan, outcomes, signal)
    } catch (error) {
      settle(
        group.map(({ key }) => key),
        error,
        false,
      )
      break
    }
    for (const sent of inGroups(meant, CHANGES_OF_A_REQUEST)) {
      if (rest !== undefined) break
      try {
        const results = await makeChanges(
          session,
          sent.map((one) => one.change),
          plan.repeatable,
          signal,
        )
        sent.forEach(({ key }, index) => void outcomes.set(key, results[index] as ItemOutcome))
        if (results.some(({ outcome }) => outcome === 'rate_limited'))
          rest = { outcome: 'rate_limited', reason: 'deferred' }
      } catch (error) {
        settle(
          sent.map(({ key }) => key),
          error,
          true,
        )
      } finally {
        session.collection.drop()
      }
    }
  }
  return {
    outcomes: items.map(
      ({ key }): WriteOutcome => ({
        key,
        ...(outcomes.get(key) ?? rest ?? { outcome: 'unknown', reason: 'no_outcome' }),
      }),
    ),
    ...defined({ retryAfterMs }),
  }
}

async function decideAll(
  session: Session,
  group: readonly WriteItem[],
  { decide }: WritePlan,
  outcomes: Map<string, ItemOutcome>,
  signal: AbortSignal,
): Promise<Meant[]> {
  const find = await lookUp(
    session,
    group.map(({ item }) => item),
    signal,
  )
  const taken = new Set<number>()
  return group.flatMap(({ key, item, current }): Meant[] => {
    const found = find(item)
    if ('refused' in found) {
      outcomes.set(key, found.refused)
      return []
    }
    const decision = decide(found.media, item, current)
    if ('outcome' in decision) {
      outcomes.set(key, decision.outcome)
      return []
    }
    if (taken.has(found.media.id)) {
      outcomes.set(key, { outcome: 'rejected', reason: 'duplicate_target' })
      return []
    }
    taken.add(found.media.id)
    return [{ key, change: decision.change }]
  })
}

function inGroups<Value>(values: readonly Value[], size: number): Value[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  )
}
