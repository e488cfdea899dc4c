// The list engine with its clock, in a process that dies at any step.
import { DatabaseSync } from 'node:sqlite'
import fc, { runsOf } from '../../../fast-check.ts'
import { Kysely, SqliteDialect } from 'kysely'
import t from 'tap'
import type { Capability, ListEntry, Tables } from '@playhead/sdk'
import { createWorkRegistry } from '../../../../core/work/registry.ts'
import { migrations } from '../../../../plugins/services/sync/store/migrations.ts'
import { engineOf, SETTINGS, SILENT } from '../world/world.ts'
import { directoryOf, FakeLists, filmItem, worksOf } from './fake-lists.ts'

async function house() {
  const ann = new FakeLists('ANN')
  const fuse = { left: Infinity }
  const sqlite = new DatabaseSync(':memory:')
  const db: Tables = new Kysely({
    dialect: new SqliteDialect({
      database: {
        close: () => sqlite.close(),
        prepare: (sql) => {
          const statement = sqlite.prepare(sql)
          const run = (how: 'all' | 'run' | 'iterate') => (values: readonly unknown[]) => {
            if (fuse.left < 0) throw new Error('the process is dead')
            return statement[how](...(values as never[])) as never
          }
          return { reader: statement.columns().length > 0, all: run('all'), run: run('run'), iterate: run('iterate') }
        },
      },
    }),
  })
  for (const migration of migrations) await migration.up(db)
  const clock = { nowMs: 1_800_000_000_000 }
  const start = () =>
    engineOf({
      db,
      log: SILENT,
      work: createWorkRegistry({ clock: { now: () => clock.nowMs } }),
      now: () => clock.nowMs,
      use: (({ token }: Capability) => (token === 'provider:ANN' ? ann : undefined)) as never,
      accounts: directoryOf([ann]) as never,
      checkpoint: () => {
        if ((fuse.left -= 1) < 0) throw new Error('the process died')
      },
    })
  const engine = start()
  return {
    ann,
    clock,
    fuse,
    engine,
    restart: start,
    async read(id: string) {
      const read = await engine.readList({ provider: 'ANN', instance: 'default', kind: 'playlist', id })
      const entries: ListEntry[] = []
      for await (const page of engine.listEntries(read.readId)) entries.push(...page)
      return { read, entries }
    },
  }
}

t.test('a plan that was reviewed for a while removes nothing that changed since', async (t) => {
  const { ann, clock, engine, read } = await house()
  const made = ann.make('playlist', [1, 2, 3])
  const { read: of, entries } = await read(made.list.id)
  const changes = entries.map(({ key }) => ({ op: 'remove' as const, key }))
  const { planId } = await engine.planList({ readId: of.readId, changes, cause: 'test' }, SETTINGS)
  // The person removed the film and added it again.
  made.entries = [{ id: 'new', work: 1 }, ...made.entries.slice(1)]
  clock.nowMs += 180_000
  const outcomes = await engine.applyChanges({ planId, approved: true }, SETTINGS)
  t.same(
    outcomes.map(({ outcome, reason }) => reason ?? outcome),
    ['changed_since_plan', 'applied', 'applied'],
  )
  t.same(worksOf(made), [1])
})

t.test('a process that dies while it applies adds nothing twice, and waiting changes continue', async (t) => {
  const { ann, fuse, engine, restart, read } = await house()
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 7 }), fc.boolean(), async (steps, waits) => {
      const made = ann.make('playlist', [1, 2, 3, 4])
      const { read: of, entries } = await read(made.list.id)
      const adds = [5, 6, 7, 8, 9].map((work) => ({ op: 'add' as const, key: `add:${work}`, item: filmItem(work) }))
      const { planId } = await engine.planList(
        {
          readId: of.readId,
          changes: [{ op: 'remove', key: entries[1]!.key }, ...adds],
          order: ['add:9', entries[0]!.key, 'add:5', 'add:7'],
          cause: 'test',
        },
        SETTINGS,
      )
      if (waits) await engine.queueChange({ planId, approved: true })
      fuse.left = steps
      if (waits) void engine.applyWaiting(planId, 0, SETTINGS).catch(() => {})
      else await engine.applyChanges({ planId, approved: true }, SETTINGS).catch(() => {})
      for (let turn = 0; waits && turn < 40; turn += 1) await new Promise(setImmediate)
      fuse.left = Infinity
      const next = restart()
      await next.recover()
      await next.resumeWaiting(SETTINGS)
      const isGoingOn = async () => ['waiting', 'applying'].includes((await next.plans.get(planId))?.state ?? '')
      while (await isGoingOn()) await new Promise(setImmediate)
      const works = worksOf(made)
      t.equal(new Set(works).size, works.length, 'nothing twice')
      for (const work of [1, 3, 4]) t.ok(works.includes(work))
      const outcomes = await next.outcomes(planId)
      for (const { op, key, outcome } of outcomes ?? [])
        if (op === 'add' && outcome === 'applied') t.ok(works.includes(Number(key.slice(4))))
    }),
    { numRuns: runsOf(40) },
  )
})
