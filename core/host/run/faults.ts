// Handles run-time failures of plugins: records, reports, unloads and retries.
import { isPlayheadError, type StorageProblem, storageProblem } from '@playhead/sdk'
import type { Owner } from './attribution.ts'
import type { HostDependencies } from '../dependencies.ts'
import { LoadError, toFault } from './fault.ts'
import type { ReportFault } from './guard.ts'
import type { Death } from '../isolated/thread.ts'
import type { Slot, SlotEvent } from '../compose/slot.ts'
import type { Slots } from '../compose/slots.ts'
import type { Notifier } from '../show/notifier.ts'
import type { Stall } from './watchdog.ts'

// Slow work that ends does not stop the plugin, unless the service becomes unusable. A slow processor takes five times
// as long as a developer's.
const SERIOUS_STALL_MS = 5_000

export interface Faults {
  readonly report: ReportFault
  /** Attributes an unhandled rejection or exception. False if no plugin caused it. */
  strayError(owner: Owner | undefined, error: unknown, kind: 'rejection' | 'exception'): boolean
  /** Code blocked the event loop. */
  stalled(stall: Stall): void
  /** Quarantines a plugin that blocked the event loop until the service was terminated. */
  quarantine(stall: Stall): void
  /** A plugin's thread ended by itself. */
  died(slot: Slot, generation: number, death: Death): void
  /** Loads it again after this time. */
  retryIn(slot: Slot, ms: number): void
  /** Cancels automatic retries. */
  forget(slot: Slot): void
}

interface FaultsDependencies {
  readonly core: Pick<HostDependencies, 'clock' | 'log' | 'redact'>
  readonly slots: Slots
  readonly notifier: Notifier
  readonly unload: (slot: Slot, event: SlotEvent) => void
  readonly retry: (slot: Slot) => void
  /** The version in this folder was unloaded because of faults. */
  readonly takenOut: (slot: Slot, why: string, directory: string) => void
}

const PROBLEMS: Readonly<Record<StorageProblem, string>> = {
  disk_full: 'the disk is full',
  data_read_only: 'the data directory cannot be written to',
}

export function createFaults({ core, slots, notifier, unload, retry, takenOut }: FaultsDependencies): Faults {
  const describe = (error: unknown, slot: Slot) =>
    toFault(error, 'run', {
      directory: slot.directory,
      redact: core.redact,
      nowMs: core.clock.now(),
      sourceHash: slot.state.live?.staged.sourceHash ?? null,
    })

  function report(owner: Owner, what: string, error: unknown, isSerious = true): void {
    const slot = slots.find(owner.plugin)
    if (slot === undefined) return
    const isRunning = slot.state.live?.staged.generation.seq === owner.generation
    // A version that ends closes its databases while its last calls return.
    if (!isRunning && isPlayheadError(error, 'PLH_PLUGIN_DISPOSED'))
      return notifier.log(slot).debug({ of: owner.generation, work: owner.work }, `${what} was cut: ${error.message}`)
    const problem = storageProblem(error)
    if (problem !== undefined)
      return notifier
        .log(slot)
        .error({ of: owner.generation, work: owner.work }, `${what} failed: ${PROBLEMS[problem]}`)
    const fault = describe(error, slot)
    slot.faults += 1
    notifier
      .log(slot)
      .error(
        { of: owner.generation, work: owner.work, code: fault.code, file: fault.file, line: fault.line },
        `${what} failed: ${fault.message}`,
      )
    // A fault of a replaced version does not count against its successor.
    if (!isRunning) return
    slot.change({ type: 'faulted', fault: { ...fault, message: `${what}: ${fault.message}` } })
    notifier.publish('plugin.fault', slot, { what, error: fault })
    if (isSerious && slot.breaker.fault())
      quarantine(slot, `it failed ${slot.breaker.recent()} times within a minute, last in ${what}`)
  }

  function quarantine(slot: Slot, why: string): void {
    const { live } = slot.state
    if (live === null) return
    const { directory } = live.staged
    const waitMs = slot.breaker.opened()
    notifier.log(slot).error(`plugin was taken out: ${why}`)
    unload(slot, { type: 'quarantined' })
    notifier.publish('plugin.quarantined', slot, { why })
    retryIn(slot, waitMs)
    takenOut(slot, why, directory)
  }

  function retryIn(slot: Slot, ms: number): void {
    forget(slot)
    slot.retry = { atMs: core.clock.now() + ms, timer: setTimeout(() => retry(slot), ms).unref() }
  }

  function forget(slot: Slot): void {
    clearTimeout(slot.retry?.timer)
    slot.retry = null
  }

  return {
    report: (owner, what, error) => report(owner, what, error),
    retryIn,
    forget,
    strayError(owner, error, kind) {
      if (owner === undefined) return false
      report(owner, kind === 'rejection' ? 'an unhandled rejection' : 'an exception outside any call', error)
      const slot = slots.find(owner.plugin)
      // After an exception the plugin's state is undefined, so it is unloaded at once.
      if (kind === 'exception' && slot?.state.live?.staged.generation.seq === owner.generation)
        quarantine(slot, 'an exception outside any call')
      return true
    },
    stalled({ plugin, generation, frames, blockedMs, usedMs }) {
      if (plugin === null) return core.log.warn({ blockedMs, usedMs, frames }, 'the event loop stood still')
      report(
        { plugin, generation: generation ?? 0, work: 'call' },
        `code that held the event loop for ${blockedMs} ms`,
        new Error(`blocked in ${frames[0] ?? 'unknown code'}`),
        usedMs >= SERIOUS_STALL_MS,
      )
    },
    quarantine({ plugin, frames, blockedMs }) {
      const slot = plugin === null ? undefined : slots.find(plugin)
      if (slot === undefined || !slot.registered.enabled) return
      const fault = describe(
        new LoadError(
          'run',
          'PLH_PLUGIN_QUARANTINED',
          `Plugin "${slot.id}" held the event loop for ${blockedMs} ms until the service ended, in ${frames[0] ?? 'unknown code'}. It is loaded again when its source or settings change, or when it is reloaded by hand.`,
        ),
        slot,
      )
      slot.change({ type: 'quarantined', fault })
      notifier
        .log(slot)
        .error(
          { frames },
          'plugin is left out until its source or settings change, or it is reloaded: it stopped the service',
        )
      notifier.publish('plugin.quarantined', slot, { why: 'it stopped the service' })
      takenOut(slot, fault.message, slot.directory)
    },
    died(slot, generation, { kind, text, frames, error }) {
      const { live } = slot.state
      notifier.log(slot).error({ of: generation, ended: kind, frames }, `plugin "${slot.id}": ${text}`)
      if (live?.staged.generation.seq !== generation) return
      slot.faults += 1
      const fault = describe(new LoadError('run', 'PLH_PLUGIN_FAULT', text, { cause: error }), slot)
      unload(slot, { type: 'ended', fault })
      notifier.publish('plugin.quarantined', slot, { why: text })
      retryIn(slot, slot.breaker.crashed())
      takenOut(slot, text, live.staged.directory)
    },
  }
}
