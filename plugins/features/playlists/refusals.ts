// Items that a list rejected, and the time of their next attempt.
import type { RefusedItem } from '@playhead/sdk'
import { LONGEST_REFUSAL_MS, refusalName } from './draft-list.ts'
import type { Group } from './groups.ts'
import type { WrittenList } from './written.ts'

const FIRST_MS = 15 * 60_000
const FACTOR = 4

/** Items that are still to be added: rejected now or before, or accepted and not shown. */
export function nextRefused(
  before: readonly RefusedItem[],
  groups: readonly Group[],
  lists: readonly WrittenList[],
  { copies, nowMs }: { readonly copies: boolean; readonly nowMs: number },
): readonly RefusedItem[] {
  const waiting = waitingKeys(groups, copies)
  const known = new Map(before.map((one) => [refusalName(one.list, one.key), one]))
  const tried = lists.flatMap(({ id: list, now, adds, done, unsure, refused }) =>
    adds.flatMap(({ key }): RefusedItem[] => {
      const reason = refused.get(key) ?? (done.has(key) ? 'not_shown' : undefined)
      if (reason === undefined) return []
      const attempts = (known.get(refusalName(list, key))?.attempts ?? 0) + 1
      // Adding again is harmless if the list holds each item once.
      const isHarmless = unsure.has(key) && !now.duplicates && attempts === 1
      return [{ key, list, reason, attempts, retryAtMs: nowMs + (isHarmless ? 0 : delayMs(attempts)) }]
    }),
  )
  for (const one of tried) known.set(refusalName(one.list, one.key), one)
  const source = lists.find(({ isSource }) => isSource)?.id
  return [...known.values()].filter(({ list, key }) =>
    list === source ? waiting.forSource.has(key) : waiting.forTargets.has(key),
  )
}

function delayMs(attempts: number): number {
  return Math.min(LONGEST_REFUSAL_MS, FIRST_MS * FACTOR ** (attempts - 1))
}

function waitingKeys(
  groups: readonly Group[],
  copies: boolean,
): { readonly forSource: ReadonlySet<string>; readonly forTargets: ReadonlySet<string> } {
  const missing = groups.map(({ source, targets }) => ({
    forTargets: copies || targets.length === 0 ? source.slice(targets.length) : [],
    forSource: source.length === 0 ? targets : [],
  }))
  return {
    forSource: new Set(missing.flatMap(({ forSource }) => forSource.map(({ key }) => key))),
    forTargets: new Set(missing.flatMap(({ forTargets }) => forTargets.map(({ key }) => key))),
  }
}
