// Checks whether the profiles of a run still reach the accounts of its plan, because people may sign in meanwhile.
import { failureCode, isPlayheadError, type Side } from '@playhead/sdk'
import type { FeatureRun } from '../feature-run.ts'
import type { Applicable } from '../plan/planned.ts'

/**
 * Why sending stopped: `account_changed`, `account_unknown` if the service no longer reports the account,
 * `provider_missing` if its plugin was removed, or why the service could not be reached.
 */
export type Doubts = { [side in Side]?: string }

export type AccountCheck = ReturnType<typeof createAccountCheck>

/** A plan for accounts that were never read takes the accounts of the first batch. */
export function createAccountCheck({ engine, sides }: FeatureRun, { reads = {} }: Applicable) {
  const doubts: Doubts = {}
  const planned: { [side in Side]?: string | undefined } = { a: reads.a?.account, b: reads.b?.account }
  const tells = { a: false, b: false }
  async function ask(side: Side): Promise<void> {
    const { provider, instance } = sides[side]
    let account = await engine.accounts.reached(provider, instance)
    if (account !== undefined) {
      tells[side] = true
      planned[side] ??= account
      // The known account may be older than the plan, for example after a cleared store or a newly installed server.
      if (account !== planned[side]) ({ account } = await engine.accounts.health(provider, instance, { fresh: true }))
      if (account === undefined) doubts[side] = 'account_unknown'
      else if (account !== planned[side]) doubts[side] = 'account_changed'
    } else if (tells[side]) doubts[side] = 'account_unknown'
  }

  function doubt(side: Side, error: unknown): void {
    const isGone = isPlayheadError(error, 'PLH_NOT_FOUND') || isPlayheadError(error, 'PLH_CAPABILITY_GONE')
    doubts[side] = isGone ? 'provider_missing' : failureCode(error)
  }

  return {
    doubts,
    /** Stops sending because of an error; operations that were sent are settled as usual. */
    doubt,
    /**
     * If false, nothing may be sent. Queries the service only if the credentials changed since the last query, or if that query
     * found another account than the planned one.
     */
    async isSure(side: Side): Promise<boolean> {
      await ask(side).catch((error: unknown) => doubt(side, error))
      return doubts[side] === undefined
    },
  }
}
