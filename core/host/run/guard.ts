// Wraps every call into a plugin: attribution, lease, time limit, and one report per failure.
import { PlayheadError, withTimeLimit } from '@playhead/sdk'
import { runAs, type Owner } from './attribution.ts'
import type { Generation, LeaseKind } from './generation.ts'

export type ReportFault = (owner: Owner, what: string, error: unknown) => void

interface GuardedCall {
  readonly generation: Generation
  readonly kind: LeaseKind
  /** Names the call in reports, for example `hook configSaved`. */
  readonly what: string
  readonly limitMs: number | null
}

/** Runs the work; a failure is reported and rethrown. */
export async function guarded<Result>(
  call: GuardedCall,
  report: ReportFault,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const { generation } = call
  const owner: Owner = { ...generation.owner, work: call.kind }
  const release = generation.lease(call.kind)
  try {
    const running = runAs(owner, async () => work())
    if (call.limitMs === null) return await running
    return await withTimeLimit(
      running,
      call.limitMs,
      () =>
        new PlayheadError(
          'PLH_HOOK_TIMEOUT',
          `Plugin "${owner.plugin}" did not end ${call.what} within ${call.limitMs} ms.`,
        ),
    )
  } catch (error) {
    report(owner, call.what, error)
    throw error
  } finally {
    release()
  }
}
