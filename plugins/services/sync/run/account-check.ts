// Whether the profiles of a run still reach the accounts that its plan was made for: people may sign in meanwhile.
import type { Side } from '@playhead/sdk'
import type { FeatureRun } from '../feature-run.ts'
import type { Applicable } from '../plan/planned.ts'

/** Why nothing more is sent: `account_changed`, or `account_unknown` if the service does not say it any more. */
export type Doubts = { [side in Side]?: string }

export interface AccountCheck {
  readonly doubts: Doubts
  /**
   * Nothing may be sent if it is false. Asks the service only if the credentials changed since it was asked last, or if
   * another account was found than the planned one.
   */
  isSure(side: Side): Promise<boolean>
}

/** Plans for accounts that were never read are for the accounts of the first batch. */
export function createAccountCheck({ engine, sides }: FeatureRun, { reads = {} }: Applicable): AccountCheck {
  const doubts: Doubts = {}
  const planned: { [side in Side]?: string | undefined } = { a: reads.a?.account, b: reads.b?.account }
  const tells = { a: false, b: false }
  return {
    doubts,
    async isSure(side) {
      const { provider, instance } = sides[side]
      let account = await engine.accounts.reached(provider, instance)
      if (account !== undefined) {
        tells[side] = true
        planned[side] ??= account
        // What was found may be older than the plan: a store that was cleared, a server that was set up again.
        if (account !== planned[side]) ({ account } = await engine.accounts.health(provider, instance, { fresh: true }))
        if (account === undefined) doubts[side] = 'account_unknown'
        else if (account !== planned[side]) doubts[side] = 'account_changed'
      } else if (tells[side]) doubts[side] = 'account_unknown'
      return doubts[side] === undefined
    },
  }
}
