// slow: the whole service, or very many cases
// Mappings in the service over random lives: people edit lists at both ends between runs, services fail, and lists are renamed,
// deleted, recreated, filled up or made smart. With the real sync and the real policy.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { type FakeAccount, type FakeList, type Naming, type ReadFault, type WriteFault, worksOf } from './account.ts'
import { openWorld } from './world.ts'

t.setTimeout(900_000)
const world = await openWorld()
atEndOfFile(() => world[Symbol.asyncDispose]())
const [ann, ben] = [world.account('ANN'), world.account('BEN')]

const WORKS = 9
const work = fc.nat({ max: WORKS - 1 })
const works = fc.uniqueArray(work, { maxLength: 8 })
const kind = fc.constantFrom('direct', 'one_way', 'bidirectional')
const membership = fc.constantFrom('add_only', 'managed_only', 'mirror')
const naming = fc.constantFrom<Naming>('both', 'tmdb', 'imdb')
const setup = fc.record({
  ...{ source: works, target: works, second: works, kind, membership, naming },
  order: fc.constantFrom('ignore', 'preserve'),
  repeats: fc.boolean(),
})
type Setup = typeof setup extends fc.Arbitrary<infer Value> ? Value : never

type Act = readonly ['add' | 'remove' | 'front' | 'reverse' | 'again' | 'clear', number]
const acts = fc.array(
  fc.tuple(
    fc.constantFrom('add', 'add', 'remove', 'remove', 'front', 'reverse', 'again', 'clear'),
    fc.nat({ max: 40 }),
  ),
  { maxLength: 4 },
) as fc.Arbitrary<readonly Act[]>
const step = fc.record({ here: acts, there: acts })
const steps = fc.array(step, { minLength: 1, maxLength: 4 })

function act(account: FakeAccount, list: FakeList, [what, n]: Act): void {
  const { entries } = list
  const chosen = entries[n % Math.max(1, entries.length)]
  const isThere = entries.some((entry) => entry.work === n % WORKS)
  if (what === 'add' && (list.list.duplicates || !isThere)) list.entries = [...entries, account.entry(n % WORKS)]
  if (what === 'reverse') list.entries = entries.toReversed()
  if (what === 'clear' && n < 4) list.entries = []
  if (chosen === undefined) return
  if (what === 'remove') list.entries = entries.filter((entry) => entry !== chosen)
  if (what === 'front') list.entries = [chosen, ...entries.filter((entry) => entry !== chosen)]
  // Removed and added again, which gives it another entry id and position.
  if (what === 'again') list.entries = [...entries.filter((entry) => entry !== chosen), account.entry(chosen.work)]
}

function must(condition: boolean, what: string, seen?: unknown): void {
  if (!condition) throw new Error(`${what}: ${JSON.stringify(seen)}`)
}

const REPEATED = { name: 'Rules', per_endpoint_capacity: 100, aggregate_capacity: 1_000 }

/** A mapping with its own lists; its data is removed afterwards. */
async function withMapping<Value>(
  { source, target, second, kind, membership, order, naming, repeats }: Setup,
  live: (scene: Scene) => Promise<Value>,
  rules: object = {},
): Promise<Value> {
  ann.naming = 'both'
  ben.naming = naming
  const from = ann.make(source)
  const targets = [ben.make(target, { duplicates: repeats && kind === 'direct' })]
  if (kind !== 'direct') targets.push(ben.make(second.filter((one) => !target.includes(one))))
  const ids = [await world.endpoint(ann, from)]
  for (const list of targets) ids.push(await world.endpoint(ben, list))
  const ruleset =
    kind === 'direct'
      ? ''
      : (await world.post('rulesets', { ...REPEATED, direction: kind, membership, order, ...rules })).body.ruleset.id
  const [first, ...rest] = ids as [string, ...string[]]
  const fields = { source_endpoint: first, target_endpoints: rest, membership, order, ruleset_id: ruleset }
  const id = await world.mapping(fields)
  const scene: Scene = { id, fields, source: from, targets, endpoints: ids }
  try {
    return await live(scene)
  } finally {
    for (const account of [ann, ben]) {
      account.readFault = undefined
      account.writeFault = undefined
      account.limit = Infinity
      account.lacks.clear()
    }
    for (const { id: one } of (await world.get('mappings')).body.mappings) await world.delete(`mappings/${one}`)
    for (const { id: one } of (await world.get('endpoints')).body.endpoints) await world.delete(`endpoints/${one}`)
    if (ruleset !== '') await world.delete(`rulesets/${ruleset}`)
  }
}

