// The persons of a household over HTTP: whose each account is, suggestions that wait for a person, and every refusal.
import { assertOnePerson, isPlayheadError, type Person, PERSONS } from '@playhead/sdk'
import { createTestHost, type TestHost } from '@playhead/sdk/testing'
import t from 'tap'
import plugin from '../../../plugins/services/persons/index.ts'

const manifest = new URL('../../../plugins/services/persons/plugin.json', import.meta.url)

interface Fake {
  readonly provider: string
  readonly instance: string
  readonly user?: string
  readonly label?: string
  readonly configured?: boolean
}

const uidOf = ({ provider, instance }: Pick<Fake, 'provider' | 'instance'>) => `${provider}@${instance}`.toLowerCase()
const SAM = { provider: 'MEDIAB', instance: 'default', user: 'Sam' }
const KIM = { provider: 'MEDIAB', instance: 'MEDIAB-P01', user: 'kim', label: 'Kim' }
const SAM_TRACKS = { provider: 'TRACKA', instance: 'default', user: 'sam' }
const KIM_TRACKS = { provider: 'TRACKA', instance: 'TRACKA-P01', user: 'Kim.' }
const OTHER = { provider: 'LISTA', instance: 'default', user: 'somebody' }

function open(accounts: readonly Fake[], more: { readonly pairs?: readonly object[] } = {}): Promise<TestHost> {
  return createTestHost({
    plugin,
    manifest,
    capabilities: {
      accounts: {
        providers: async () => [...new Set(accounts.map(({ provider }) => provider))].map((id) => ({ id, label: id })),
        list: async () =>
          accounts.map((one) => ({
            ...one,
            uid: uidOf(one),
            label: one.label ?? '',
            configured: one.configured ?? true,
          })),
        health: async (provider: string, instance: string) => {
          const user = accounts.find((one) => one.provider === provider && one.instance === instance)?.user
          return { status: 'ok', ...(user === undefined ? {} : { user: { id: user, name: user } }) }
        },
      },
      ...(more.pairs === undefined ? {} : { sync: { pairs: async () => more.pairs } }),
    },
  })
}

const ask = async (host: TestHost, method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) => {
  const answer = await host.inject({ method, url, ...(payload === undefined ? {} : { payload }) })
  return { status: answer.statusCode, body: answer.json() }
}
const overview = async (host: TestHost) => (await host.inject('/api/persons')).json()

t.test('a household without persons has only suggestions, and they assign nothing', async (t) => {
  await using host = await open([SAM, KIM, SAM_TRACKS, KIM_TRACKS, OTHER])
  const first = await overview(host)
  t.match(first, {
    persons: [],
    suggestions: [
      { person: null, name: 'Sam', accounts: [uidOf(SAM), uidOf(SAM_TRACKS)], reason: 'same_name' },
      { person: null, name: 'Kim', accounts: [uidOf(KIM), uidOf(KIM_TRACKS)], reason: 'same_name' },
    ],
  })
  t.equal(first.suggestions.length, 2)
  t.equal(first.accounts.length, 5)
  t.strictSame(await host.capability(PERSONS).list(), [])
})

t.test('a person gets accounts, a free color, and more accounts by a suggestion', async (t) => {
  await using host = await open([SAM, KIM, SAM_TRACKS, KIM_TRACKS, OTHER])
  const sam = await ask(host, 'POST', '/api/persons', { name: ' Sam  ', accounts: [uidOf(SAM)] })
  const kim = await ask(host, 'POST', '/api/persons', { name: 'Kim', color: 'teal' })
  t.match([sam.status, kim.status], [200, 200])
  const { persons, accounts, suggestions } = await overview(host)
  t.match(persons, [
    { id: sam.body.id, name: 'Sam', color: 'blue', accounts: [{ uid: uidOf(SAM), label: 'MEDIAB', user: 'Sam' }] },
    { id: kim.body.id, name: 'Kim', color: 'teal', accounts: [] },
  ])
  t.equal(accounts.length, 4)
  t.match(suggestions, [
    { person: sam.body.id, accounts: [uidOf(SAM_TRACKS)], reason: 'same_name' },
    { person: kim.body.id, accounts: [uidOf(KIM), uidOf(KIM_TRACKS)] },
  ])
  await ask(host, 'PUT', `/api/persons/${kim.body.id}`, { accounts: suggestions[1].accounts })
  t.strictSame(await host.capability(PERSONS).list(), [
    { id: sam.body.id, name: 'Sam', color: 'blue', accounts: [{ provider: 'MEDIAB', instance: 'default' }] },
    {
      id: kim.body.id,
      name: 'Kim',
      color: 'teal',
      accounts: [
        { provider: 'MEDIAB', instance: 'MEDIAB-P01' },
        { provider: 'TRACKA', instance: 'TRACKA-P01' },
      ],
    },
  ])

  t.equal((await ask(host, 'DELETE', `/api/persons/${kim.body.id}`)).status, 200)
  const after = await overview(host)
  t.equal(after.persons.length, 1)
  t.equal(after.accounts.length, 4, 'the accounts stay')
})

