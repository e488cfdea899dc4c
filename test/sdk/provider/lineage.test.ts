// Token lineage and token refresh.
import t from 'tap'
import { PlayheadError } from '@playhead/sdk'
import { createLineage, renewTokens } from '@playhead/sdk/provider'
import { acmePlugin, startAcme } from './support.ts'

const CONFIG = { server: 'http://one.test', access_token: 'a1', refresh_token: 'r1' }

async function open() {
  const acme = await startAcme(acmePlugin(), { config: CONFIG })
  const account = (await acme.kit()).account('default')
  const lineage = createLineage(account, ({ access_token: token }) => token)
  return {
    acme,
    account,
    lineage,
    renew: (exchange: () => Promise<Partial<typeof CONFIG>>) =>
      renewTokens(account, { lineage, label: 'Acme', refusedBy: [400, 401], exchange }),
    [Symbol.asyncDispose]: () => acme[Symbol.asyncDispose](),
  }
}

t.test('refreshed tokens belong to the same sign-in, repeatedly', async (t) => {
  await using world = await open()
  const first = await world.lineage.current()
  await world.renew(async () => ({ access_token: 'a2', refresh_token: 'r2' }))
  t.equal(await world.lineage.current(), first)
  await world.renew(async () => ({ access_token: 'a3', refresh_token: 'r3' }))
  t.equal(await world.lineage.current(), first)
  t.match(world.account.current(), { access_token: 'a3', refresh_token: 'r3' })
})

t.test('a token from another source is another sign-in, and another still after a refresh', async (t) => {
  await using world = await open()
  const first = await world.lineage.current()
  await world.renew(async () => ({ access_token: 'a2', refresh_token: 'r2' }))
  await world.account.save({ access_token: 'b1', refresh_token: 's1' })
  const other = await world.lineage.current()
  t.not(other, first)
  await world.renew(async () => ({ access_token: 'b2', refresh_token: 's2' }))
  t.equal(await world.lineage.current(), other)
})

t.test('the stored data of a token does not reveal it', async (t) => {
  await using world = await open()
  await world.renew(async () => ({ access_token: 'a2', refresh_token: 'r2' }))
  const stored = []
  for await (const entry of world.acme.host.store.entries()) stored.push(entry)
  t.match(JSON.stringify(stored), /lineage/)
  t.notMatch(JSON.stringify(stored), /"a1"|"a2"|"r1"|"r2"/)
})

t.test('without a refresh token no request is sent', async (t) => {
  await using world = await open()
  await world.account.save({ refresh_token: '' })
  let isAsked = false
  await t.rejects(
    world.renew(async () => {
      isAsked = true
      return {}
    }),
    { code: 'PLH_AUTH_FAILED', wire: 'refresh_failed', details: { reason: 'missing_refresh' } },
  )
  t.notOk(isAsked)
})

t.test('a refused refresh token requires a sign-in; any other failure passes unchanged', async (t) => {
  await using world = await open()
  for (const [error, expected] of [
    [
      new PlayheadError('PLH_UPSTREAM', 'bad', { details: { status: 400 } }),
      { code: 'PLH_AUTH_FAILED', details: { reason: 'refresh_failed', status: 400 } },
    ],
    [
      new PlayheadError('PLH_AUTH_FAILED', 'bad', { details: { status: 401 } }),
      { wire: 'refresh_failed', details: { status: 401 } },
    ],
    [new PlayheadError('PLH_UPSTREAM', 'down', { details: { status: 503 } }), { code: 'PLH_UPSTREAM' }],
    [new PlayheadError('PLH_UPSTREAM_TIMEOUT', 'slow'), { code: 'PLH_UPSTREAM_TIMEOUT' }],
    [new TypeError('a bug'), { message: 'a bug' }],
  ] as const) {
    t.match(
      await world
        .renew(async () => {
          throw error
        })
        .catch((thrown: unknown) => thrown),
      expected,
    )
    t.match(world.account.current(), CONFIG, 'nothing that is stored changes')
  }
})

t.test('a refresh that fails during a new sign-in does no harm', async (t) => {
  await using world = await open()
  await world.renew(async () => {
    await world.account.save({ access_token: 'b1', refresh_token: 's1' })
    throw new PlayheadError('PLH_AUTH_FAILED', 'used already', { details: { status: 401 } })
  })
  t.match(world.account.current(), { access_token: 'b1', refresh_token: 's1' })
})
