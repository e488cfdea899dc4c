// Holding an account while it is captured or restored.
import { accountLabel, type WorkHold } from '@playhead/sdk'
import type { Named } from '../account.ts'
import type { Parts } from '../parts.ts'

export type HeldFor = 'capture' | 'restore'

function describe({ provider, instance, description }: Named, kind: HeldFor, what: string) {
  return { kind, label: `${what} ${accountLabel(description.label, instance)}`, accounts: [{ provider, instance }] }
}

/** Throws `PLH_CONFLICT` (`busy`) while something else uses the account. */
export function hold({ holds }: Parts, named: Named, kind: HeldFor, what: string): WorkHold {
  return holds.begin(describe(named, kind, what))
}

export function holdWhenFree(
  { holds }: Parts,
  named: Named,
  kind: HeldFor,
  what: string,
  signal?: AbortSignal,
): Promise<WorkHold> {
  return holds.beginWhenFree(describe(named, kind, what), signal === undefined ? {} : { signal })
}
