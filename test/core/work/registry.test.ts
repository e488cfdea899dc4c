// The work registry: which work may run concurrently, and in which order.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { CurrentWork, WorkDescription, WorkHold, WorkKind, WorkObstacle } from '@playhead/sdk'
import { createWorkRegistry } from '../../../core/work/registry.ts'

const clock = { now: () => 1_800_000_000_500 }
const of = (names: string, rest: Partial<WorkDescription> = {}): WorkDescription => ({
  kind: 'change',
  label: `A change of ${names}`,
  accounts: [...names].map((provider) => ({ provider, instance: 'default' })),
  ...rest,
})
const ALL: Partial<WorkDescription> = { kind: 'maintenance', accounts: [], exclusive: true, label: 'Maintenance' }
const busy = (holder: WorkKind) => ({ code: 'PLH_CONFLICT', details: { holder } })
const turn = () => new Promise((resolve) => setImmediate(resolve))

t.test('an account is held once, and the refusal names the holder and the time', (t) => {
  const work = createWorkRegistry({ clock })
  const capture = work.begin(of('A', { kind: 'capture', label: 'Capture of Plex (default)' }))
  t.throws(() => work.begin(of('AB')), {
    code: 'PLH_CONFLICT',
    status: 409,
    wire: 'busy',
    message: 'Capture of Plex (default) is going on. Try again when it has ended.',
    details: { holder: 'capture', since: 1_800_000_000 },
  })
  work.begin(of('B')).release()
  t.match(work.current(), [{ kind: 'capture', plugin: 'core', startedAtMs: clock.now() }])
  capture.release()
  capture.release()
  {
    using _hold = work.begin(of('A'))
    t.throws(() => work.begin(of('A')), busy('change'))
  }
  t.same(work.current(), [])
  t.end()
})

t.test('work waits in request order, and an aborted one holds nothing and blocks nothing', async (t) => {
  const work = createWorkRegistry({ clock })
  const first = work.begin(of('AB'))
  const stop = new AbortController()
  const given = work.beginWhenFree(of('A'), { signal: stop.signal })
  const order: string[] = []
  const second = work.beginWhenFree(of('BC')).then((hold) => {
    order.push('BC')
    return hold
  })
  const third = work.beginWhenFree(of('C')).then((hold) => {
    order.push('C')
    return hold
  })
  t.throws(() => work.begin(of('C')), busy('change'), 'C is free, but others asked before')
  stop.abort()
  await t.rejects(given, { code: 'PLH_ABORTED' })
  await t.rejects(work.beginWhenFree(of('D'), { signal: stop.signal }), { code: 'PLH_ABORTED' })
  work.begin(of('D')).release()
  first.release()
  const hold = await second
  work.begin(of('A')).release()
  t.same(order, ['BC'])
  hold.release()
  ;(await third).release()
  t.same(order, ['BC', 'C'])
  t.same(work.current(), [])
})

t.test('exclusive work waits for all, then prevents all from starting', async (t) => {
  const work = createWorkRegistry({ clock })
  const run = work.begin({ kind: 'sync', label: 'A sync of 2 pairs' })
  const part = work.begin(of('AB', { kind: 'sync', within: run.id }))
  const obstacles: WorkObstacle[] = []
  const alone = work.beginWhenFree(of('', ALL), { onWait: (obstacle) => obstacles.push(obstacle) })
  t.throws(() => work.begin({ kind: 'sync', label: 'Another sync' }), busy('maintenance'))
  t.throws(() => work.begin(of('C', { kind: 'capture' })), busy('maintenance'))
  part.release()
  const next = await work.beginWhenFree(of('CD', { kind: 'sync', within: run.id }))
  work.begin(of('E')).release()
  next.release()
  run.release()
  const hold = await alone
  t.same(obstacles[0]?.holder, 'sync')
  t.throws(() => work.begin(of('A')), busy('maintenance'))
  t.throws(() => work.begin(of('A', { within: run.id })), { code: 'PLH_INVALID' })
  using _inside = work.begin(of('A', { kind: 'capture', within: hold.id }))
  hold.release()
})

t.test('a block holds work that has not started, by kind, and states why', async (t) => {
  const changes: string[] = []
  const work = createWorkRegistry({ clock, onBlock: (change, { code }) => changes.push(`${change} ${code}`) })
  const run = work.begin(of('A', { kind: 'sync' }))
  const release = work.block({ code: 'disk_low', message: 'The disk is almost full.', kinds: ['sync', 'capture'] })
  t.throws(() => work.begin(of('B', { kind: 'capture' })), {
    code: 'PLH_CONFLICT',
    wire: 'disk_low',
    details: { since: 1_800_000_000 },
  })
  work.begin(of('A', { kind: 'sync', within: run.id })).release()
  work.begin(of('B', { kind: 'maintenance' })).release()
  const reasons: string[] = []
  const waiting = work.beginWhenFree(of('A', { kind: 'sync' }), { onWait: ({ code }) => reasons.push(code) })
  run.release()
  await turn()
  t.same(reasons, ['busy', 'disk_low'], 'the reason changes while it waits')
  t.match(work.blocks(), [{ code: 'disk_low', plugin: 'core', sinceMs: clock.now() }])
  await release()
  await release()
  ;(await waiting).release()
  t.same(changes, ['blocked disk_low', 'unblocked disk_low'])
})

