// Whether the profiles of a run still reach the accounts that its plan was made for: people may sign in meanwhile.
import { failureCode, isPlayheadError, type Side } from '@playhead/sdk'
import type { FeatureRun } from '../feature-run.ts'
import type { Applicable } from '../plan/planned.ts'

/**
 * Why nothing more is sent: `account_changed`, `account_unknown` if the service does not say it any more,
 * `provider_missing` if its plugin went away, or why the service could not be asked.
 */
export type Doubts = { [side in Side]?: string }

export interface AccountCheck {
  readonly doubts: Doubts
  /**
   * Nothing may be sent if it is false. Asks the service only if the credentials changed since it was asked last, or if
   * another account was found than the planned one.
   */
  isSure(side: Side): Promise<boolean>
  /** Nothing more is sent, because of an error; what was sent is settled as usual. */
  doubt(side: Side, error: unknown): void
}

/** Plans for accounts that were never read are for the accounts of the first batch. */
export function createAccountCheck({ engine, sides }: FeatureRun, { reads = {} }: Applicable): AccountCheck {
  const doubts: Doubts = {}
  const planned: { [side in Side]?: string | undefined } = { a: reads.a?.account, b: reads.b?.account }
  const tells = { a: false, b: false }
  async function ask(side: Side): Promise<void> {
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
  }

  function doubt(side: Side, error: unknown): void {
    const isGone = isPlayheadError(error, 'PLH_NOT_FOUND') || isPlayheadError(error, 'PLH_CAPABILITY_GONE')
    doubts[side] = isGone ? 'provider_missing' : failureCode(error)
  }

  return {
    doubts,
    doubt,
    async isSure(side) {
      await ask(side).catch((error: unknown) => doubt(side, error))
      return doubts[side] === undefined
    },
  }
}
