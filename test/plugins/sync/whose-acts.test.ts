// The origin of a change, as people see it: in a plan and its preview, in the list of unsynced items, and in the history of
// an item.
import t from 'tap'
import { createTestHost } from '@playhead/sdk/testing'
import { SYNC, type SyncService } from '@playhead/sdk'
import plugin from '../../../plugins/services/sync/index.ts'
import { openArchive } from '../events/support.ts'
import { FakeAccount, setCatalogue } from './world/account.ts'
import { directoryOf, featureCapabilities } from './world/world.ts'
import { numberedWork, workNamed } from './world/works.ts'

const MANIFEST = new URL('../../../plugins/services/sync/plugin.json', import.meta.url)
const HEAT = workNamed('heat')
const ALIEN = workNamed('alien')
const ANCHORS = Array.from({ length: 3 }, (_, index) => numberedWork(index))
const KEY = encodeURIComponent('movie:tmdb:949')
const ON = { enabled: true, add: true, remove: true, types: 'all', mode: 'all' }

/** Accounts with pairs over HTTP, and the archive of events. */
async function house(ids: readonly string[], pairs: readonly (readonly [source: string, target: string])[]) {
  setCatalogue([HEAT, ALIEN, ...ANCHORS])
  const accounts = ids.map((id) => new FakeAccount({ id, now: Date.now }))
  for (const account of accounts)
    for (const work of ANCHORS) account.put({ work, feature: 'ratings', rating: 5, atMs: Date.UTC(2020, 1, 1) })
  const directory = directoryOf(accounts)
  const archive = await openArchive({ capabilities: { accounts: directory } })
  const host = await createTestHost({
    plugin,
    manifest: MANIFEST,
    capabilities: {
      accounts: directory,
      ...Object.fromEntries(accounts.map((account) => [`provider:${account.id}`, account])),
      events: archive.archive,
      ...Object.fromEntries(await featureCapabilities()),
    },
  })
  const sync = host.capability<SyncService>(SYNC)
  const call = async (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) => {
    const answer = await host.inject({ method, url, ...(payload === undefined ? {} : { payload }) })
    if (answer.statusCode !== 200) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.body}`)
    return answer.json()
  }
  for (const [source, target] of pairs)
    await call('POST', '/api/pairs', { source, target, mode: 'two_way', enabled: true, features: { ratings: ON } })
  return {
    accounts,
    call,
    async run(payload: object = {}) {
      const { run_id: runId } = await call('POST', '/api/run', payload)
      await sync.finished(runId)
      return runId as string
    },
    async undo(runId: string) {
      const { run_id: own } = await call('POST', `/api/run/${runId}/undo`, { dry_run: false })
      await sync.finished(own)
      return own as string
    },
    /** Events of the film, oldest first. */
    async story() {
      await archive.archive.flushed()
      return (await archive.get(`item/${KEY}`)).items.toReversed()
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await archive.host.close()
    },
  }
}

t.test('the history of an item shows each transition, and whose act caused it', async (t) => {
  await using home = await house(['ANN', 'BEN'], [['ANN', 'BEN']])
  const { run, call } = home
  const [ann, ben] = home.accounts as [FakeAccount, FakeAccount]
  await run()
  await run()
  ann.put({ work: HEAT, feature: 'ratings', rating: 8 })
  const added = await run()
  await run()
  ben.put({ work: HEAT, feature: 'ratings', rating: 5 })
  const changed = await run()
  await run()
  ann.drop('ratings', HEAT)
  const removed = await run()
  const undone = await home.undo(removed)

  const of = (provider: string) => ({ provider, instance: 'default' })
  const steps = (await home.story()).filter(({ event_type: type }: any) => type === 'write_succeeded')
  t.match(steps, [
    {
      ...{ operation: 'add', destination_provider: 'BEN', run_id: added, reason_code: 'new_on_a' },
      origin: { ...of('ANN'), act: 'set', by: 'person', value: '8' },
      origin_label: /^You rated it 8 at ANN on \d+ \w+ \d{4}\.$/,
    },
    {
      ...{ operation: 'update', destination_provider: 'ANN', run_id: changed, reason_code: 'changed_on_b' },
      ...{ old_value: '8', new_value: '5' },
      origin: { ...of('BEN'), act: 'set', by: 'person', value: '5' },
      origin_label: /^You rated it 5 at BEN on \d+ \w+ \d{4}\.$/,
    },
    {
      ...{ operation: 'remove', destination_provider: 'BEN', run_id: removed, reason_code: 'removed_on_a' },
      origin: { ...of('ANN'), act: 'remove', at: null, by: 'person', from_at: String, to_at: String },
      origin_label: /^Removed at ANN (?:on|between) .*\d{4}\.$/,
    },
    {
      ...{ operation: 'add', destination_provider: 'BEN', run_id: undone, reason_code: 'undo' },
      origin: { ...of('BEN'), act: 'set', by: 'undo' },
      origin_label: /^An undo changed it at BEN on \d+ \w+ \d{4}\.$/,
    },
  ])
  t.equal(steps.length, 4)

  const items = await call('GET', `/api/runs/${changed}/items`)
  t.match(items.items, [
    { origin: { ...of('BEN'), by: 'person' }, origin_label: /^You rated it 5 at BEN on \d+ \w+ \d{4}\.$/ },
  ])
})

t.test('a plan, its preview and the list of what is not synced say it in a chain', async (t) => {
  await using home = await house(
    ['ANN', 'BEN', 'CAT'],
    [
      ['ANN', 'BEN'],
      ['BEN', 'CAT'],
    ],
  )
  const { run, call } = home
  const [ann, , cat] = home.accounts as [FakeAccount, FakeAccount, FakeAccount]
  await run()
  await run()
  ann.put({ work: HEAT, feature: 'ratings', rating: 8 })
  cat.missing.add('heat')
  const planOf = async (runId: string, index: number) => {
    const { pairs } = await call('GET', `/api/runs/${runId}`)
    return await call('GET', `/api/run/plan/${pairs[index].features[0].plan_id}`)
  }
  const person = { provider: 'ANN', instance: 'default', act: 'set', by: 'person', value: '8', at: String }
  const row = { origin: person, origin_label: /^You rated it 8 at ANN on \d+ \w+ \d{4}\.$/, origin_carrier: null }
  t.match((await planOf(await run({ dry_run: true }), 0)).items, [row], 'a preview')
  const runId = await run()
  t.match((await planOf(runId, 0)).items, [row])
  const inherited = {
    origin: { ...person, by: 'written' },
    origin_label: /^You rated it 8 at ANN on \d+ \w+ \d{4}\. BEN shows what Playhead wrote\.$/,
    origin_carrier: { provider: 'BEN', instance: 'default' },
  }
  t.match((await planOf(runId, 1)).items, [inherited])
  const { items } = await call('GET', '/api/run/unresolved?scope=all')
  t.match(items, [{ provider: 'CAT', reason_code: 'not_found', ...inherited }])
  t.match(
    (await home.story()).find(({ event_type: type }: any) => type === 'unresolved_recorded'),
    { destination_provider: 'CAT', origin: inherited.origin, origin_label: inherited.origin_label },
  )
})

t.test('what a removed pair wrote is still known as written, with its data deleted too', async (t) => {
  await using home = await house(['ANN', 'BEN', 'CAT'], [['ANN', 'BEN']])
  const { run, call } = home
  await run()
  home.accounts[0]!.put({ work: HEAT, feature: 'ratings', rating: 8 })
  await run()
  const [pair] = await call('GET', '/api/pairs')
  await call('DELETE', `/api/pairs/${pair.id}?purge_state=true`)
  await call('POST', '/api/pairs', {
    source: 'BEN',
    target: 'CAT',
    mode: 'two_way',
    enabled: true,
    features: { ratings: ON },
  })
  const { pairs } = await call('GET', `/api/runs/${await run({ dry_run: true })}`)
  const { items } = await call('GET', `/api/run/plan/${pairs[0].features[0].plan_id}`)
  t.match(items, [
    { origin: { provider: 'ANN', by: 'written', act: 'set', value: '8' }, origin_carrier: { provider: 'BEN' } },
  ])
})
