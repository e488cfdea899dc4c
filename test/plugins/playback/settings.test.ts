// The shown accounts, and their time limit.
import t from 'tap'
import { movie, openWorld } from './world.ts'

const ACCOUNTS = { 'ALPHA@default': [movie(1, 10)], 'ALPHA@ALPHA-P01': [movie(2, 10)], 'BETA@default': [movie(3, 10)] }

t.test('the settings name every account', async (t) => {
  await using world = await openWorld({ providers: { ALPHA: { label: 'Alpha' } }, accounts: ACCOUNTS })
  const { status, body } = await world.get('settings')
  t.equal(status, 200)
  t.match(body, { provider_timeout_seconds: 20, disabled_profiles: [], refreshed_at: /Z$/ })
  t.match(body.profiles, [
    { key: 'ALPHA:default', provider: 'ALPHA', provider_label: 'Alpha', included: true, read: true, reason: '' },
    { key: 'ALPHA:ALPHA-P01', instance_label: 'ALPHA-P01' },
    { key: 'BETA:default' },
  ])
})

t.test('absent settings stay unchanged', async (t) => {
  await using world = await openWorld({ accounts: ACCOUNTS })
  const save = async (body: object) => (await world.post('settings', body)).body.settings
  const shown = (settings: { profiles: { key: string; included: boolean }[] }) =>
    settings.profiles.filter(({ included }) => included).map(({ key }) => key)
  let settings = await save({ profiles: [{ key: 'alpha:DEFAULT', included: false }] })
  t.same(shown(settings), ['ALPHA:ALPHA-P01', 'BETA:default'])
  settings = await save({ provider_timeout_seconds: 30 })
  t.same([shown(settings), settings.provider_timeout_seconds], [['ALPHA:ALPHA-P01', 'BETA:default'], 30])
  settings = await save({ profiles: [{ provider: 'beta', instance_id: 'default', included: false }] })
  t.same(shown(settings), ['ALPHA:ALPHA-P01'], 'profiles that are not named stay as they are')
  settings = await save({ profiles: [], disabled_profiles: [] })
  t.same(shown(settings), ['ALPHA:ALPHA-P01'], 'profiles win over disabled_profiles')
  settings = await save({ disabled_profiles: ['BETA:default', 'NOBODY:default'] })
  t.same([shown(settings), settings.disabled_profiles], [['ALPHA:default', 'ALPHA:ALPHA-P01'], ['BETA:default']])
  settings = await save({ profiles: [{ key: 'NOBODY:default', included: false }] })
  t.same(settings.disabled_profiles, ['BETA:default'], 'unknown profiles are ignored')
  settings = await save({})
  t.same([settings.disabled_profiles, settings.provider_timeout_seconds], [['BETA:default'], 30])
  t.same((await world.list()).items.map(({ title }: { title: string }) => title).toSorted(), ['Movie 1', 'Movie 2'])
})

t.test('a profile whose provider does not run stays excluded', async (t) => {
  await using world = await openWorld({ accounts: ACCOUNTS, settings: { disabled_profiles: ['GONE:default'] } })
  const { body } = await world.post('settings', { profiles: [{ key: 'BETA:default', included: false }] })
  t.same(body.settings.disabled_profiles.toSorted(), ['BETA:default', 'GONE:default'])
})

for (const [given, wanted] of [
  [1, 3],
  [-7, 3],
  [3.4, 3],
  [60, 60],
  [1e9, 60],
] as const) {
  t.test(`the timeout is kept within its limits: ${given}`, async (t) => {
    await using world = await openWorld({ accounts: ACCOUNTS })
    const { body } = await world.post('settings', { provider_timeout_seconds: given })
    t.equal(body.settings.provider_timeout_seconds, wanted)
  })
}

for (const body of [
  { provider_timeout_seconds: 'long' },
  { profiles: 'ALPHA:default' },
  { profiles: [{ key: 'ALPHA:default' }] },
  { profiles: [{ key: 'ALPHA:default', included: 'perhaps' }] },
  { disabled_profiles: [{}] },
  { disabled_profiles: ['x'.repeat(201)] },
  [],
]) {
  t.test(`invalid settings are refused: ${JSON.stringify(body).slice(0, 60)}`, async (t) => {
    await using world = await openWorld({ accounts: ACCOUNTS, settings: { disabled_profiles: ['BETA:default'] } })
    t.equal((await world.post('settings', body)).status, 422)
    t.same((await world.get('settings')).body.disabled_profiles, ['BETA:default'])
  })
}

t.test('changed settings clear the cache', async (t) => {
  await using world = await openWorld({ accounts: ACCOUNTS })
  await world.list()
  await world.post('settings', { profiles: [{ key: 'BETA:default', included: false }] })
  await world.list()
  t.equal(world.account('ALPHA@default').reads.length, 2)
  t.equal(world.account('BETA@default').reads.length, 1)
})
