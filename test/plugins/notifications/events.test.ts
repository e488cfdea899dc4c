// Sources of notifications: bus events, open problems, and the weekly digest.
import type { Attention } from '@playhead/sdk'
import t from 'tap'
import { openDatabase } from '../../../core/storage/sqlite.ts'
import { hear } from '../../../plugins/services/notifications/events/from-bus.ts'
import { takeFormer } from '../../../plugins/services/notifications/events/digest.ts'
import { migrations } from '../../../plugins/services/notifications/queue/schema.ts'
import { createLog } from '../../core/scheduling/virtual-time.ts'
import { openWorld, RULE } from './world.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const ALL = [
  'run_failed',
  'run_partial',
  'run_done',
  'plugin_stopped',
  'backup_failed',
  'database_damaged',
  'disk_low',
  'play_recorded',
]

t.test('a finished run counts what needs the person, without what a library lacks', async (t) => {
  const textOf = (data: object) =>
    hear({ name: 'run.finished', data: { run_id: 'a', result: 'partial', ...data }, atMs: 0 } as never).notices[0]?.text
  t.match(textOf({ unresolved: 9, held: 1, open: 1, errors: 0 }), /, 1 needs you, 0 errors\.$/)
  t.match(textOf({ unresolved: 9, held: 3, open: 7 }), /, 7 need you, /)
})

t.test('bus events become messages, and only the requested ones', async (t) => {
  await using world = await openWorld([{ ...RULE, events: ALL, group_minutes: 60 }])
  const emit = (name: string, data: Readonly<Record<string, unknown>>) => world.host.events.emit(name, data)
  emit('run.finished', { run_id: 'a', result: 'failed', added: 1, removed: 0, updated: 0, errors: 2 })
  emit('run.finished', { run_id: 'b', result: 'partial', added: 0 })
  emit('run.finished', { run_id: 'c', result: 'ok', added: 0, removed: 0, updated: 0 })
  emit('run.finished', { run_id: 'd', result: 'failed', dry_run: true })
  emit('run.finished', { run_id: 'e', result: 'cancelled' })
  emit('plugin.quarantined', { plugin: 'x', state: 'quarantined' })
  emit('plugin.reload_failed', { plugin: 'x', state: 'failed' })
  emit('plugin.reload_failed', { plugin: 'y', state: 'active' })
  emit('work.blocked', { code: 'disk_low', message: 'Only 10 MB are free.' })
  emit('work.blocked', { code: 'restart_required', message: 'no' })
  emit('backup.failed', { label: 'nightly', reason: 'disk_full' })
  emit('database.damaged', { path: 'databases/sync/library.sqlite', findings: [] })
  for (const provider of ['TRAKTA', 'TRACKB'])
    emit('play.recorded', { viewing: 'v1', title: 'A film', part: '', provider, account: 'Ann' })
  await world.host.events.settled()
  world.clock.nowMs = Date.now() + 61 * MINUTE_MS
  await world.settle()
  const { items } = await world.log()
  t.strictSame(items.flatMap(({ messages }) => messages.map(({ event }) => event)).sort(), [
    'backup_failed',
    'database_damaged',
    'disk_low',
    'play_recorded',
    'plugin_stopped',
    'run_failed',
    'run_partial',
  ])
})

const problem = (kind: string, id: string): Attention => ({
  id,
  kind,
  severity: 'error',
  title: `Problem ${id}`,
  detail: 'See there.',
})

t.test(
  'a problem is reported once, an unreachable service only after a while, and both again after they were gone',
  async (t) => {
    await using world = await openWorld([
      { ...RULE, events: ['sign_in_lost', 'sign_in_ending', 'service_down', 'held_removals'], down_minutes: 15 },
    ])
    const list = { items: [] as Attention[], isComplete: true }
    await world.host.provide({ token: 'attention' }, { open: async () => list })
    const look = async (minutes: number) => {
      world.clock.nowMs += minutes * MINUTE_MS
      await world.host.runJob('look')
      await world.settle()
      return world.fake.sent.splice(0).map(({ message }) => `${message.event} ${message.title}`)
    }
    list.items = [problem('sign_in_expiring', 'e')]
    t.strictSame(await look(0), ['sign_in_ending Problem e'])
    list.items.push(problem('held_removals', 'r'))
    t.strictSame(await look(5), ['held_removals Problem r'])
    t.strictSame(await look(5), [])
    list.items = [problem('sign_in', 's'), problem('unreachable', 'u'), problem('health', 'h')]
    t.strictSame(await look(0), ['sign_in_lost Problem s'])
    t.strictSame(await look(5), [])
    t.strictSame(await look(5), [])
    t.strictSame(await look(5), ['service_down Problem u'])
    t.strictSame(await look(5), [])
    // An incomplete check says nothing about problems that it does not list.
    Object.assign(list, { items: [], isComplete: false })
    t.strictSame(await look(5), [])
    Object.assign(list, { items: [problem('sign_in', 's'), problem('unreachable', 'u')], isComplete: true })
    t.strictSame(await look(5), [])
    list.items = []
    for (let looks = 0; looks < 4; looks += 1) t.strictSame(await look(5), [])
    list.items = [problem('sign_in', 's'), problem('unreachable', 'u')]
    t.strictSame(await look(5), ['sign_in_lost Problem s'])
    t.strictSame(await look(10), [])
    t.strictSame(await look(5), ['service_down Problem u'])
  },
)

t.test('the weekly digest counts the week, and is sent once at its time', async (t) => {
  const monday = Date.UTC(2026, 0, 12)
  await using world = await openWorld([{ ...RULE, events: ['weekly_digest'] }], monday - 2 * DAY_MS)
  world.host.events.emit('run.finished', { run_id: 'a', result: 'ok', added: 3, removed: 1, updated: 0 })
  world.host.events.emit('run.finished', { run_id: 'b', result: 'failed' })
  world.host.events.emit('play.recorded', { viewing: 'v', title: 'A film' })
  await world.host.events.settled()
  const due = async (atMs: number) => {
    world.clock.nowMs = atMs
    await world.host.runJob('digest')
    await world.settle()
    return world.fake.sent.splice(0).map(({ message }) => message.text)
  }
  t.strictSame(await due(monday + 8 * 60 * MINUTE_MS), [])
  t.strictSame(await due(monday + 9 * 60 * MINUTE_MS), [
    'Syncs: 2, not complete: 1\nAdded: 3, removed: 1, changed: 0\nPlays recorded: 1',
  ])
  t.strictSame(await due(monday + 10 * 60 * MINUTE_MS), [])
  t.strictSame(await due(monday + 7 * DAY_MS + 9 * 60 * MINUTE_MS), [
    'Syncs: 0, not complete: 0\nAdded: 0, removed: 0, changed: 0\nPlays recorded: 0',
  ])
})

t.test('a digest that an earlier version planned and did not send in time is sent once', async (t) => {
  const { db, close } = await openDatabase(`${t.testdir()}/queue.sqlite`, { log: createLog([]) })
  t.teardown(close)
  for (const { up } of migrations) await up(db)
  const nowMs = Date.UTC(2026, 0, 12, 10)
  for (const [rule, next_at] of [
    ['late', nowMs - 60 * MINUTE_MS],
    ['to-come', nowMs + DAY_MS],
  ] as const)
    await db.insertInto('digest').values({ rule, next_at }).execute()
  const sent: unknown[] = []
  const take = () => takeFormer({ db }, nowMs, async (due) => void sent.push(...due))
  await take()
  await take()
  t.same(sent, [{ name: 'late', slotMs: nowMs - 60 * MINUTE_MS, dueAtMs: nowMs }])
})
