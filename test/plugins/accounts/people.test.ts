// Users of a server as accounts, over HTTP: the list, an account made of a user, its confirmation, and every refusal.
import { PlayheadError, type ServerUser, type UsersProvider } from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import t from 'tap'
import plugin from '../../../plugins/services/accounts/index.ts'
import { type FakeProvider, fakeProvider, jellyfin, profile, trakt } from './fake-provider.ts'

const manifest = new URL('../../../plugins/services/accounts/plugin.json', import.meta.url)
const PEOPLE = '/api/connections/MEDIAB/default/people'
const UID = /^[0-9a-f]{32}$/

const user = (id: string, more: Partial<ServerUser> = {}): ServerUser => ({
  id,
  name: id.toUpperCase(),
  account: `server/${id}`,
  isSelf: false,
  ...more,
})
const USERS = [
  user('sam', { isSelf: true }),
  user('kim'),
  user('pat', { refusal: 'own_sign_in' }),
  user('kid', { secret: 'PIN' }),
]

function server(over: Partial<UsersProvider> = {}): FakeProvider & UsersProvider {
  const provider = fakeProvider({ id: 'MEDIAB', token: 'mediaB', label: 'Jellyfin', users: true }, [profile('default')])
  return Object.assign(provider, {
    users: async () => USERS,
    async actAs(instance: string, { id }: { readonly id: string }) {
      const { name, account } = USERS.find((one) => one.id === id)!
      provider.calls.push(['actAs', instance, id])
      provider.rows.push(profile('MEDIAB-P01', { label: name, actsAs: { via: instance, id, account, name } }))
      return 'MEDIAB-P01'
    },
    async confirmUser(instance: string) {
      provider.calls.push(['confirmUser', instance])
    },
    ...over,
  })
}

const open = (providers: Readonly<Record<string, FakeProvider>>) =>
  createTestHost({
    plugin,
    manifest,
    capabilities: Object.fromEntries(Object.entries(providers).map(([id, one]) => [`provider:${id}`, one])),
  })

t.test('the users of a server are listed with what can be done, and become accounts with one call', async (t) => {
  const provider = server()
  await using host = await open({ MEDIAB: provider })
  const rows = async () =>
    (await host.inject(PEOPLE)).json().people.map((one: any) => [one.name, one.state, one.instance, one.secret])
  t.strictSame(await rows(), [
    ['SAM', 'self', null, null],
    ['KIM', 'available', null, null],
    ['PAT', 'own_sign_in', null, null],
    ['KID', 'available', null, 'PIN'],
  ])
  const made = await host.inject({ method: 'POST', url: PEOPLE, payload: { id: 'kim' } })
  t.match(made.json(), { ok: true, id: 'MEDIAB-P01', uid: UID, profile: { label: 'KIM', configured: true } })
  t.match((await rows())[1], ['KIM', 'account', 'MEDIAB-P01', null])
  t.match((await host.inject('/api/connections')).json().connections[0].profiles, [
    { id: 'default', acts_as: null, used_by: [{ feature: 'acting', label: 'KIM', instance: 'MEDIAB-P01' }] },
    { id: 'MEDIAB-P01', acts_as: { via: 'default', name: 'KIM' } },
  ])

  const again = await host.inject({ method: 'POST', url: PEOPLE, payload: { id: 'kim' } })
  t.equal(again.statusCode, 409)
  t.match(again.json(), { error: 'user_has_account', instance: 'MEDIAB-P01' })
  const confirmed = await host.inject({ method: 'POST', url: '/api/connections/MEDIAB/MEDIAB-P01/confirm-user' })
  t.match(confirmed.json(), { ok: true })
  t.strictSame(provider.calls, [
    ['actAs', 'default', 'kim'],
    ['confirmUser', 'MEDIAB-P01'],
  ])
})

t.test('a user who signed in alone has an account already', async (t) => {
  const provider = server()
  provider.rows.push(profile('MEDIAB-P03'))
  provider.health.set('MEDIAB-P03', () => ({ status: 'ok', account: 'server/kim' }))
  await using host = await open({ MEDIAB: provider })
  const answer = await host.inject({ method: 'POST', url: PEOPLE, payload: { id: 'kim' } })
  t.match([answer.statusCode, answer.json().error], [409, 'user_has_account'])
  t.strictSame(provider.calls, [])
})

t.test('refusals of the server are answers about it, never about the session of the caller', async (t) => {
  const provider = server({
    users: async () => {
      throw new PlayheadError('PLH_FORBIDDEN', 'Only an administrator.', { wire: 'no_rights' })
    },
  })
  await using host = await open({ MEDIAB: provider, TRACKA: trakt() })
  t.match((await host.inject(PEOPLE)).json(), { ok: false, people: [], reason: 'no_rights', message: /administrator/ })
  t.equal((await host.inject({ method: 'POST', url: PEOPLE, payload: { id: 'kim' } })).statusCode, 403)
  t.equal((await host.inject({ method: 'POST', url: PEOPLE, payload: {} })).statusCode, 422)
  t.equal((await host.inject('/api/connections/MEDIAB/MEDIAB-P09/people')).statusCode, 404)
  t.match((await host.inject('/api/connections/TRACKA/default/people')).json(), { error: 'unsupported' })

  const expired = server({
    actAs: async () => {
      throw new PlayheadError('PLH_AUTH_FAILED', 'The sign-in ended.')
    },
  })
  await using other = await open({ MEDIAB: expired })
  const answer = await other.inject({ method: 'POST', url: PEOPLE, payload: { id: 'kim' } })
  t.match([answer.statusCode, answer.json()], [409, { error: 'unauthorized' }])
})

t.test('a profile through which others act is in use', async (t) => {
  const provider = jellyfin([
    profile('default'),
    profile('MEDIAB-P01'),
    profile('MEDIAB-P02', { actsAs: { via: 'MEDIAB-P01', id: 'kim', account: 'server/kim', name: 'Kim' } }),
  ])
  await using host = await open({ MEDIAB: provider })
  const answer = await host.inject({ method: 'DELETE', url: '/api/provider-instances/MEDIAB/MEDIAB-P01' })
  t.match([answer.statusCode, answer.json()], [409, { error: 'provider_in_use', message: /account "Kim"/ }])
})
