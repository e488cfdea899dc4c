// slow: the whole service, or very many cases
// Reads of an account outside a run: they show current data, and runs do not use them.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { Feature, RefreshReport } from '@playhead/sdk'
import { createHoldings } from '../../../plugins/services/sync/library/holdings.ts'
import { settled } from '../sync-engine/support.ts'
import type { ReadFault } from './world/account.ts'
import { ALL_FEATURES, begin, entryOf, holdings, lives, NAMES } from './world/scenario.ts'
import { WORKS } from './world/works.ts'
import type { World } from './world/world.ts'

interface Refresh {
  readonly account: number
  readonly feature: Feature
  readonly mode: 'replace' | 'merge'
  readonly dryRun: boolean
  readonly approved: boolean
  readonly fault: ReadFault | undefined
}

const FAULTS: readonly ReadFault[] = [
  'throw',
  'partial',
  'empty',
  'duplicates',
  'shuffle',
  'wrong_account',
  'no_end',
  'malformed',
  'unreadable',
  'title_only',
]
const BROKEN = new Set<ReadFault>(['throw', 'partial', 'no_end', 'malformed'])

const refreshes = (accounts: number, faults: readonly (ReadFault | undefined)[]) =>
  fc.record<Refresh>({
    account: fc.nat({ max: accounts - 1 }),
    feature: fc.constantFrom(...ALL_FEATURES),
    mode: fc.constantFrom('replace' as const, 'merge' as const),
    dryRun: fc.boolean(),
    approved: fc.boolean(),
    fault: fc.constantFrom(...faults),
  })

async function refresh(world: World, { account, fault, ...order }: Refresh): Promise<RefreshReport | undefined> {
  const one = world.accounts[account]!
  if (fault !== undefined) one.readFaults.push(fault)
  try {
    return await world.engine.refresh(
      { provider: one.id, instance: 'default', ...order },
      world.settings,
      new AbortController().signal,
    )
  } catch (error) {
    if (fault === undefined || !BROKEN.has(fault)) throw error
    return undefined
  } finally {
    one.readFaults.length = 0
  }
}

async function shown({ db }: World, provider: string, feature: Feature) {
  return (await Array.fromAsync(createHoldings(db).rows(provider, 'default', feature))).flat()
}

t.test('property 28: a dry run, a failed, partial or refused read changes no stored data', () =>
  fc.assert(
    fc.asyncProperty(
      lives({ accounts: 2, maxSteps: 2 }),
      fc.array(refreshes(2, [undefined, ...FAULTS]), { minLength: 1, maxLength: 4 }),
      async (life, list) => {
        const lived = await begin(life)
        await using world = lived.world
        for (const step of life.steps) await lived.step(step)
        for (const one of list) {
          const before = world.dump()
          const report = await refresh(world, one)
          const isStored = report?.outcome === 'stored'
          if (!isStored && world.dump() !== before) throw new Error(`changed by ${JSON.stringify(one)}`)
          if (isStored && (one.dryRun || (one.fault !== undefined && BROKEN.has(one.fault))))
            throw new Error(`stored ${JSON.stringify(one)}`)
        }
      },
    ),
    { numRuns: runsOf(15) },
  ),
)

t.test('property 28: after an import the rows are those of the account, and its dry run listed the differences', () =>
  fc.assert(
    fc.asyncProperty(
      lives({ accounts: 2, maxSteps: 2 }),
      fc.array(
        fc.record({ work: fc.nat({ max: WORKS.length - 1 }), op: fc.constantFrom('put' as const, 'drop' as const) }),
        { maxLength: 6 },
      ),
      fc.constantFrom(...ALL_FEATURES),
      async (life, deeds, feature) => {
        const lived = await begin(life)
        await using world = lived.world
        for (const step of life.steps) await lived.step(step)
        for (const { work, op } of deeds) lived.act({ account: 0, feature, work, op, value: 7 })
        const order: Refresh = { account: 0, feature, mode: 'replace', dryRun: true, approved: true, fault: undefined }
        const before = (await shown(world, NAMES[0], feature)).length
        const dry = await refresh(world, order)
        const stored = await refresh(world, { ...order, dryRun: false })
        if (dry === undefined || stored?.outcome !== 'stored') throw new Error('it was not stored')
        for (const name of ['count', 'added', 'removed', 'changed'] as const)
          if (dry[name] !== stored[name]) throw new Error(`${name}: ${dry[name]} announced, ${stored[name]} done`)
        const rows = await shown(world, NAMES[0], feature)
        const entries = world.account(NAMES[0]).of(feature)
        const works = new Set(entries.map(({ work }) => work.name)).size
        if (rows.length !== stored.count || (rows.length !== works && rows.length !== entries.length))
          throw new Error(`${rows.length} rows shown, ${stored.count} read, ${works} works`)
        if (stored.count !== before + stored.added - stored.removed)
          throw new Error(`${before} + ${stored.added} - ${stored.removed} are not ${stored.count}`)
        const again = await refresh(world, { ...order, dryRun: false })
        if (again!.added + again!.removed + again!.changed > 0) throw new Error('the second finds differences')
      },
    ),
    { numRuns: runsOf(25) },
  ),
)

