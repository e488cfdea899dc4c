// Applies event rules: adds entries to the queue for a playback event. Pure function of state, rules and event.
import { afterStart, matches, type PlaybackEvent, type SkipReason, whySkipped } from './event-rules.ts'
import type { SchedulingConfig } from '../settings.ts'
import type { Item, RuleHistory, State } from '../run/state.ts'

export interface RuleOutcome {
  readonly ok: boolean
  readonly matched: number
  readonly triggered: number
  readonly skipped: readonly { readonly rule_id: string; readonly reason: SkipReason }[]
  /** Why no rule was checked. */
  readonly reason?: 'no_rules' | 'advanced_disabled' | 'paused'
}

interface RuleInput {
  readonly rules: Pick<SchedulingConfig['advanced'], 'enabled' | 'event_rules'>
  /** Ids of the enabled pairs. */
  readonly pairs: readonly string[]
  readonly name: string
  readonly event: PlaybackEvent
  readonly nowMs: number
}

export function applyRules(
  state: State,
  { rules, pairs, name, event, nowMs }: RuleInput,
): readonly [State, RuleOutcome] {
  if (!rules.enabled) return [state, nothing('advanced_disabled')]
  if (rules.event_rules.length === 0) return [state, nothing('no_rules')]
  if (state.paused) return [state, nothing('paused')]
  const matching = rules.event_rules.filter((rule) => matches(rule, name, event))
  const skipped: { readonly rule_id: string; readonly reason: SkipReason }[] = []
  const queue: Item[] = [...state.queue]
  const histories: Record<string, RuleHistory> = { ...state.rules }
  for (const rule of matching) {
    const pairId = rule.action.pair_id
    const key = `rule:${rule.id}`
    // One pending run per pair is enough.
    const isPending = queue.some((item) => item.kind === 'event' && item.pairId === pairId)
    const reason: SkipReason | undefined = pairs.includes(pairId)
      ? (whySkipped(rule, event, histories[key], nowMs) ?? (isPending ? 'busy' : undefined))
      : 'missing_pair'
    if (reason !== undefined) {
      skipped.push({ rule_id: rule.id, reason })
      continue
    }
    histories[key] = afterStart(histories[key], event, nowMs)
    const when = { slotMs: nowMs, dueMs: nowMs, batch: nowMs }
    queue.push({ key, kind: 'event', id: rule.id, pairId, ...when, step: 0, trigger: `${rule.source}.${name}` })
  }
  const triggered = matching.length - skipped.length
  const outcome: RuleOutcome = { ok: true, matched: matching.length, triggered, skipped }
  if (triggered === 0) return [state, outcome]
  const kept = Object.entries(histories).filter(([key]) => rules.event_rules.some((rule) => `rule:${rule.id}` === key))
  // With an empty queue the next tick may be hours away; without this timestamp the service would seem to have been
  // down.
  const lastTickMs = state.queue.length === 0 ? nowMs : state.lastTickMs
  return [{ ...state, queue, lastTickMs, rules: Object.fromEntries(kept) }, outcome]
}

function nothing(reason: NonNullable<RuleOutcome['reason']>): RuleOutcome {
  return { ok: false, matched: 0, triggered: 0, skipped: [], reason }
}
