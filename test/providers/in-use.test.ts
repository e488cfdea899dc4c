// slow: every request of every provider
// A profile in use cannot be removed, by any route.
import t from 'tap'
import { type Account, expectOk, masked, movedTo, startWorld, type World } from './world.ts'

t.setTimeout(900_000)

const LEADS_AWAY = /\/(disconnect|token\/delete)$/
const ELSEWHERE = 'http://127.0.0.1:9'
const FEATURES = ['history', 'watchlist', 'ratings', 'progress']

t.test('the profiles of every provider are protected while in use', async (t) => {
  await using world = await startWorld()
  t.equal(world.accounts.length, 11)
  for (const account of world.accounts) {
    await t.test(
      `${account.plugin}: a profile without credentials is not connected, regardless of the default profile`,
      async (t) => {
        const { id } = await expectOk(
          world.post(`/api/provider-instances/${account.about.id}/next`, { copy_from: 'default' }),
        )
        t.notOk(await world.isConfigured(account, id))
        const { status } = await world.service.json(`/api/provider-instances/${account.about.id}/${id}`, {
          method: 'DELETE',
        })
        t.equal(status, 200)
      },
    )
    await t.test(
      `${account.plugin}: a profile in a pair is neither disconnected nor deleted nor cleared`,
      async (t) => {
        for (const instance of account.instances) {
          t.ok(await world.isConfigured(account, instance), instance)
          const pair = await pairOf(world, account, instance)
          for (const [road, call] of roads(world, account, instance)) {
            const { status, body } = await call()
            t.equal(status, 409, `${road} ${JSON.stringify(body)}`)
            t.match(
              body,
              {
                ok: false,
                error: 'provider_in_use',
                instance,
                usages: [{ feature: 'sync_pair', pair_id: pair }],
                message: String,
              },
              road,
            )
            t.ok(await world.isConfigured(account, instance), `${road}: it is as it was`)
          }
          await world.service.json(`/api/pairs/${pair}`, { method: 'DELETE' })
        }
      },
    )
    await t.test(`${account.plugin}: an unused profile is disconnected, and the other one stays`, async (t) => {
      const [first, second] = account.instances
      const [, leave] = roads(world, account, first)[0]!
      t.equal((await leave()).status, 200)
      t.notOk(await world.isConfigured(account, first))
      t.ok(await world.isConfigured(account, second))
    })
  }
})

/** A pair that writes nothing: it only needs to exist. */
async function pairOf({ post }: World, { about }: Account, instance: string): Promise<string> {
  const features = Object.fromEntries(
    FEATURES.filter((name) => name in about.features).map((name) => [name, { enabled: true }]),
  )
  const { id } = await expectOk(
    post('/api/pairs', {
      source: about.id,
      source_instance: instance,
      target: 'SVC',
      target_instance: 'default',
      mode: 'one_way',
      enabled: false,
      features,
    }),
  )
  return String(id)
}

type Road = readonly [name: string, call: () => Promise<{ status: number; body: any }>]

/** Every way to remove or clear a profile. */
function roads({ service, post }: World, account: Account, instance: string): readonly Road[] {
  const { about, subject, simulator } = account
  const routes = (subject.manifest.routes ?? []).filter(({ path }) => LEADS_AWAY.test(path))
  const profile = `/api/provider-instances/${about.id}/${instance}`
  return [
    ...routes.map(
      ({ method, path }): Road => [`${method} ${path}`, () => service.json(`${path}?instance=${instance}`, { method })],
    ),
    ...(instance === 'default'
      ? []
      : ([
          ['saving it without credentials', () => post(profile, simulator.config)],
          ['leading it to another server', () => post(profile, { ...masked(account), ...movedTo(account, ELSEWHERE) })],
          ['deleting it', () => service.json(profile, { method: 'DELETE' })],
        ] satisfies Road[])),
  ]
}
