// Moves due slots into the queue. Pure function of state, settings and clock.
import { entriesOf, GRACE_MS, type Memory, plan, remember } from './planner.ts'
import type { SchedulingConfig } from '../settings.ts'
import type { Item, State } from '../run/state.ts'

interface DueInput {
  readonly config: SchedulingConfig
  readonly nowMs: number
  readonly hostZone: string
}

/** Maximum age of the stored tick time. It must be far below the grace period. */
const NOTE_MS = 60_000

/** The state with all due items in its queue, and the items dropped because the service was down. */
export function takeDue(state: State, { config, nowMs, hostZone }: DueInput): readonly [State, readonly Item[]] {
  const remembered = remember(state.memory, config, nowMs)
  if (state.paused) {
    // Slots that pass while it is off are not caught up.
    return [note({ ...state, memory: beginAt(remembered, nowMs), queue: [] }, nowMs, state), []]
  }
  const wasDown = state.lastTickMs > 0 && nowMs - state.lastTickMs > GRACE_MS
  const entries = entriesOf(config)
  const rules = config.advanced.enabled ? config.advanced.event_rules : []
  const kept = wasDown
    ? []
    : state.queue.filter(({ kind, key, id }) =>
        kind === 'event' ? rules.some((rule) => rule.id === id && rule.active) : entries.some((one) => one.key === key),
      )
  const due = plan({ config, memory: remembered, nowMs, hostZone, salt: state.salt }).filter(
    ({ dueMs }) => dueMs <= nowMs,
  )
  const memory = { ...remembered }
  const queue = [...kept]
  for (const { entry, slotMs, dueMs } of due) {
    const known = memory[entry.key]
    if (known !== undefined) memory[entry.key] = { ...known, firedMs: slotMs }
    // An entry is queued once.
    if (queue.some(({ key }) => key === entry.key)) continue
    queue.push({
      key: entry.key,
      kind: entry.kind,
      id: entry.id,
      pairId: entry.pairId,
      slotMs,
      dueMs,
      batch: nowMs,
      step: 0,
    })
  }
  return [note({ ...state, memory, queue }, nowMs, state), wasDown ? state.queue : []]
}

/** The memory as if everything was planned only now. */
export function beginAt(memory: Memory, nowMs: number): Memory {
  return Object.fromEntries(Object.entries(memory).map(([key, known]) => [key, { ...known, sinceMs: nowMs }]))
}

// Returns the same object when there is nothing to save.
function note(next: State, nowMs: number, before: State): State {
  const isNoted = nowMs - before.lastTickMs < NOTE_MS && nowMs >= before.lastTickMs
  const isSame = isNoted && JSON.stringify([next.memory, next.queue]) === JSON.stringify([before.memory, before.queue])
  return isSame && !before.paused ? before : { ...next, lastTickMs: nowMs }
}