interface Scene {
  readonly id: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly source: FakeList
  readonly targets: readonly FakeList[]
  readonly endpoints: readonly string[]
}

function live({ source, targets }: Scene, { here, there }: { here: readonly Act[]; there: readonly Act[] }): void {
  for (const one of here) act(ann, source, one)
  for (const [n, one] of there.entries()) act(ben, targets[n % targets.length]!, one)
}

/** Number of calls with writes since the mark. */
const marks = () => [ann, ben].map(({ writes }) => writes.length) as [number, number]
const since = ([a, b]: readonly [number, number]) => ({ ann: ann.writes.slice(a), ben: ben.writes.slice(b) })
const shape = ({ source, targets }: Scene) => JSON.stringify([source, ...targets].map(({ entries }) => entries))
const planOf = (plan: any) => ({
  adds: plan.planned_additions,
  removes: plan.planned_removals,
  moves: plan.reorder_count,
  blocked: plan.blocked_removals,
  warnings: plan.warnings,
  keys: [plan.additions ?? null, plan.removals ?? null, plan.per_target ?? null],
})
const isQuiet = (plan: any) => plan.planned_additions + plan.planned_removals + plan.reorder_count === 0

t.test('property 7: preview and dry run write nothing, and equal the plan of the run', () =>
  fc.assert(
    fc.asyncProperty(setup, steps, fc.boolean(), (spec, lives, approved) =>
      withMapping(spec, async (scene) => {
        const options = approved ? { confirm_mass_delete: true } : {}
        for (const one of lives) {
          live(scene, one)
          const before = [shape(scene), marks()] as const
          const preview = await world.preview(scene.id, options)
          const last = (await world.get(`mappings/${scene.id}/result`)).body.result
          const dry = (await world.post(`mappings/${scene.id}/run?dry_run=true`, options)).body.result
          must(shape(scene) === before[0], 'preview or dry run wrote')
          const { ann: here, ben: there } = since(before[1])
          must(here.length + there.length === 0, 'calls', { here, there })
          const stored = (await world.get(`mappings/${scene.id}/result`)).body.result
          must(JSON.stringify(last) === JSON.stringify(stored), 'a dry run is not stored')
          must(dry.finished_at === undefined && dry.dry_run === true, 'dry', dry)
          const run = await world.run(scene.id, options)
          const plans = [preview, dry, run].map((one) => JSON.stringify(planOf(one)))
          must(plans[0] === plans[1] && plans[1] === plans[2], 'plans', plans)
        }
      }),
    ),
    { numRuns: runsOf(12) },
  ),
)

t.test('property 8: a second run plans nothing', () =>
  fc.assert(
    fc.asyncProperty(setup, steps, (spec, lives) =>
      withMapping(spec, async (scene) => {
        for (const one of lives) {
          live(scene, one)
          const options = { confirm_mass_delete: true }
          const first = await world.run(scene.id, options)
          must(first.ok, 'first', first)
          const mark = marks()
          const again = await world.run(scene.id, options)
          must(isQuiet(again), 'second run', { first, again })
          must(since(mark).ann.length + since(mark).ben.length === 0, 'writes', since(mark))
        }
      }),
    ),
    { numRuns: runsOf(12) },
  ),
)

