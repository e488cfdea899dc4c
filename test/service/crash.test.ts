// slow: the service as a process, killed and started again
// kill -9 during many writes and logins: acknowledged data is present after the next start.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { cookieOf, spawnService } from './process.ts'

// Number of acknowledged writes when a round ends; the first round ends before any.
const ENDS_AFTER = [0, 1, 20, 80]
const WRITES = 200
const LOGINS = 12
const ACCOUNT = { username: 'ada', password: 'correct horse battery' }

t.setTimeout(900_000)

t.test('kill -9 during 200 concurrent configuration writes and logins loses no acknowledged write', async (t) => {
  const data = join(t.testdir(), 'data')
  const first = await spawnService(data)
  await first.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  let cookie = cookieOf(await first.post('/api/app-auth/login', ACCOUNT))
  await first.post('/api/config', { untouched: { name: 'stays', list: [{ id: 'a', api_key: 'secret-of-a' }] } }, cookie)
  await first.kill('SIGKILL')
  const acknowledged = new Map<string, number>()

  for (const [round, endsAfter] of ENDS_AFTER.entries()) {
    const service = await spawnService(data)
    t.ok(service.url, `round ${round}: it starts`)
    cookie = cookieOf(await service.post('/api/app-auth/login', ACCOUNT))
    const sessions: string[] = []
    const enough = Promise.withResolvers<void>()
    let answered = 0
    const writes = Array.from({ length: WRITES }, async (_unused, index) => {
      const answer = await service.post(
        '/api/config',
        { [`section_${index % 20}`]: { [`write_${index}`]: round } },
        cookie,
      )
      if (answer.status === 200) {
        acknowledged.set(`section_${index % 20}.write_${index}`, round)
        answered += 1
        if (answered === endsAfter) enough.resolve()
      }
      await answer.arrayBuffer()
    })
    const logins = Array.from({ length: LOGINS }, async () => {
      const answer = await service.post('/api/app-auth/login', ACCOUNT)
      if (answer.status === 200) sessions.push(cookieOf(answer))
      await answer.arrayBuffer()
    })
    const settled = Promise.allSettled([...writes, ...logins])
    await (endsAfter === 0 ? sleep(60) : Promise.race([enough.promise, settled]))
    await service.kill('SIGKILL')
    await settled

    JSON.parse(await readFile(join(data, 'config.json'), 'utf8'))
    const again = await spawnService(data)
    const session = cookieOf(await again.post('/api/app-auth/login', ACCOUNT))
    const config = (await (await again.get('/api/config', session)).json()) as Record<string, Record<string, unknown>>
    for (const [path, value] of acknowledged) {
      const [section, key] = path.split('.') as [string, string]
      // A write of a later round may have been saved without its response having arrived.
      const stored = config[section]?.[key]
      if (!(typeof stored === 'number' && stored >= value && stored <= round))
        t.fail(`round ${round}: ${path} was acknowledged with ${value} and is ${String(stored)}`)
    }
    t.same(
      config['untouched'],
      { name: 'stays', list: [{ id: 'a', api_key: '••••••••' }] },
      `round ${round}: nothing else changed`,
    )
    // Ten sessions are kept; the newest are among them.
    for (const known of sessions.slice(-8))
      t.equal((await again.get('/api/plugins', known)).status, 200, `round ${round}: an acknowledged session holds`)
    await again.kill('SIGKILL')
    t.comment(`round ${round}: ${acknowledged.size} writes, ${sessions.length} sessions acknowledged`)
  }
  t.ok(acknowledged.size > 0, 'something was acknowledged at all')
  t.notMatch(await readFile(join(data, 'config.json'), 'utf8'), /secret-of-a/)
})