t.test('accounts that a pair connects are suggested for the owner of one of them', async (t) => {
  const pair = {
    enabled: true,
    source: 'MEDIAB',
    source_instance: 'default',
    target: 'LISTA',
    target_instance: 'default',
  }
  await using host = await open([SAM, OTHER], { pairs: [pair] })
  t.match((await overview(host)).suggestions, [
    { person: null, name: 'Sam', accounts: [uidOf(SAM), uidOf(OTHER)], reason: 'paired' },
  ])
  const { body } = await ask(host, 'POST', '/api/persons', { name: 'Me', accounts: [uidOf(SAM)] })
  t.match((await overview(host)).suggestions, [{ person: body.id, accounts: [uidOf(OTHER)], reason: 'paired' }])
})

t.test('two persons of one name are told apart by people alone', async (t) => {
  const second = { ...KIM, instance: 'MEDIAB-P02' }
  await using host = await open([KIM, second, KIM_TRACKS])
  await ask(host, 'POST', '/api/persons', { name: 'Kim senior', accounts: [uidOf(KIM)] })
  await ask(host, 'POST', '/api/persons', { name: 'Kim junior', accounts: [uidOf(second)] })
  t.strictSame((await overview(host)).suggestions, [])
})

t.test('refusals change nothing', async (t) => {
  await using host = await open([SAM, KIM])
  const { body: sam } = await ask(host, 'POST', '/api/persons', { name: 'Sam', accounts: [uidOf(SAM)] })
  const before = await overview(host)
  const refusals = [
    await ask(host, 'POST', '/api/persons', {}),
    await ask(host, 'POST', '/api/persons', { name: '   ' }),
    await ask(host, 'POST', '/api/persons', { name: 'x'.repeat(41) }),
    await ask(host, 'POST', '/api/persons', { name: 'Kim \ud83d' }),
    await ask(host, 'POST', '/api/persons', { name: '\udc00' }),
    await ask(host, 'POST', '/api/persons', { name: 'Kim', color: 'plaid' }),
    await ask(host, 'POST', '/api/persons', { name: 'Kim', accounts: ['a', 'a'] }),
    await ask(host, 'POST', '/api/persons', { name: 'Kim', accounts: ['nothing'] }),
    await ask(host, 'POST', '/api/persons', { name: 'Kim', accounts: [uidOf(SAM)] }),
    await ask(host, 'POST', '/api/persons', { name: 'SÁM' }),
    await ask(host, 'PUT', '/api/persons/unknown', { name: 'Kim' }),
    await ask(host, 'DELETE', '/api/persons/unknown'),
  ]
  t.strictSame(
    refusals.map(({ status, body }) => [status, status === 422 ? '' : body.error]),
    [
      [422, ''],
      [422, ''],
      [422, ''],
      [422, ''],
      [422, ''],
      [422, ''],
      [422, ''],
      [404, 'unknown_account'],
      [409, 'account_taken'],
      [409, 'person_exists'],
      [404, 'unknown_person'],
      [404, 'unknown_person'],
    ],
  )
  t.match(refusals[8]?.body, { person: sam.id })
  t.strictSame(await overview(host), before)
  t.equal(
    (await ask(host, 'PUT', `/api/persons/${sam.id}`, { name: 'sam' })).status,
    200,
    'its own name in another case',
  )
})

t.test('an account whose provider does not run stays with its person', async (t) => {
  const accounts: Fake[] = [SAM, SAM_TRACKS]
  await using host = await open(accounts)
  const all = [uidOf(SAM), uidOf(SAM_TRACKS)]
  const { body } = await ask(host, 'POST', '/api/persons', { name: 'Sam', accounts: all })
  accounts.pop()
  await ask(host, 'PUT', `/api/persons/${body.id}`, { accounts: [uidOf(SAM)] })
  t.equal((await host.capability(PERSONS).list())[0]?.accounts.length, 1)
  accounts.push(SAM_TRACKS)
  t.equal((await host.capability(PERSONS).list())[0]?.accounts.length, 2)
})

t.test('accounts of two persons are changed at once only when a person confirms both', (t) => {
  const person = (name: string, account: Fake): Person => ({ id: name, name, color: 'blue', accounts: [account] })
  const household = [person('Sam', SAM), person('Kim', KIM)]
  assertOnePerson([], [[SAM, KIM]], undefined)
  assertOnePerson(household, [[SAM, OTHER]], undefined)
  assertOnePerson(household, [[SAM], [KIM]], undefined)
  assertOnePerson(household, [[SAM, KIM]], true)
  assertOnePerson(household, [[KIM, SAM]], undefined, [[OTHER, SAM, KIM]])
  try {
    assertOnePerson(household, [[OTHER], [{ provider: 'mediab', instance: '' }, KIM]], false, [[SAM, OTHER]])
    t.fail('both persons')
  } catch (error) {
    if (!isPlayheadError(error)) throw error
    t.match([error.wire, error.message, error.details], ['crosses_persons', /Sam and Kim/, { persons: ['Sam', 'Kim'] }])
  }
  t.end()
})
