// Problems that people chose to hide. Stored in the plugin's storage, so that they survive restarts.
import { createTurns, type KeyValueStore, PlayheadError } from '@playhead/sdk'
import type { Exclusion } from './pass/view.ts'

export interface Exclusions {
  list(): Promise<readonly Exclusion[]>
  add(one: Exclusion): Promise<readonly Exclusion[]>
  /** False if it does not exist. */
  remove(one: Exclusion): Promise<boolean>
}

const KEY = 'exclusions'
const MAX = 5_000

export function createExclusions(store: KeyValueStore): Exclusions {
  const inTurn = createTurns()
  const list = async () => (await store.get<readonly Exclusion[]>(KEY)) ?? []
  return {
    list,
    add: (one) =>
      inTurn(async () => {
        const known = await list()
        if (known.some((other) => isSame(one, other))) return known
        if (known.length >= MAX)
          throw new PlayheadError('PLH_CONFLICT', `There are ${MAX} exclusions already. Exclude whole types instead.`, {
            wire: 'too_many_exclusions',
          })
        const next = [...known, one]
        await store.set(KEY, next)
        return next
      }),
    remove: (one) =>
      inTurn(async () => {
        const known = await list()
        const next = known.filter((other) => !isSame(one, other))
        if (next.length === known.length) return false
        await store.set(KEY, next)
        return true
      }),
  }
}

function isSame(a: Exclusion, b: Exclusion): boolean {
  return a.type === b.type && a.provider === b.provider && a.feature === b.feature && a.key === b.key
}
