// Holding an account while it is captured or restored.
import { accountLabel, type WorkHold } from '@playhead/sdk'
import type { Named } from '../account.ts'
import type { Parts } from '../parts.ts'
import type { Job } from './jobs.ts'

type HeldFor = 'capture' | 'restore'

function describe({ provider, instance, description }: Named, kind: HeldFor, what: string) {
  return { kind, label: `${what} ${accountLabel(description.label, instance)}`, accounts: [{ provider, instance }] }
}

/** Throws `PLH_CONFLICT` (`busy`) while something else uses the account. */
export function hold({ holds }: Parts, named: Named, kind: HeldFor, what: string): WorkHold {
  return holds.begin(describe(named, kind, what))
}

/** Waits for what uses the account, and says so in the progress of the job. */
export function holdWhenFree(
  { holds }: Parts,
  named: Named,
  kind: HeldFor,
  what: string,
  { signal, waits: onWait }: Pick<Job, 'signal' | 'waits'>,
): Promise<WorkHold> {
  return holds.beginWhenFree(describe(named, kind, what), { signal, onWait })
}
