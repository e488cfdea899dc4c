// The notifications with fake or real notifiers, with a clock that the test sets.
import { type Notifier, type NotificationMessage, NOTIFICATIONS, isPlayheadError, PlayheadError } from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import { notifications } from '../../../plugins/services/notifications/index.ts'

export const manifest = new URL('../../../plugins/services/notifications/plugin.json', import.meta.url)

export interface Sent {
  readonly target: string
  readonly message: NotificationMessage
  readonly atMs: number
}

export type Outcome = Error | 'hang' | undefined

/** A notifier whose results the test sets. */
export function createFakeNotifier(now: () => number, ids: readonly string[] = ['fake-1', 'fake-2']) {
  const sent: Sent[] = []
  const state = { outcome: (_message: NotificationMessage, _target: string): Outcome => undefined, enabled: true }
  const notifier: Notifier = {
    describe: () => ({ id: 'fake', label: 'Fake', settings: {} }),
    targets: () => ids.map((id) => ({ id, name: id, enabled: state.enabled, settings: {} })),
    save: async () => {},
    remove: async () => true,
    async send(target, message, signal) {
      const outcome = state.outcome(message, target)
      if (outcome === 'hang') {
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
      }
      sent.push({ target, message, atMs: now() })
      if (outcome instanceof Error) throw outcome
    },
  }
  return { notifier, sent, state }
}

export const tooMany = (retryAfterMs: number) => new PlayheadError('PLH_RATE_LIMITED', 'Slow down.', { retryAfterMs })
export const lost = () => new PlayheadError('PLH_UPSTREAM_TIMEOUT', 'No answer.')
export const answered = (status: number) => new PlayheadError('PLH_UPSTREAM', 'No.', { details: { status } })

export const RULE = {
  id: 'r1',
  name: 'Mine',
  enabled: true,
  events: ['run_failed', 'run_done', 'disk_low'],
  targets: ['fake-1'],
  down_minutes: 15,
  group_minutes: 0,
  max_per_hour: 1_000,
  time_zone: 'UTC',
  quiet: { enabled: false, from: '22:00', to: '07:00', days: [], except_errors: false },
  digest: { weekday: 1, at: '09:00' },
}

export async function openWorld(rules: readonly object[], startMs = Date.UTC(2026, 0, 5, 12)) {
  const clock = { nowMs: startMs }
  const now = () => clock.nowMs
  const fake = createFakeNotifier(now)
  const host = await createTestHost({
    plugin: notifications(now),
    manifest,
    config: { rules },
    clock: { now },
    capabilities: { 'notifier:fake': fake.notifier },
  })
  const service = host.capability(NOTIFICATIONS)
  const log = async (query = '') =>
    (await host.inject(`/api/notifications/log?limit=200${query}`)).json<{
      total: number
      items: {
        id: string
        state: string
        attempts: number
        reason: string | null
        due_at: number
        count: number
        may_be_repeat: boolean
        messages: { title: string; event: string }[]
      }[]
    }>()
  /** Sends due messages, and waits until none is in flight. */
  async function settle() {
    for (;;) {
      // The job may already be running by its own schedule.
      await host.runJob('deliver').catch((error: unknown) => {
        if (!isPlayheadError(error, 'PLH_CONFLICT')) throw error
      })
      const { items } = await log()
      if (!items.some(({ state, due_at: dueAt }) => state === 'sending' || (state === 'queued' && dueAt <= now())))
        return
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const tell = (n: number, severity: 'info' | 'warning' | 'error' = 'info', more: object = {}) =>
    service.tell({
      event: severity === 'error' ? 'run_failed' : 'run_done',
      title: `T${n}`,
      text: `text ${n}`,
      severity,
      ...more,
    })
  return {
    host,
    clock,
    fake,
    service,
    log,
    settle,
    tell,
    async [Symbol.asyncDispose]() {
      await host.close()
    },
  }
}

export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5))
}