t.test('property 9: for any edits, a run removes only what its membership allows', () =>
  fc.assert(
    fc.asyncProperty(setup, steps, (spec, lives) =>
      withMapping({ ...spec, repeats: false }, async (scene) => {
        const { source, targets } = scene
        const isOneWay = spec.kind !== 'bidirectional'
        const mine = new Set<number>()
        const held = () => new Set(targets.flatMap(worksOf))
        for (const one of lives) {
          live(scene, one)
          for (const n of [...mine]) if (!held().has(n)) mine.delete(n)
          const before = held()
          const mark = marks()
          const result = await world.run(scene.id, { confirm_mass_delete: true })
          must(result.ok, 'ok', result)
          const after = held()
          const gone = [...before].filter((n) => !after.has(n))
          for (const n of after) if (!before.has(n)) mine.add(n)
          if (isOneWay) must(since(mark).ann.length === 0, 'the source was written', since(mark).ann)
          if (spec.membership === 'add_only') must(!since(mark).ben.includes('remove'), 'removed', gone)
          if (isOneWay && spec.membership === 'managed_only')
            must(
              gone.every((n) => mine.has(n) && !worksOf(source).includes(n)),
              'not its own',
              { gone, mine: [...mine] },
            )
          if (isOneWay && spec.membership === 'mirror')
            must(
              [...after].every((n) => worksOf(source).includes(n)),
              'mirror',
              [...after],
            )
          for (const list of targets) must(new Set(worksOf(list)).size === list.entries.length, 'twice', worksOf(list))
        }
      }),
    ),
    { numRuns: runsOf(12) },
  ),
)

const failing = fc.constantFrom<ReadFault>('throws', 'throws_midway', 'partial', 'times_out')

t.test('property 10: without two complete reads, or a writable list, nothing is written', () =>
  fc.assert(
    fc.asyncProperty(
      setup,
      steps,
      fc.oneof(
        fc.record({ at: fc.constantFrom('ann', 'ben'), what: failing }),
        fc.record({ at: fc.constantFrom('ann', 'ben'), what: fc.constantFrom('deleted', 'made_again') }),
        fc.record({ at: fc.constant('ben'), what: fc.constantFrom('smart', 'foreign', 'unwritable') }),
      ),
      (spec, lives, { at, what }) =>
        withMapping(spec, async (scene) => {
          await world.run(scene.id, { confirm_mass_delete: true })
          for (const one of lives) live(scene, one)
          const account = at === 'ann' ? ann : ben
          const list = at === 'ann' ? scene.source : scene.targets[0]!
          const place = account.lists_.indexOf(list)
          const facts = list.list
          if (what === 'smart' || what === 'foreign')
            list.list = { ...facts, can: [], readOnly: what === 'smart' ? 'dynamic' : 'foreign' }
          else if (what === 'unwritable') list.list = { ...facts, can: [] }
          else if (what === 'deleted' || what === 'made_again') account.lists_.splice(place, 1)
          else account.readFault = what
          if (what === 'made_again') account.make([], { title: facts.title, id: `again-${facts.id}` })
          // List metadata is cached for some seconds.
          await world.get(`resources?provider=${account.id}`)
          const before = shape(scene)
          const mark = marks()
          const { status, body } = await world.post(`mappings/${scene.id}/run`, { confirm_mass_delete: true })
          const preview = await world.post(`mappings/${scene.id}/preview`, {})
          const calls = since(mark)
          must(shape(scene) === before && calls.ann.length + calls.ben.length === 0, 'written', calls)
          const error = status === 200 ? body.result.error : body.error
          must(typeof error === 'string' && error !== 'internal_error', 'a code', [status, body])
          must(status !== 200 || body.result.ok === false, 'not ok', body)
          must(preview.status !== 500, 'preview', preview)
          const expected: Record<string, string> = {
            smart: 'target_smart',
            foreign: 'target_read_only',
            unwritable: 'target_read_only',
            deleted: at === 'ann' ? 'source_not_found' : 'target_not_found',
            made_again: at === 'ann' ? 'source_not_found' : 'target_not_found',
            partial: 'incomplete_read',
            times_out: 'provider_timeout',
          }
          must(error === (expected[what] ?? 'provider_unreachable'), 'error', [what, error])
          // The stored state is kept: with the list back in its previous state, nothing counts as new or lost.
          account.readFault = undefined
          list.list = facts
          if (what === 'deleted' || what === 'made_again') account.lists_.splice(place, 0, list)
          await world.get(`resources?provider=${account.id}`)
          await world.run(scene.id, { confirm_mass_delete: true })
          must(isQuiet(await world.run(scene.id, { confirm_mass_delete: true })), 'settles')
        }),
    ),
    { numRuns: runsOf(16) },
  ),
)

