// Plans of several services are applied and undone as a whole, with a kill or a failure at any point.
import {
  inverseSetup,
  type KeyValueStore,
  NO_SETUP,
  setupStateOf,
  type SetupChange,
  type SetupPart,
} from '@playhead/sdk'
import t from 'tap'
import { createAppliedPlans } from '../../../plugins/services/recipes/applied.ts'
import type { PartChange, Plan } from '../../../plugins/services/recipes/plan.ts'

type Settings = Map<string, Readonly<Record<string, unknown>>>
type Disk = ReturnType<typeof emptyDisk>

const PARTS = ['pairs', 'scrobble', 'schedule'] as const
const emptyDisk = () => ({
  store: new Map<string, string>(),
  settings: Object.fromEntries(PARTS.map((name) => [name, new Map() as Settings])),
})

/** The process until its nth step, a write or a look; then every step fails, as after a kill. */
function start(disk: Disk, { killAt = Infinity, refuses = '' } = {}) {
  let steps = 0
  const step = () => {
    steps += 1
    if (steps >= killAt) throw new Error('killed')
  }
  const store = {
    get: async (key: string) => {
      step()
      const text = disk.store.get(key)
      return text === undefined ? undefined : JSON.parse(text)
    },
    set: async (key: string, value: unknown) => {
      step()
      disk.store.set(key, JSON.stringify(value))
    },
    delete: async (key: string) => {
      step()
      return disk.store.delete(key)
    },
    async *entries() {
      step()
      for (const [key, text] of [...disk.store]) yield [key, JSON.parse(text)]
    },
  } as unknown as KeyValueStore
  const part = (name: string): SetupPart => {
    const own = disk.settings[name]!
    const stateOf = (change: SetupChange) => setupStateOf(change, own.get(change.id) ?? null, ['ends'])
    return {
      meet: async () => NO_SETUP,
      replace: async () => NO_SETUP,
      states: async (changes) => changes.map(stateOf),
      async apply(changes) {
        step()
        if (name === refuses) throw new Error('refused')
        for (const change of changes) {
          if (stateOf(change) !== 'before') continue
          if (change.after === null) own.delete(change.id)
          else own.set(change.id, { ...own.get(change.id), ...change.after })
        }
        step()
      },
    }
  }
  const plans = createAppliedPlans({
    ...{ store, log: { error() {}, info() {} } as never, now: () => 0, retryLater: () => {} },
    parts: () => new Map(PARTS.map((name) => [name, part(name)])) as never,
  })
  return { plans, steps: () => steps }
}

const like = (expected: object) => expected as Error
const entry = { label: '', source: null, target: null }
const make = (part: string, id: string): PartChange => ({
  ...{ ...entry, kind: 'pair', part, id, action: 'make', before: null, pair: { id } },
  after: { ends: 'a b', enabled: true },
})
const stop = (part: string, id: string): PartChange => ({
  ...{ ...entry, kind: 'pair', part, id, action: 'stop', before: { enabled: true }, after: { enabled: false } },
})
const CHANGES = [make('pairs', 'new'), stop('pairs', 'old'), make('scrobble', 'R1'), stop('schedule', 'job')]
const PLAN: Plan = {
  ...{
    recipe: 'move-tracker',
    accounts: {},
    changes: CHANGES,
    later: [{ ...stop('pairs', 'new'), pair: { id: 'new' } }],
  },
  ...{ kept: [], refused: [], terms: [], firstPair: 'new' },
}

function before(): Disk {
  const disk = emptyDisk()
  disk.settings['pairs']!.set('old', { ends: 'a c', enabled: true })
  disk.settings['schedule']!.set('job', { enabled: true })
  return disk
}
const settingsOf = ({ settings }: Disk) => Object.fromEntries(PARTS.map((name) => [name, [...settings[name]!]]))

async function after(): Promise<Disk> {
  const disk = before()
  const { plans } = start(disk)
  await plans.apply(await plans.propose(PLAN))
  return disk
}