t.test('holds, blocks and waits end with the plugin', async (t) => {
  const work = createWorkRegistry({ clock })
  const [one, other] = [work.of('one'), work.of('other')]
  const hold = one.begin(of('A'))
  one.block({ code: 'mine', message: 'Because.' })
  const left = one.beginWhenFree(of('A'))
  const taken = other.beginWhenFree(of('A'))
  one.close()
  await t.rejects(left, { code: 'PLH_ABORTED' })
  const now = await taken
  hold.release()
  t.match(work.current(), [{ plugin: 'other' }])
  t.same(work.blocks(), [])
  t.throws(() => one.begin(of('B')), { code: 'PLH_PLUGIN_DISPOSED' })
  await t.rejects(one.beginWhenFree(of('B')), { code: 'PLH_PLUGIN_DISPOSED' })
  now.release()
})

const inConflict = (a: WorkDescription, b: WorkDescription) =>
  a.exclusive === true ||
  b.exclusive === true ||
  (a.accounts ?? []).some(({ provider }) => (b.accounts ?? []).some((other) => other.provider === provider))

t.test(
  'for any requests of people and plugins, nothing runs beside work that excludes it, and all get their turn',
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.record({
              op: fc.constantFrom('begin' as const, 'wait' as const),
              names: fc.subarray(['A', 'B', 'C', 'D']),
              kind: fc.constantFrom<WorkKind>('sync', 'change', 'capture', 'backup'),
              exclusive: fc.boolean(),
              inside: fc.option(fc.nat(9)),
            }),
            fc.record({ op: fc.constantFrom('release' as const, 'abort' as const), which: fc.nat(9) }),
            fc.record({ op: fc.constant('block' as const), which: fc.nat(9) }),
          ),
          { maxLength: 60 },
        ),
        async (steps) => {
          const work = createWorkRegistry({ clock })
          const holds = new Set<WorkHold>()
          const stops: AbortController[] = []
          const ends: Promise<unknown>[] = []
          const blocks: (() => unknown)[] = []
          let [asked, settled] = [0, 0]
          // The holds that each hold was part of when it was requested.
          const wholes = new Map<string, readonly string[]>()
          const wholesOf = (within: string | undefined) =>
            within === undefined ? [] : [within, ...wholes.get(within)!]
          const check = () => {
            const now: readonly CurrentWork[] = work.current()
            const isPart = (one: CurrentWork, two: CurrentWork) => wholesOf(one.within).includes(two.id)
            for (const one of now)
              for (const two of now)
                if (one !== two && inConflict(one, two) && !isPart(one, two) && !isPart(two, one))
                  throw new Error(`${one.label} goes on beside ${two.label}`)
          }
          const add = (hold: WorkHold, within: string | undefined) => {
            wholes.set(hold.id, wholesOf(within))
            holds.add(hold)
          }
          for (const step of steps) {
            if (step.op === 'begin' || step.op === 'wait') {
              const { names, kind, exclusive, inside } = step
              const parent = inside === null ? undefined : [...holds][inside]
              const wanted = of(names.join(''), {
                kind,
                exclusive: exclusive && names.length === 0,
                ...(parent === undefined ? {} : { within: parent.id }),
              })
              if (step.op === 'begin') {
                try {
                  add(work.begin(wanted), wanted.within)
                } catch {}
              } else {
                const stop = new AbortController()
                stops.push(stop)
                asked += 1
                ends.push(
                  work.beginWhenFree(wanted, { signal: stop.signal }).then(
                    (hold) => {
                      settled += 1
                      add(hold, wanted.within)
                    },
                    () => {
                      settled += 1
                    },
                  ),
                )
              }
            } else if (step.op === 'release') {
              const one = [...holds][step.which]
              if (one !== undefined) {
                holds.delete(one)
                one.release()
              }
            } else if (step.op === 'abort') stops[step.which]?.abort()
            else if (step.op === 'block' && step.which < 5)
              blocks.push(work.block({ code: 'x', message: 'X.', ...(step.which < 3 ? { kinds: ['sync'] } : {}) }))
            else blocks.shift()?.()
            check()
            if (step.op !== 'begin') await turn()
            check()
          }
          for (const release of blocks) release()
          await turn()
          while (settled < asked) {
            const [one] = holds
            if (one === undefined) throw new Error('what waits does not begin although all is free')
            holds.delete(one)
            one.release()
            check()
            await turn()
          }
          await Promise.all(ends)
        },
      ),
      { numRuns: runsOf(500) },
    ),
)
