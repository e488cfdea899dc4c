import {
  ATTENTION_LIST,
  createTurns,
  type JobSlot,
  type Notice,
  type OwnDatabase,
  type PluginContext,
  PlayheadError,
} from '@playhead/sdk'
import { count, digestOf, digestTimes, takeFormer } from './events/digest.ts'
import { BUS_EVENTS, hear } from './events/from-bus.ts'
import { FROM_PROBLEMS } from './events/known.ts'
import { lookAt, told } from './events/problems.ts'
import { createQueue, type Delivery, type Place, type Queue } from './queue/store.ts'
import { createWorker, type Worker } from './queue/worker.ts'
import { quietUntil } from './quiet.ts'
import type { NotificationSettings, Rule } from './settings.ts'
import { createTargets, noTarget, type Targets } from './targets.ts'

export interface Parts {
  readonly queue: Queue
  readonly worker: Worker
  readonly targets: Targets
  rules(): readonly Rule[]
  /** Resolves to the number of deliveries that contain the notice. */
  tell(notice: Notice): Promise<number>
  /** Sends to one target regardless of the rules; resolves to the id of the delivery. */
  deliver(target: Place['target'], notice: Notice): Promise<string>
  /** Sends a test message now. */
  test(targetId: string): Promise<Delivery>
  /** Starts jobs and listeners, and handles leftovers of an earlier process. */
  start(): Promise<void>
}

const MINUTE_MS = 60_000
const LOOK_EVERY = '5m'
const EARLIEST_MS = 1_000
const TEST_MS = 60 * MINUTE_MS

export function createParts(
  ctx: PluginContext<NotificationSettings>,
  database: Pick<OwnDatabase, 'db'>,
  now: () => number,
): Parts {
  const log = ctx.log.channel('NOTIFY')
  const queue = createQueue(database, now)
  const targets = createTargets(ctx)
  const rules = () => (ctx.config as NotificationSettings).rules
  const inTurn = createTurns()
  const deliverJob = ctx.schedule('deliver', () => worker.run())
  const digestJob = ctx.schedule('digest', (_signal, { due }) => inTurn(() => sendDigests(due)))
  const lookJob = ctx.schedule('look', () => inTurn(look))
  const worker = createWorker({
    queue,
    send: targets.send,
    rule: (id) => rules().find((rule) => rule.id === id),
    publicUrl: () => (ctx.config as NotificationSettings).public_url,
    log,
    now,
    signal: ctx.signal,
    wakeAt: (atMs) => deliverJob.set(atMs === null ? null : { at: Math.max(atMs, Date.now() + EARLIEST_MS) }),
  })

  async function tellBy(rule: Rule, notice: Notice): Promise<number> {
    const known = new Map((await targets.list()).map((target) => [target.id, target]))
    const isUrgent = notice.severity === 'error' && rule.quiet.except_errors
    const dueAtMs = isUrgent ? now() : quietUntil(rule, now() + rule.group_minutes * MINUTE_MS)
    let stored = 0
    for (const id of new Set(rule.targets)) {
      const target = known.get(id)
      if (target?.enabled === false) continue
      // An unknown event may belong to a plugin that is currently disabled.
      const place = { rule, target: { id, name: target?.name ?? id } }
      if ((await queue.add(place, { ...notice, atMs: notice.atMs ?? now() }, dueAtMs)) !== null) stored += 1
    }
    return stored
  }

  async function tell(notice: Notice): Promise<number> {
    let stored = 0
    for (const rule of rules())
      if (rule.enabled && rule.events.includes(notice.event)) stored += await tellBy(rule, notice)
    if (stored > 0) await worker.run()
    return stored
  }

  async function look(): Promise<void> {
    const list = ctx.tryUse(ATTENTION_LIST)
    if (list === undefined) return
    const { items, isComplete } = await list.open()
    // A problem that a late check misses is not treated as ended; it is checked again.
    if (!isComplete) return
    let stored = 0
    for (const found of await lookAt(database, items, rules(), now())) {
      stored += await tellBy(found.rule, found.notice)
      await told(database, found)
    }
    if (stored > 0) await worker.run()
  }

  async function sendDigests(due: readonly JobSlot[]): Promise<void> {
    for (const { name, slotMs } of due) {
      const rule = rules().find(({ id }) => id === name)
      if (rule !== undefined) await tellBy(rule, await digestOf(database, slotMs))
    }
    if (due.length > 0) await worker.run()
  }

  function planJobs(): void {
    digestJob.set(digestTimes(rules()))
    const problems = new Set<string>(Object.values(FROM_PROBLEMS))
    const isWatching = rules().some(({ enabled, events }) => enabled && events.some((event) => problems.has(event)))
    lookJob.set(isWatching ? { every: LOOK_EVERY } : null)
  }

  return {
    queue,
    worker,
    targets,
    rules,
    tell,
    async deliver(target, notice) {
      const id = await queue.add({ rule: null, target }, { ...notice, atMs: notice.atMs ?? now() }, now())
      await worker.run()
      return id ?? ''
    },
    async test(targetId) {
      const target = await targets.find(targetId)
      if (target === undefined) throw noTarget()
      const notice: Notice = {
        event: 'test',
        severity: 'info',
        title: 'Playhead can reach you here',
        text: `This is a test of "${target.name}".`,
        path: '/',
        atMs: now(),
      }
      // Sent directly and at once; the queue takes over only after the process was killed.
      const id = await queue.add({ rule: null, target }, notice, now() + TEST_MS)
      const sent = id === null ? undefined : await worker.sendNow(id)
      if (sent === undefined) throw new PlayheadError('PLH_ABORTED', 'The test was not sent.')
      return sent
    },
    async start() {
      await queue.resume()
      for (const name of BUS_EVENTS)
        ctx.events.on(name, async (event) => {
          const { notices, tally } = hear(event)
          await count(database, tally, event.atMs)
          for (const notice of notices) await tell(notice)
        })
      // Each change of the rules takes effect at once.
      ctx.onConfigChange(planJobs)
      ctx.every('1d', 'forget-old', () => queue.prune())
      planJobs()
      ctx.after(0, async () => {
        await inTurn(() => takeFormer(database, now(), sendDigests))
        await worker.run()
      })
    },
  }
}
