// slow: every request of every provider
// A request to an address that a person entered carries no secret stored for another address: not in its query, body or
// settings.
import { startServer } from '@playhead/sdk/testing'
import t from 'tap'
import { SERVED } from '../contract/table.ts'
import { type Account, masked, movedTo, startWorld, type World } from './world.ts'

t.setTimeout(900_000)

const NAMES_AN_ADDRESS = /server|url|host|origin/

t.test('every provider refuses to send a secret to another address', async (t) => {
  await using world = await startWorld()
  await using trap = await startServer(() => ({ json: {} }))
  const secrets = world.accounts.flatMap(({ simulator }) => simulator.secrets()).filter((secret) => secret !== '')
  t.ok(secrets.length >= world.accounts.length)
  const caught = () => {
    const seen = trap.requests
      .map(({ method, path, query, headers, body }) =>
        [method, path, query.toString(), JSON.stringify(headers), body].join(' '),
      )
      .join('\n')
    return secrets.filter((secret) => seen.includes(secret) || seen.includes(encodeURIComponent(secret)))
  }

  const routes = SERVED.filter(({ query = [], fields = [] }) =>
    [...query, ...fields].some((name) => NAMES_AN_ADDRESS.test(name)),
  ).filter(({ path }) => world.accounts.some(({ about }) => path.startsWith(`/api/${about.token}/`)))
  t.ok(routes.length >= 10)
  for (const { method, path, query = [], fields = [] } of routes) {
    const account = world.accounts.find(({ about }) => path.startsWith(`/api/${about.token}/`)) as Account
    for (const instance of account.instances) {
      const named = (names: readonly string[]) =>
        Object.fromEntries(names.filter((name) => NAMES_AN_ADDRESS.test(name)).map((name) => [name, trap.url]))
      const search = new URLSearchParams({ ...named(query), instance })
      const answer = await world.service.json(`${path}?${search}`, {
        method,
        ...(method === 'GET' ? {} : { json: named(fields) }),
      })
      t.ok(
        answer.status < 500 || [502, 503, 504].includes(answer.status),
        `${method} ${path} answered ${answer.status}`,
      )
      t.strictSame(caught(), [], `${method} ${path}`)
      t.ok(await world.isConfigured(account, instance), 'a look changes nothing')
    }
  }

  for (const account of world.accounts) {
    const { about } = account
    const moved = movedTo(account, trap.url)
    t.ok(Object.keys(moved).length > 0, `${account.plugin} has an address`)
    await world.post('/api/config', { [about.token]: moved })
    await world.post(`/api/provider-instances/${about.id}/${account.instances[1]}`, { ...moved, ...masked(account) })
    await lookAtAll(world, account)
    t.strictSame(caught(), [], `${account.plugin} was led elsewhere by its settings`)
  }
  await world.get('/api/status?fresh=1')
  t.strictSame(caught(), [])
  t.ok(trap.requests.length > 0, 'somebody came by, without a secret')
})

async function lookAtAll({ get }: World, { subject, instances }: Account): Promise<void> {
  for (const { method, path } of subject.manifest.routes ?? []) {
    if (method !== 'GET' || path.includes('callback')) continue
    for (const instance of instances) await get(`${path}?instance=${instance}&verify=1`)
  }
}
