// Takes the slots whose time has come into the queue. Pure: the new state follows from the old one, the settings and
// the clock.
import { entriesOf, GRACE_MS, type Memory, plan, remember } from './planner.ts'
import type { SchedulingConfig } from '../settings.ts'
import type { Item, State } from '../run/state.ts'

export interface DueInput {
  readonly config: SchedulingConfig
  readonly nowMs: number
  readonly hostZone: string
}

/** How old the note of the last look may get. It only has to be far younger than the grace. */
const NOTE_MS = 60_000

/** The state with everything that is due in its queue, and what had to be dropped because the service did not run. */
export function takeDue(state: State, { config, nowMs, hostZone }: DueInput): readonly [State, readonly Item[]] {
  const remembered = remember(state.memory, config, nowMs)
  if (state.paused) {
    // What passes meanwhile is not caught up on.
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
    // Who still waits does not wait twice.
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

/** What is known, as if everything had been planned only now. */
export function beginAt(memory: Memory, nowMs: number): Memory {
  return Object.fromEntries(Object.entries(memory).map(([key, known]) => [key, { ...known, sinceMs: nowMs }]))
}

// The same state means that there is nothing to save.
function note(next: State, nowMs: number, before: State): State {
  const isNoted = nowMs - before.lastTickMs < NOTE_MS && nowMs >= before.lastTickMs
  const isSame = isNoted && JSON.stringify([next.memory, next.queue]) === JSON.stringify([before.memory, before.queue])
  return isSame && !before.paused ? before : { ...next, lastTickMs: nowMs }
}