t.test('a plan that is killed at any step is nothing or the whole after the next start', async (t) => {
  const [nothing, whole] = [settingsOf(before()), settingsOf(await after())]
  const seen = new Set<string>()
  for (let killAt = 1; ; killAt += 1) {
    const disk = before()
    const id = await start(disk).plans.propose(PLAN)
    const killed = start(disk, { killAt })
    const isDone = await killed.plans.apply(id).then(
      () => true,
      () => false,
    )
    const isPart = ![nothing, whole].some((state) => JSON.stringify(state) === JSON.stringify(settingsOf(disk)))
    await start(disk).plans.recover()
    const now = JSON.stringify(settingsOf(disk))
    t.ok([nothing, whole].map((state) => JSON.stringify(state)).includes(now), `killed at step ${killAt}: ${now}`)
    seen.add(`${isPart ? 'part' : 'even'}, then ${now === JSON.stringify(whole) ? 'whole' : 'nothing'}`)
    await start(disk)
      .plans.apply(id)
      .catch(() => undefined)
    if (isDone) break
  }
  t.ok(seen.has('part, then whole') && seen.has('even, then nothing'), [...seen].join())
})

t.test('an undo that is killed at any step is complete after the next start', async (t) => {
  const nothing = settingsOf(before())
  for (let killAt = 1; ; killAt += 1) {
    const disk = await after()
    const whole = settingsOf(disk)
    const { id } = (await start(disk).plans.list())[0]!
    const isDone = await start(disk, { killAt })
      .plans.undo(id)
      .then(
        () => true,
        () => false,
      )
    await start(disk).plans.recover()
    const now = JSON.stringify(settingsOf(disk))
    t.ok([nothing, whole].map((state) => JSON.stringify(state)).includes(now), `killed at step ${killAt}: ${now}`)
    if (isDone) break
  }
})

t.test('a part that refuses leaves nothing of the others', async (t) => {
  const disk = before()
  const nothing = settingsOf(disk)
  const id = await start(disk).plans.propose(PLAN)
  await t.rejects(start(disk, { refuses: 'schedule' }).plans.apply(id), { message: 'refused' })
  await start(disk).plans.recover()
  t.same(settingsOf(disk), nothing)

  const applied = await after()
  const whole = settingsOf(applied)
  const { id: made } = (await start(applied).plans.list())[0]!
  await t.rejects(start(applied, { refuses: 'pairs' }).plans.undo(made), { message: 'refused' })
  await start(applied).plans.recover()
  t.same(settingsOf(applied), whole, 'an undo too')
})

t.test('what a person changed since the plan is not overwritten', async (t) => {
  const disk = before()
  const { plans } = start(disk)
  const id = await plans.propose(PLAN)
  disk.settings['schedule']!.set('job', { enabled: 'never' })
  const changed = settingsOf(disk)
  await t.rejects(plans.apply(id), like({ wire: 'plan_outdated' }))
  t.same(settingsOf(disk), changed)
  disk.settings['schedule']!.set('job', { enabled: true })
  await plans.apply(id)
  disk.settings['schedule']!.set('job', { enabled: 'always' })
  const { left, status } = await plans.undo(id)
  t.same([status, left.map((one) => one.id)], ['undone', ['job']])
  t.same(disk.settings['schedule']!.get('job'), { enabled: 'always' })
  t.notOk(disk.settings['pairs']!.has('new'))
})

t.test('a plan is applied once, and its first copy is stopped after a run that copied everything', async (t) => {
  const disk = before()
  const { plans } = start(disk)
  const id = await plans.propose(PLAN)
  await plans.apply(id)
  const whole = settingsOf(disk)
  t.equal((await plans.apply(id)).status, 'applied')
  t.same(settingsOf(disk), whole)
  const run = (status: string) =>
    plans.follow({ pairs: [{ pair_id: 'new', mode: 'one_way', status, features: [] }] as never })
  for (const status of ['failed', 'partial']) {
    await run(status)
    t.same(settingsOf(disk), whole, `${status}: not everything is copied`)
  }
  await run('ok')
  t.match(disk.settings['pairs']!.get('new'), { enabled: false })
  t.equal((await plans.list())[0]!.later.length, 0)
  await plans.undo(id)
  t.same(settingsOf(disk), settingsOf(before()), 'an undo removes the stopped copy, too')
  t.equal((await plans.undo(id)).status, 'undone', 'twice')
  await t.rejects(plans.apply(id), like({ wire: 'plan_undone' }))
  await t.rejects(plans.apply('another'), like({ wire: 'plan_not_found' }))
})

t.test('the inverse of the inverse is the same', (t) => {
  t.same(inverseSetup(inverseSetup(CHANGES)), CHANGES)
  t.end()
})