t.test(
  'property 11: a side that returns nothing removes nothing at the other, and is refilled only if it is really empty',
  () =>
    fc.assert(
      fc.asyncProperty(setup, fc.constantFrom(ann, ben), (spec, account) =>
        withMapping(spec, async (scene) => {
          await world.run(scene.id)
          await world.run(scene.id)
          const other = account === ann ? scene.targets : [scene.source]
          const before = JSON.stringify(other.map(worksOf))
          account.readFault = 'empty'
          const mark = marks()
          for (let turn = 0; turn < 3; turn += 1) await world.run(scene.id)
          must(!since(mark)[account === ann ? 'ben' : 'ann'].includes('remove'), 'removed', since(mark))
          account.readFault = undefined
          for (let turn = 0; turn < 3; turn += 1) await world.run(scene.id)
          const kept = other.flatMap(worksOf)
          must(
            (JSON.parse(before) as number[][]).flat().every((n) => kept.includes(n)),
            'kept',
            { before, kept },
          )
          // A list that accepts duplicates gets the item again, and add_only keeps both.
          for (const list of scene.targets)
            if (!spec.repeats || spec.membership !== 'add_only')
              must(new Set(worksOf(list)).size === list.entries.length, 'twice', worksOf(list))
        }),
      ),
      { numRuns: runsOf(12) },
    ),
)

t.test('property 12: one-way, the source is never written, in any case', () =>
  fc.assert(
    fc.asyncProperty(
      setup.filter(({ kind }) => kind !== 'bidirectional'),
      steps,
      fc.array(fc.constantFrom<WriteFault | undefined>(undefined, 'some_fail', 'unknown', 'lost_answer'), {
        minLength: 4,
        maxLength: 4,
      }),
      (spec, lives, faults) =>
        withMapping(spec, async (scene) => {
          const mark = marks()
          for (const [n, one] of lives.entries()) {
            live(scene, one)
            ben.writeFault = faults[n]
            await world.run(scene.id, { confirm_mass_delete: true })
          }
          must(since(mark).ann.length === 0, 'source written', since(mark).ann)
        }),
    ),
    { numRuns: runsOf(10) },
  ),
)

t.test('property 13: two-way, edits on one side make both sides equal in one run', () =>
  fc.assert(
    fc.asyncProperty(setup, steps, fc.boolean(), (spec, lives, isHere) =>
      withMapping({ ...spec, kind: 'bidirectional', membership: 'managed_only' }, async (scene) => {
        const { source, targets } = scene
        const options = { confirm_mass_delete: true }
        await world.run(scene.id, options)
        const extras = new Set(targets.flatMap(worksOf).filter((n) => !worksOf(source).includes(n)))
        for (const { here, there } of lives) {
          live(scene, isHere ? { here, there: [] } : { here: [], there })
          await world.run(scene.id, options)
          const [mine, theirs] = [new Set(worksOf(source)), new Set(targets.flatMap(worksOf))]
          for (const n of mine) extras.delete(n)
          const same = [...theirs].every((n) => mine.has(n) || extras.has(n)) && [...mine].every((n) => theirs.has(n))
          must(same, 'equal', { mine: [...mine], theirs: [...theirs], extras: [...extras] })
        }
      }),
    ),
    { numRuns: runsOf(12) },
  ),
)

t.test('property 14: two-way, a removal on one side is removed on both, and extras of the targets stay', () =>
  fc.assert(
    fc.asyncProperty(setup, work, fc.boolean(), (spec, n, isHere) =>
      withMapping({ ...spec, kind: 'bidirectional', membership: 'managed_only' }, async (scene) => {
        const { source, targets } = scene
        await world.run(scene.id)
        const extras = targets.flatMap(worksOf).filter((one) => !worksOf(source).includes(one))
        const isShared = worksOf(source).includes(n)
        const lists = isHere ? [source] : targets
        // A completely emptied side is a different case: the guard handles it.
        if (!isShared || lists.flatMap(worksOf).length < 2) return
        for (const list of lists) list.entries = list.entries.filter((entry) => entry.work !== n)
        await world.run(scene.id)
        must(!worksOf(source).includes(n) && !targets.flatMap(worksOf).includes(n), 'gone on both')
        must(
          extras.every((one) => targets.flatMap(worksOf).includes(one)),
          'extras',
          extras,
        )
      }),
    ),
    { numRuns: runsOf(12) },
  ),
)

