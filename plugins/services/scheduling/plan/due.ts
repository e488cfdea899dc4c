// Moves due slots into the queue. Pure function of state, settings and clock.
import type { JobSlot } from '@playhead/sdk'
import { entriesOf, GRACE_MS } from './entries.ts'
import type { SchedulingConfig } from '../settings.ts'
import type { Item, State } from '../run/state.ts'

/** Maximum age of the stored tick time. It must be far below the grace period. */
const NOTE_MS = 60_000

/** The state with all due items in its queue, and the items dropped because the service was down. */
export function takeDue(
  state: State,
  {
    due,
    config,
    nowMs,
  }: { readonly due: readonly JobSlot[]; readonly config: SchedulingConfig; readonly nowMs: number },
): readonly [State, readonly Item[]] {
  const wasDown = state.lastTickMs > 0 && nowMs - state.lastTickMs > GRACE_MS
  const entries = entriesOf(config)
  const startedMs = entries.some(({ kind }) => kind === 'standard') ? state.startedMs : null
  const next = { ...state, startedMs, plannedUntilMs: undefined }
  if (state.paused) return [note({ ...next, queue: [] }, nowMs, state), []]
  const rules = config.advanced.enabled ? config.advanced.event_rules : []
  const kept = wasDown
    ? []
    : state.queue.filter(({ kind, key, id }) =>
        kind === 'event' ? rules.some((rule) => rule.id === id && rule.active) : entries.some((one) => one.key === key),
      )
  const queue: Item[] = [...kept]
  for (const { name, slotMs, dueAtMs: dueMs } of due) {
    const one = entries.find(({ key }) => key === name)
    // After a crash the host reports a slot again. An entry is queued once.
    const isRunning = state.running?.key === name && state.running.slotMs === slotMs
    const isKnown = isRunning || state.results[name]?.slotMs === slotMs || queue.some(({ key }) => key === name)
    if (one === undefined || isKnown) continue
    const { key, kind, id, pairId } = one
    queue.push({ key, kind, id, pairId, slotMs, dueMs, batch: nowMs, step: 0 })
  }
  return [note({ ...next, queue }, nowMs, state), wasDown ? state.queue : []]
}

// Returns the same object when there is nothing to save.
function note(next: State, nowMs: number, before: State): State {
  const isNoted = nowMs - before.lastTickMs < NOTE_MS && nowMs >= before.lastTickMs
  return isNoted && JSON.stringify(next) === JSON.stringify(before) ? before : { ...next, lastTickMs: nowMs }
}
