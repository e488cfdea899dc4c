// Changes that people made with the analyzer, newest first, so that they can be undone.
import { createTurns, type AccountName, type AnalyzedFeature, type Item, type KeyValueStore } from '@playhead/sdk'
import { randomUUID } from 'node:crypto'

export interface ChangeRecord extends AccountName {
  readonly change_id: string
  readonly at_ms: number
  readonly feature: AnalyzedFeature
  readonly key: string
  readonly new_key: string
  readonly operation: 'patch' | 'fix' | 'delete'
  readonly before: Item | null
  readonly after: Item | null
  /** How the change was made: a plan of the library, the manual policy, or the stored rows alone. */
  readonly by: 'plan' | 'policy' | 'rows'
  readonly plan_id: string | null
  /** The manual add that it replaced. */
  readonly policy_before: Item | null
  /** Another undo would revert nothing more. */
  readonly undone: boolean
  /** The parts that the undo left unchanged, by reason; null if none. */
  readonly not_undone?: Readonly<Record<string, number>> | null
}

const KEY = 'changes'
const MAX = 200

export type ChangeStore = ReturnType<typeof createChangeStore>

export function createChangeStore(store: KeyValueStore) {
  const inTurn = createTurns()
  const list = async () => (await store.get<readonly ChangeRecord[]>(KEY)) ?? []
  return {
    list,
    add: (one: Omit<ChangeRecord, 'change_id' | 'at_ms' | 'undone' | 'not_undone'>): Promise<ChangeRecord> =>
      inTurn(async () => {
        const record = { ...one, change_id: randomUUID(), at_ms: Date.now(), undone: false }
        await store.set(KEY, [record, ...(await list())].slice(0, MAX))
        return record
      }),
    markUndone: (id: string, how: Pick<ChangeRecord, 'undone' | 'not_undone'>) =>
      inTurn(async () => {
        await store.set(
          KEY,
          (await list()).map((one) => (one.change_id === id ? { ...one, ...how } : one)),
        )
      }),
  }
}
