// slow: the service as a process, killed and started again
// A backup that was restored during a start of the service is listed once among the runs.
import { join } from 'node:path'
import t from 'tap'
import { expectOk } from '../demo/sign-in.ts'
import { until } from '../harness.ts'
import { clientOf, spawnService } from './process.ts'

const ACCOUNT = { username: 'ada', password: 'correct horse battery' }

t.setTimeout(900_000)

t.test('a restored backup is listed after the start that applied it, and once after the next', async (t) => {
  const data = join(t.testdir(), 'data')
  let service = await spawnService(data)
  t.teardown(() => service.kill('SIGKILL'))
  await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  const first = await clientOf(service, ACCOUNT)
  const { backup } = await expectOk(first, '/api/backups/create', { scope: 'app_state' })
  await expectOk(first, '/api/backups/restore', { path: backup.path })
  for (const start of ['first', 'next']) {
    await service.kill('SIGKILL')
    service = await spawnService(data)
    const client = await clientOf(service, ACCOUNT)
    const listed = async () =>
      (await client.json('/api/runs')).body.runs.filter(({ source }: { source: string }) => source === 'backup')
    await until(`the ${start} start lists it`, async () => (await listed()).length > 0)
    t.match(await listed(), [{ source: 'backup', result: 'ok' }], `once after the ${start} start`)
    t.equal((await client.json('/api/runs')).body.runs.length, 1)
  }
})
