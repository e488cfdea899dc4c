// Accounts that act as a user of the home through the owner's sign-in.
import { isPlayheadError, type Provider, type UsersProvider } from '@playhead/sdk'
import t from 'tap'
import { asItem, startWorld } from './world.ts'

const AT = '2024-05-01T20:00:00Z'
const KID = { id: '900002', secret: '1234' }
const INSTANCE = 'MEDIAA-P01'

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return ''
  } catch (error) {
    if (!isPlayheadError(error)) throw error
    return error.wire
  }
}

t.test('the owner of a home acts for its users; friends sign in themselves', async (t) => {
  const { plex, host, provider, write, ofType } = await startWorld(t)
  const acting = provider as Provider & Required<UsersProvider>
  const machine = plex.state.machineIdentifier
  t.strictSame(await acting.users('default'), [
    { id: '900001', name: 'sample_user', account: `${machine}/900001`, isSelf: true, refusal: 'own_sign_in' },
    { id: '900002', name: 'Kid', account: `${machine}/900002`, isSelf: false, secret: 'PIN' },
    { id: '900003', name: 'neighbour', account: `${machine}/900003`, isSelf: false, refusal: 'own_sign_in' },
  ])
  t.equal(await refusal(acting.actAs('default', { id: '900003' })), 'own_sign_in')
  t.equal(await refusal(acting.actAs('default', { ...KID, secret: '9999' })), 'user_refused', 'a wrong PIN')
  t.equal((await provider.profiles()).length, 1)

  t.equal(await acting.actAs('default', KID), INSTANCE)
  t.match((await provider.profiles())[1], { label: 'Kid', configured: true, actsAs: { via: 'default' } })
  t.notMatch(JSON.stringify((host.ctx.config as any).instances), /token/, 'no token is copied')
  t.match(await provider.probe(INSTANCE), { status: 'ok', account: `${machine}/900002`, user: { name: 'Kid' } })
  const movie = asItem(plex, ofType('movie')[0] as never, { watched_at: AT })
  t.same(await write('history', 'add', [movie], { instance: INSTANCE }), ['applied'])
  t.equal(plex.state.playStates.get(900_002)?.size, 1)
  t.notOk(plex.state.playStates.get(900_001)?.size)
})

t.test('an account whose user was renamed or left the home is held back', async (t) => {
  const { plex, provider, write, ofType } = await startWorld(t)
  const acting = provider as Provider & Required<UsersProvider>
  await acting.actAs('default', KID)
  const kid = plex.state.accounts.find(({ id }) => id === 900_002)!
  const others = plex.state.accounts.filter(({ id }) => id !== 900_002)
  const movie = asItem(plex, ofType('movie')[0] as never, { watched_at: AT })

  Object.assign(plex.state, { accounts: [...others, { ...kid, title: 'Someone' }] })
  t.match(await provider.probe(INSTANCE), {
    status: 'auth_failed',
    reasonCode: 'user_changed',
    reason: /called Someone/,
  })
  t.equal(await refusal(write('history', 'add', [movie], { instance: INSTANCE })), 'user_changed')
  await acting.confirmUser(INSTANCE)
  t.match(await provider.probe(INSTANCE), { status: 'ok' })

  Object.assign(plex.state, { accounts: others })
  t.match(await provider.probe(INSTANCE), { status: 'auth_failed', reasonCode: 'user_gone' })
  t.equal(await refusal(write('history', 'add', [movie], { instance: INSTANCE })), 'user_gone')
  t.notOk(plex.state.playStates.get(900_002)?.size)
})
