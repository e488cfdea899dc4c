// Accounts that act as a user of the server through an administrator's sign-in: made after a read as that user, and held
// back as soon as the user may be another one.
import { isPlayheadError, type Provider, type UsersProvider } from '@playhead/sdk'
import t from 'tap'
import type { MediaServer } from '../../upstreams/media-browser/server.ts'
import { talkTo } from '../provider-bench.ts'
import { itemFor, outcomes, PRODUCTS, signedIn, type SignedIn } from './support.ts'

const ID = { jellyfin: 'MEDIAB', emby: 'MEDIAC' }
const AT = '2024-05-01T20:00:00Z'

type Acting = Provider & Required<UsersProvider>

const actingOf = ({ provider }: SignedIn) => provider as Acting

function userNamed(server: MediaServer, name: string): any {
  return server.world.users.find((user) => user.name === name)
}

/** The code of the refusal, and its sentence. */
async function refusal(work: Promise<unknown>): Promise<readonly [wire: string, message: string]> {
  try {
    await work
    return ['', '']
  } catch (error) {
    if (!isPlayheadError(error)) throw error
    return [error.wire, error.message]
  }
}

async function addKim(account: SignedIn): Promise<string> {
  return actingOf(account).actAs('default', { id: userNamed(account.server, 'kim').id })
}

const add = async (account: SignedIn, instance: string) => {
  const item = { ...itemFor(account.server, account.server.items('Movie')[0]!), watched_at: AT }
  const { outcomes: told } = await account.provider.write(instance, {
    feature: 'history',
    op: 'add',
    items: [{ key: '0', item }],
  })
  return outcomes(told)
}

for (const product of PRODUCTS) {
  t.test(`${product}: an administrator's sign-in lists the users and acts as one of them`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 0 })
    const { server, host, provider } = account
    server.actions.addUser({ name: 'old', password: 'secret' })
    server.actions.disableUser('old')
    const acting = actingOf(account)
    const users = await acting.users('default')
    t.strictSame(
      users.map(({ name, isSelf, refusal: why }) => [name, isSelf, why]),
      [
        ['sam', true, undefined],
        ['kim', false, undefined],
        ['old', false, 'disabled'],
      ],
    )
    t.equal(users[1]?.account, `${server.world.serverId}/${userNamed(server, 'kim').id}`)
    t.strictSame(
      [
        (await refusal(acting.actAs('default', { id: users[0]!.id })))[0],
        (await refusal(acting.actAs('default', { id: users[2]!.id })))[0],
        (await refusal(acting.actAs('default', { id: 'nobody' })))[0],
      ],
      ['user_is_self', 'user_disabled', 'unknown_user'],
    )

    const instance = await addKim(account)
    t.equal(instance, `${ID[product]}-P01`)
    const [, state] = await provider.profiles()
    t.match(state, { id: instance, label: 'kim', configured: true, actsAs: { via: 'default', name: 'kim' } })
    t.match(await provider.probe(instance), { status: 'ok', account: users[1]!.account, user: { name: 'kim' } })
    t.equal(server.world.tokens.size, 1, 'the only sign-in is that of the administrator')
    t.notMatch(JSON.stringify((host.ctx.config as any).instances), /access_token/, 'no token is copied')

    t.strictSame(await add(account, instance), ['applied'])
    const { id } = server.items('Movie')[0]!
    t.equal(server.actions.userData('kim', id)?.played, true)
    t.not(server.actions.userData('sam', id)?.played, true)
    const { rows } = await talkTo(host, ID[product]).read('history', {}, instance)
    t.equal(rows.length, 1)

    t.equal((await refusal(acting.actAs(instance, { id: users[1]!.id })))[0], 'acts_as_user')
    await provider.disconnect(instance)
    t.match(await provider.profiles(), [{ configured: true }, { id: instance, configured: false }])
    t.equal(server.world.tokens.size, 1, 'signing it out leaves the sign-in of the administrator')
  })

  t.test(`${product}: who may not see the users gets no account, and leaves none behind`, async (t) => {
    await using account = await signedIn(product, { movies: 1, shows: 0, user: 'kim' })
    const acting = actingOf(account)
    t.equal((await refusal(acting.users('default')))[0], 'no_rights')
    t.equal((await refusal(acting.actAs('default', { id: userNamed(account.server, 'sam').id })))[0], 'no_rights')
    t.equal((await account.provider.profiles()).length, 1)
  })

  t.test(`${product}: a server that answers with the user of the token is found out`, async (t) => {
    await using account = await signedIn(product, { movies: 1, shows: 0 })
    const { server } = account
    const kim = userNamed(server, 'kim')
    // Each request about Kim is answered as if it were about Sam.
    const { id } = userNamed(server, 'sam')
    server.faults.add({
      match: ({ path }) => path.toLowerCase().endsWith(`/users/${kim.id}`),
      kind: 'spoil',
      send(response, reply) {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ ...(reply.json as object), Id: id, Name: 'sam' }))
      },
    })
    const [wire, message] = await refusal(addKim(account))
    t.equal(wire, 'user_changed')
    t.match(message, /answered as another user than kim/)
    t.equal((await account.provider.profiles()).length, 1)
    server.faults.clear()
    await addKim(account)
  })

  for (const [name, change, wire, sentence] of [
    [
      'is renamed',
      (server: MediaServer) => (userNamed(server, 'kim').name = 'robin'),
      'user_changed',
      /kim is called robin/,
    ],
    [
      'is deleted',
      ({ world }: MediaServer) =>
        world.users.splice(
          world.users.findIndex((user) => user.name === 'kim'),
          1,
        ),
      'user_gone',
      /kim is not a user of the server any more/,
    ],
    [
      'cannot be reached by an administrator who lost the rights',
      (server: MediaServer) => (userNamed(server, 'sam').administrator = false),
      'user_refused',
      /cannot act for kim/,
    ],
  ] as const) {
    t.test(`${product}: an account whose user ${name} is held back`, async (t) => {
      await using account = await signedIn(product, { movies: 2, shows: 0 })
      const { server, host, provider } = account
      const instance = await addKim(account)
      const kim = userNamed(server, 'kim')
      change(server)
      t.match(await provider.probe(instance), { status: 'auth_failed', reasonCode: wire, reason: sentence })
      t.match(await refusal(add(account, instance)), [wire, sentence])
      t.match(await refusal(talkTo(host, ID[product]).read('history', {}, instance)), [wire, sentence])
      t.equal(kim.data.size, 0, 'nothing was written')
      t.match(await provider.probe('default'), { status: 'ok' })
    })
  }

  t.test(`${product}: a renamed user, and an id that comes back, work again once a person confirms them`, async (t) => {
    await using account = await signedIn(product, { movies: 2, shows: 0 })
    const { server, provider } = account
    const acting = actingOf(account)
    const instance = await addKim(account)
    const kim = userNamed(server, 'kim')
    kim.name = 'robin'
    t.match(await provider.probe(instance), { reasonCode: 'user_changed', user: { name: 'robin' } })
    await acting.confirmUser(instance)
    t.match(await provider.probe(instance), { status: 'ok', user: { name: 'robin' } })

    const { users } = server.world
    users.splice(users.indexOf(kim), 1)
    t.match(await provider.probe(instance), { reasonCode: 'user_gone' })
    t.equal((await refusal(acting.confirmUser(instance)))[0], 'user_gone')
    users.push(kim)
    t.match(await provider.probe(instance), { reasonCode: 'user_gone', reason: /is there again/ })
    await acting.confirmUser(instance)
    t.strictSame(await add(account, instance), ['applied'])
  })

  t.test(`${product}: an API key, which sees all, acts as a user too; a sign-in of the user ends that`, async (t) => {
    await using account = await signedIn(product, { movies: 2, shows: 0 })
    const { server, host, provider } = account
    const { id } = userNamed(server, 'sam')
    await host.changeConfig({ access_token: '', api_key: server.actions.createApiKey(), user_id: id })
    t.match(await provider.probe('default'), { status: 'ok', user: { name: 'sam' } })
    const instance = await addKim(account)
    t.strictSame(await add(account, instance), ['applied'])

    const route = product === 'jellyfin' ? '/api/mediaB' : '/api/mediaC'
    const json = { server: server.url, username: 'kim', password: 'secret' }
    const answer = await host.inject({ method: 'POST', url: `${route}/login?instance=${instance}`, payload: json })
    t.equal(answer.statusCode, 200)
    const [, state] = await provider.profiles()
    t.equal(state?.actsAs, undefined)
    t.match(await provider.probe(instance), { status: 'ok', user: { name: 'kim' } })
  })
}

