// New versions of plugins from npm are on trial: if one fails to start or is unloaded soon, the previous one returns.
// The trial is stored in the registry file, so it survives the process.
import type { Packages } from '../../packages/packages.ts'
import type { Notifier } from '../show/notifier.ts'
import type { Slot } from '../compose/slot.ts'

const TRIAL_MS = 10 * 60_000

export interface Trials {
  /** The version in the registry could not be loaded, or was unloaded because of faults. */
  failed(slot: Slot, reason: string): void
  started(slot: Slot): void
  /** Resolves when no version is being rolled back. */
  settled(): Promise<void>
  close(): void
}

interface TrialsDependencies {
  readonly packages: Packages
  readonly notifier: Notifier
  /** Reloads the plugin according to the registry. */
  readonly rescan: () => Promise<void>
  readonly trialMs?: number | undefined
}

export function createTrials({ packages, notifier, rescan, trialMs = TRIAL_MS }: TrialsDependencies): Trials {
  const running = new Set<Promise<void>>()
  const timers = new Map<string, NodeJS.Timeout>()

  function during(slot: Slot, work: () => Promise<void>): void {
    const task: Promise<void> = work()
      .catch((error: unknown) => notifier.log(slot).error({ err: error }, 'the registry could not be changed'))
      .finally(() => running.delete(task))
    running.add(task)
  }

  /** The version on trial; undefined for plugins that are not from npm, and after the trial. */
  const onTrial = ({ registered }: Slot): string | undefined =>
    registered.package?.trial === undefined ? undefined : registered.package.live?.version

  return {
    failed(slot, reason) {
      const version = onTrial(slot)
      const previous = slot.registered.package?.previous?.version
      if (version === undefined || previous === undefined) return
      during(slot, async () => {
        if (!(await packages.rollBackTrial(slot.id, version, reason))) return
        slot.breaker.reset()
        await rescan()
        notifier
          .log(slot)
          .error({ from: version, to: previous }, `version ${version} was rolled back to ${previous}: ${reason}`)
        notifier.publish('plugin.rolled_back', slot, { from: version, to: previous, reason })
      })
    },
    started(slot) {
      const version = onTrial(slot)
      clearTimeout(timers.get(slot.id))
      if (version === undefined || slot.state.live?.staged.manifest.version !== version) return
      during(slot, () => packages.noteTrial(slot.id, version, 'running'))
      const over = () => during(slot, () => packages.noteTrial(slot.id, version, 'over'))
      timers.set(slot.id, setTimeout(over, trialMs).unref())
    },
    async settled() {
      while (running.size > 0) await Promise.all(running)
    },
    close() {
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}
