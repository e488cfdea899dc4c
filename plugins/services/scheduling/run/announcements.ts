// Notifies webhooks and the bus of scheduled starts and their results.
import { defined, type EventBus, type RunSummary } from '@playhead/sdk'
import type { SchedulingConfig } from '../settings.ts'
import type { Order } from './starter.ts'
import type { EntryResult, Running } from './state.ts'
import type { WebhookPayload, WebhookSender } from './webhooks.ts'

interface AnnouncementDependencies {
  readonly config: () => SchedulingConfig
  readonly webhooks: WebhookSender
  readonly events: Pick<EventBus, 'emit'>
  readonly now: () => number
  readonly signal: AbortSignal
}

interface End {
  readonly result: EntryResult
  readonly summary?: RunSummary
}

/** Kinds whose runs are sent to webhooks. */
const WEBHOOK_KINDS = new Set(['standard', 'job', 'workflow'])
const COUNTS = [
  ['added', 'added_last'],
  ['removed', 'removed_last'],
  ['updated', 'updated_last'],
  ['unresolved', 'unresolved'],
  ['errors', 'errors'],
  ['blocked', 'blocked'],
  ['skipped', 'skipped'],
] as const

export function createAnnouncements({ config, webhooks, events, now, signal }: AnnouncementDependencies) {
  return (order: Order, running: Running, end?: End): void => {
    const fields = { kind: running.kind, key: running.key, pair_id: order.pairId, run_id: running.runId }
    if (end === undefined) events.emit('scheduling.started', fields)
    else events.emit('scheduling.ended', { ...fields, result: end.result })
    if (!WEBHOOK_KINDS.has(running.kind)) return
    const { webhooks: settings } = config()
    // Best effort; failures are logged by the sender.
    void webhooks.send(settings, payloadOf(order, running, end, settings.alert_on_unresolved, now()), signal)
  }
}

export function payloadOf(
  order: Order,
  running: Running,
  end: End | undefined,
  alertOnUnresolved: boolean,
  nowMs: number,
): WebhookPayload {
  const { request } = order
  const summary = end?.summary
  const exitCode = summary?.exit_code ?? undefined
  const counts =
    summary === undefined
      ? undefined
      : Object.fromEntries(COUNTS.map(([name, field]) => [name, toCount(summary[field])]))
  const isOpen = alertOnUnresolved && ((counts?.['unresolved'] ?? 0) > 0 || (counts?.['errors'] ?? 0) > 0)
  const isWell = end !== undefined && summary !== undefined && exitCode === 0 && end.result !== 'cancelled' && !isOpen
  return {
    event: end === undefined ? 'start' : isWell ? 'success' : 'failure',
    status: end === undefined ? 'started' : isWell ? 'ok' : 'failed',
    ...defined({
      run_id: running.runId ?? undefined,
      scheduler_mode: request.scheduler_mode,
      job_id: request.job_id,
      workflow_id: request.workflow_id,
      workflow_step_id: request.workflow_step_id,
      pair_id: order.pairId ?? undefined,
    }),
    started_at: new Date(running.startedAtMs).toISOString(),
    ...(end === undefined
      ? {}
      : {
          finished_at: new Date(nowMs).toISOString(),
          duration_sec: Math.round((nowMs - running.startedAtMs) / 1_000),
        }),
    ...defined({ exit_code: exitCode, summary: counts }),
  }
}

function toCount(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