t.test(
  'jellyfin: a position is not saved by the token of another person, which may change that of this person',
  async (t) => {
    const position = async (account: SignedIn, instance: string) => {
      const item = { ...itemFor(account.server, account.server.items('Movie')[0]!), progress_ms: 600_000 }
      const { outcomes: told } = await account.provider.write(instance, {
        feature: 'progress',
        op: 'add',
        items: [{ key: '0', item }],
      })
      return told.map(({ outcome, reason }) => [outcome, reason])
    }
    await using account = await signedIn('jellyfin', { movies: 1, shows: 0 })
    const { server, host } = account
    const { id } = server.items('Movie')[0]!
    const instance = await addKim(account)
    t.strictSame(await position(account, instance), [['rejected', 'needs_own_sign_in']])
    t.strictSame(await position(account, 'default'), [['applied', undefined]])
    t.equal(server.actions.userData('kim', id)?.positionTicks ?? 0, 0)
    // Marks name the user, also by a token.
    t.strictSame(await add(account, instance), ['applied'])

    await host.changeConfig({
      access_token: '',
      api_key: server.actions.createApiKey(),
      user_id: userNamed(server, 'sam').id,
    })
    t.strictSame(await position(account, instance), [['applied', undefined]])
    t.equal(server.actions.userData('kim', id)?.positionTicks, 6_000_000_000)
  },
)

t.test('emby: a list of users that ends early does not say that a user is gone', async (t) => {
  await using account = await signedIn('emby', { movies: 1, shows: 0 })
  const { server, provider } = account
  const instance = await addKim(account)
  server.faults.add({
    match: ({ path }) => path.toLowerCase().endsWith('/users/query'),
    kind: 'spoil',
    send(response) {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ Items: [], TotalRecordCount: 2 }))
    },
  })
  t.not((await provider.probe(instance)).reasonCode, 'user_gone')
  server.faults.clear()
  t.match(await provider.probe(instance), { status: 'ok', user: { name: 'kim' } }, 'no person has to confirm anything')
  t.strictSame(await add(account, instance), ['applied'])
})
