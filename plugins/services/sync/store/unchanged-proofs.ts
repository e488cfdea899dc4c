// Unchanged proofs: the result of the last run of a pair and feature without remaining work.
import type { Feature, Side, Tables } from '@playhead/sdk'
import type { Counts } from '../contract.ts'

export interface UnchangedProof {
  /** Hash of the rows of both sides and of all other inputs. */
  readonly of: string
  /** The proof ends with this run of the pair, or at this time (epoch milliseconds), because an operation is retried then. */
  readonly untilRun: number
  readonly untilMs: number
  readonly counts: Counts
  readonly unresolved: number
  /** Absent in older proofs. */
  readonly notInLibrary?: number
  readonly read: Readonly<Record<Side, number>>
}

export interface UnchangedProofs {
  get(pairId: string, feature: Feature): Promise<UnchangedProof | undefined>
  set(pairId: string, feature: Feature, proof: UnchangedProof | undefined): Promise<void>
  /** Called after any change to the stored state of pairs or accounts. */
  clear(): Promise<void>
}

export function createUnchangedProofs(db: Tables): UnchangedProofs {
  return {
    async get(pairId, feature) {
      const row = await db
        .selectFrom('sync__rest')
        .select('rest')
        .where(({ and }) => and({ pair_id: pairId, feature }))
        .executeTakeFirst()
      if (row === undefined) return undefined
      const proof = JSON.parse(String(row['rest'])) as UnchangedProof
      return { ...proof, untilRun: proof.untilRun ?? Infinity, untilMs: proof.untilMs ?? Infinity }
    },
    async set(pairId, feature, proof) {
      if (proof === undefined)
        await db
          .deleteFrom('sync__rest')
          .where(({ and }) => and({ pair_id: pairId, feature }))
          .execute()
      else {
        // Infinity is stored as null.
        const row = { pair_id: pairId, feature, rest: JSON.stringify(proof) }
        await db
          .insertInto('sync__rest')
          .values(row)
          .onConflict((conflict) => conflict.columns(['pair_id', 'feature']).doUpdateSet({ rest: row.rest }))
          .execute()
      }
    },
    clear: async () => void (await db.deleteFrom('sync__rest').execute()),
  }
}