for (const tellsListsOnly of [false, true]) {
  t.test(
    `property 28: runs with imports in between have the same result as without${tellsListsOnly ? ', and prove absences themselves' : ''}`,
    () =>
      fc.assert(
        fc.asyncProperty(
          lives({ accounts: 3, maxSteps: 4 }),
          fc.array(fc.array(refreshes(3, [undefined, undefined, ...FAULTS]), { maxLength: 2 }), { maxLength: 4 }),
          async (life, list) => {
            const prepare = (accounts: World['accounts']) => {
              for (const account of accounts) account.tellsListsOnly = tellsListsOnly
            }
            const [plain, mixed] = [await begin(life, { prepare }), await begin(life, { prepare })]
            await using one = plain.world
            await using two = mixed.world
            const removals = (world: World) =>
              world.accounts.flatMap(({ writes }) =>
                writes
                  .filter(({ op }) => op === 'remove')
                  .map(({ account, feature, work }) => `${account} ${feature} ${work}`),
              )
            for (const [place, step] of [...life.steps, ...Array.from({ length: 3 }, () => QUIET)].entries()) {
              await plain.step(step)
              for (const each of list[place] ?? []) await refresh(two, each)
              await mixed.step(step)
              for (const each of list[place] ?? []) await refresh(two, each)
              const known = new Set(removals(one))
              const more = removals(two).filter((text) => !known.has(text))
              if (more.length > 0) throw new Error(`removed only with imports: ${more.join('; ')}`)
            }
            if (tellsListsOnly) return
            for (const [place, account] of one.accounts.entries()) {
              const [a, b] = [holdings(account), holdings(two.accounts[place]!)]
              if (a.join() !== b.join()) throw new Error(`${account.id}: ${a} and ${b}`)
            }
          },
        ),
        { numRuns: runsOf(12) },
      ),
  )
}

const QUIET = { actions: [], readFaults: [], writeFaults: [], days: 0 }

t.test('a read that lacks many rows is shown only if that is approved, and no run believes it', async (t) => {
  for (const approved of [false, true]) {
    const { world, ann, ben } = await settled({ count: 40 })
    await using _world = world
    ann.incremental = true
    const all = ann.entries
    ann.entries = ann.entries.slice(0, 5)
    const report = await refresh(world, {
      account: 0,
      feature: 'watchlist',
      mode: 'replace',
      dryRun: false,
      approved,
      fault: undefined,
    })
    t.match(
      report,
      approved
        ? { outcome: 'stored', count: 5, removed: 35 }
        : { outcome: 'refused', reason: 'shrunk_read', removed: 35 },
    )
    t.equal((await shown(world, 'ANN', 'watchlist')).length, approved ? 5 : 40)
    ann.entries = all
    await world.run()
    await world.run()
    t.equal(ben.of('watchlist').length, 40)
    t.equal(ann.of('watchlist').length, 40)
    t.equal((await shown(world, 'ANN', 'watchlist')).length, 40)
  }
})

t.test('merged, rows that the read lacks stay until a run reads the account', async (t) => {
  const { world, ann, films } = await settled({ count: 20 })
  await using _world = world
  const [gone] = films
  ann.drop('watchlist', gone!)
  ann.put(entryOf('watchlist', WORKS[0]!, 1))
  const order: Refresh = {
    account: 0,
    feature: 'watchlist',
    mode: 'merge',
    dryRun: false,
    approved: false,
    fault: undefined,
  }
  t.match(await refresh(world, order), { outcome: 'stored', count: 20, added: 1, removed: 1 })
  t.equal((await shown(world, 'ANN', 'watchlist')).length, 21)
  t.match(await refresh(world, { ...order, mode: 'replace' }), { outcome: 'stored', added: 0, removed: 1 })
  t.equal((await shown(world, 'ANN', 'watchlist')).length, 20)
})

t.test('an account that is held by a run, missing, or without the feature', async (t) => {
  const { world, ann } = await settled({ count: 4 })
  await using _world = world
  const order: Refresh = {
    account: 0,
    feature: 'watchlist',
    mode: 'replace',
    dryRun: false,
    approved: false,
    fault: undefined,
  }
  const { read } = ann
  const meanwhile: Promise<unknown>[] = []
  ann.read = async function* (...given) {
    ann.read = read
    meanwhile.push(refresh(world, order).catch((error: unknown) => error))
    await meanwhile[0]
    yield* Reflect.apply(read, ann, given)
  }
  await world.run()
  t.match(await Promise.all(meanwhile), [{ code: 'PLH_CONFLICT', wire: 'busy' }])
  t.match(await refresh(world, { ...order, fault: 'wrong_account' }), { outcome: 'refused', reason: 'account_changed' })
  const ask = (provider: string, feature: Feature) =>
    world.engine.refresh({ provider, instance: 'default', feature }, world.settings, new AbortController().signal)
  await t.rejects(ask('NOPE', 'watchlist'), { code: 'PLH_NOT_FOUND' })
  await t.rejects(ask('ANN', 'playlists'), { code: 'PLH_UNSUPPORTED', wire: 'unsupported_feature' })
})