t.test('property 15: an overflow writes nothing, and a list that fills up midway loses nothing', () =>
  fc.assert(
    fc.asyncProperty(
      setup.filter(({ kind }) => kind !== 'direct'),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 4 }),
      (spec, capacity, limit) =>
        withMapping(
          spec,
          async (scene) => {
            const before = shape(scene)
            const mark = marks()
            const first = await world.run(scene.id)
            const sizes = scene.targets.map(({ entries }) => entries.length)
            if (first.error === 'capacity_exceeded') {
              must(first.overflow_count > 0 && first.ok === false, 'overflow', first)
              must(shape(scene) === before && since(mark).ben.length === 0, 'written')
            } else {
              const started = [spec.target.length, scene.targets[1]!.entries.length]
              must(
                sizes.every((size, n) => size <= Math.max(capacity, started[n]!)),
                'capacity',
                sizes,
              )
              const sum = first.per_target.reduce((all: number, one: any) => all + one.planned_additions, 0)
              must(sum + first.source_additions === first.planned_additions, 'sum', first)
            }
            // The account accepts fewer than the rules allow.
            ben.limit = limit
            for (const n of [0, 1, 2]) act(ann, scene.source, ['add', n])
            const here = worksOf(scene.source).length
            const result = await world.run(scene.id)
            must(worksOf(scene.source).length >= Math.min(here, 1), 'the source stays')
            if (result.unresolved_count > 0) must(!result.ok, 'partial', result)
            // Each list is tried once, then the items wait.
            await world.run(scene.id)
            const calls = marks()
            const again = await world.run(scene.id)
            if (result.error === undefined && spec.kind === 'one_way')
              must(!since(calls).ben.includes('add'), 'refused items wait', again)
          },
          { per_endpoint_capacity: capacity },
        ),
    ),
    { numRuns: runsOf(12) },
  ),
)

t.test('property 16: failures are retried, existing items are not, and the number of calls does not grow', () =>
  fc.assert(
    fc.asyncProperty(
      setup,
      fc.constantFrom<WriteFault>('some_fail', 'unknown', 'lost_answer', 'throws', 'rate_limited'),
      fc.uniqueArray(work, { maxLength: 3 }),
      (spec, fault, lacks) =>
        withMapping(spec, async (scene) => {
          for (const n of lacks) ben.lacks.add(n)
          ben.writeFault = fault
          const first = await world.run(scene.id)
          must(first.finished_at !== undefined, 'finished', first)
          ben.writeFault = undefined
          await world.run(scene.id)
          const wanted = worksOf(scene.source).filter((n) => !ben.lacks.has(n))
          const pending = (await world.run(scene.id)).unresolved ?? []
          // An add whose response was lost waits until a read shows it.
          const isWaiting = (n: number) => pending.some(({ title }: { title: string }) => title === `Film ${n}`)
          const there = scene.targets.flatMap(worksOf)
          must(
            wanted.every((n) => there.includes(n) || isWaiting(n)),
            'arrived',
            { wanted, there, pending, fault },
          )
          if (!spec.repeats)
            for (const list of scene.targets) must(new Set(worksOf(list)).size === list.entries.length, 'twice')
          const mark = marks()
          for (let turn = 0; turn < 4; turn += 1) await world.run(scene.id)
          must(since(mark).ben.length + since(mark).ann.length === 0, 'calls', since(mark))
        }),
    ),
    { numRuns: runsOf(16) },
  ),
)

t.test('property 17: a mapping that is recreated, or reversed, removes nothing in its first run', () =>
  fc.assert(
    fc.asyncProperty(setup, steps, fc.constantFrom('again', 'turned', 'other_target'), (spec, lives, how) =>
      withMapping(spec, async (scene) => {
        await world.run(scene.id, { confirm_mass_delete: true })
        for (const one of lives) live(scene, one)
        let id = scene.id
        const [from, to] = scene.endpoints as [string, string]
        if (how === 'again') {
          await world.delete(`mappings/${id}`)
          id = await world.mapping(scene.fields)
          must(id !== scene.id, 'a new id')
        } else if (how === 'turned') {
          // A direct mapping in the other direction.
          const turned = { source_endpoint: to, target_endpoints: [from], ruleset_id: '' }
          must((await world.post('mappings', { id, ...turned })).status === 200, 'turned')
        } else {
          const other = await world.endpoint(ben, ben.make([0, 1, 2, 3]))
          const changed = await world.post('mappings', { id, target_endpoints: [other] })
          must(changed.status === 200, 'changed', changed.body)
        }
        const mark = marks()
        const preview = await world.preview(id)
        const result = await world.run(id)
        must(preview.initial === true && result.planned_removals === 0 && result.removed === 0, 'first', result)
        const { ann: here, ben: there } = since(mark)
        must(![...here, ...there].includes('remove'), 'removed', { here, there })
      }),
    ),
    { numRuns: runsOf(12) },
  ),
)

