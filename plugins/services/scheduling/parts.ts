import {
  ACCOUNTS,
  BACKUPS,
  CAPTURES,
  NOTIFICATIONS,
  type Notifier,
  type PairUsage,
  type PluginContext,
  type Remote,
  SYNC,
  type SyncService,
} from '@playhead/sdk'
import type { SchedulingConfig } from './settings.ts'
import { randomUUID } from 'node:crypto'
import { createAnnouncements } from './run/announcements.ts'
import { type Scheduler, createScheduler } from './run/scheduler.ts'
import { type StateStore, createStateStore } from './run/state.ts'
import { overviewOf, type ViewInput } from './routes/view.ts'
import { warningsOf } from './plan/warnings.ts'
import { createWebhookNotifier, targetOf } from './run/webhook-notifier.ts'
import { addressOf, createWebhookSender, type WebhookSender } from './run/webhooks.ts'
import type { Workers } from './run/work.ts'

export interface Parts {
  readonly webhookNotifier: Notifier
  readonly scheduler: Scheduler
  readonly store: StateStore
  readonly sync: Remote<SyncService>
  readonly workers: Workers
  readonly hostZone: string
  config(): SchedulingConfig
  now(): number
  /** The state that the routes show. */
  seen(): Promise<ViewInput>
  warnings(): Promise<readonly string[]>
  /** Providers whose captures are off until a person enables them. */
  offByDefault(): Promise<ReadonlySet<string>>
  /** Block in the overview of all settings. */
  overview(): Promise<Readonly<Record<string, unknown>>>
}

export function createParts(ctx: PluginContext<SchedulingConfig>, now: () => number = Date.now): Parts {
  const log = ctx.log.channel('SCHED')
  const config = () => ctx.config as SchedulingConfig
  const store = createStateStore(ctx.db, randomUUID)
  const sync = ctx.use(SYNC)
  const workers: Workers = { captures: () => ctx.tryUse(CAPTURES), backups: () => ctx.tryUse(BACKUPS) }
  const hostZone = Temporal.Now.timeZoneId()
  const direct = createWebhookSender({ upstream: ctx.upstream, log })
  const webhooks: WebhookSender = {
    async send(settings, payload, signal) {
      if (!settings.enabled || addressOf(settings, payload.event) === undefined) return false
      try {
        const notifications = ctx.tryUse(NOTIFICATIONS)
        if (notifications === undefined) return await direct.send(settings, payload, signal)
        const { event, status } = payload
        await notifications.deliver(targetOf(event), {
          event: `scheduling.${event}`,
          title: `A scheduled sync: ${status}`,
          text: '',
          severity: event === 'failure' ? 'error' : 'info',
          data: { ...payload },
        })
        return true
      } catch (error) {
        log.warn({ err: error }, 'the notifications could not take a webhook; it is sent without them')
        return await direct.send(settings, payload, signal)
      }
    },
  }
  const announce = createAnnouncements({ config, webhooks, events: ctx.events, now, signal: ctx.signal })
  const plan = ctx.schedule('plan', (_signal, { due }) => scheduler.tick(due))
  const wake = ctx.schedule('tick', () => scheduler.tick())
  const scheduler = createScheduler({
    config,
    store,
    sync,
    workers,
    announce,
    plan,
    wake,
    log,
    now,
    hostZone,
    owner: randomUUID(),
    signal: ctx.signal,
  })
  const seen = async () => {
    const state = await store.load()
    return {
      config: config(),
      state,
      slots: await scheduler.slots(state),
      nowMs: now(),
      hostZone,
      blocks: ctx.work.blocks(),
    }
  }
  return {
    webhookNotifier: createWebhookNotifier({ upstream: ctx.upstream, log }, () => config().webhooks),
    store,
    sync,
    workers,
    hostZone,
    config,
    now,
    seen,
    overview: async () => overviewOf(await seen()),
    scheduler,
    async offByDefault() {
      const providers = (await ctx.tryUse(ACCOUNTS)?.providers()) ?? []
      return new Set(providers.flatMap(({ id, terms }) => (terms?.captures === undefined ? [] : [id])))
    },
    async warnings() {
      const pairs = await sync.pairs().catch((error: unknown) => {
        log.info({ err: error }, 'the pairs could not be read for warnings')
        return null
      })
      return warningsOf({
        config: config(),
        pairs,
        hasCaptures: workers.captures() !== undefined,
        hasBackups: workers.backups() !== undefined,
      })
    },
  }
}

export function pairUsagesOf({ advanced }: SchedulingConfig, pairId: string): PairUsage[] {
  const jobs = advanced.jobs
    .filter((job) => job.pair_id === pairId)
    .map(({ id, at }) => ({ feature: 'schedule_job', id, label: at ?? id }))
  const workflows = advanced.workflows
    .filter(({ steps }) => steps.some((step) => step.pair_id === pairId))
    .map(({ id, name }) => ({ feature: 'workflow', id, label: name === '' ? id : name }))
  const rules = advanced.event_rules
    .filter(({ action }) => action.pair_id === pairId)
    .map(({ id, event }) => ({ feature: 'event_rule', id, label: `${event} (${id})` }))
  return [...jobs, ...workflows, ...rules]
}