t.test('property 19: a used object is not deleted, and nothing changes', () =>
  fc.assert(
    fc.asyncProperty(setup, (spec) =>
      withMapping(spec, async ({ endpoints, fields, id }) => {
        const paths = [...endpoints.map((one) => `endpoints/${one}`), `rulesets/${fields['ruleset_id'] || 'RULE-9999'}`]
        const before = JSON.stringify([(await world.get('endpoints')).body, (await world.get('mappings')).body])
        for (const path of paths) {
          const { status, body } = await world.delete(path)
          const isFree = path === 'rulesets/RULE-9999'
          must(status === (isFree ? 404 : 409), path, body)
          if (!isFree) must(body.error === 'in_use' && body.used_by.join() === id, path, body)
        }
        must(
          JSON.stringify([(await world.get('endpoints')).body, (await world.get('mappings')).body]) === before,
          'changed',
        )
      }),
    ),
    { numRuns: runsOf(8) },
  ),
)

t.test('property 20: with preserve the items of the source are in order, and extras keep theirs', () =>
  fc.assert(
    fc.asyncProperty(setup, steps, (spec, lives) =>
      withMapping({ ...spec, order: 'preserve', repeats: false }, async (scene) => {
        for (const one of lives) {
          live(scene, one)
          const extras = scene.targets.map(worksOf)
          const result = await world.run(scene.id, { confirm_mass_delete: true })
          must(result.ok, 'ok', result)
          for (const [index, list] of scene.targets.entries()) {
            const there = worksOf(list)
            const wanted = worksOf(scene.source).filter((n) => there.includes(n))
            const matched = there.filter((n) => wanted.includes(n))
            must(`${matched}` === `${wanted}`, 'order', { matched, wanted, source: worksOf(scene.source) })
            const own = (list: readonly number[]) => list.filter((n) => there.includes(n) && !wanted.includes(n))
            must(`${own(there)}` === `${own(extras[index]!)}`, 'extras', { there, before: extras[index] })
          }
        }
      }),
    ),
    { numRuns: runsOf(12) },
  ),
)

t.test('two mappings fill one list: each removes only its own items, and shared ones stay', () =>
  fc.assert(
    fc.asyncProperty(setup, works, steps, (spec, others, lives) =>
      withMapping(
        { ...spec, kind: 'direct', membership: 'managed_only', order: 'ignore', repeats: false },
        async (scene) => {
          const [, target] = scene.endpoints as [string, string]
          const cat = world.account('CAT')
          const second = cat.make(others)
          const from = await world.endpoint(cat, second)
          const id = await world.mapping({ source_endpoint: from, target_endpoints: [target] })
          const list = scene.targets[0]!
          const start = worksOf(list)
          for (const one of lives) {
            for (const [n, edit] of one.here.entries()) {
              if (n % 2 === 0) act(ann, scene.source, edit)
              else act(cat, second, edit)
            }
            const results = []
            // An item that one mapping releases and the other takes is missing for one round.
            for (const each of [scene.id, id, scene.id, id, scene.id, id]) {
              results.push(await world.run(each, { confirm_mass_delete: true }))
            }
            must(isQuiet(results[4]) && isQuiet(results[5]), 'they do not fight', results)
            const there = worksOf(list)
            const wanted = [...worksOf(scene.source), ...worksOf(second)]
            must(
              [...start, ...wanted].every((n) => there.includes(n)),
              'kept',
              { there, start, wanted },
            )
          }
        },
      ),
    ),
    { numRuns: runsOf(8) },
  ),
)
