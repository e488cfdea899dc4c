// slow: the service as a process, killed and started again
// A person may store any secret, even one equal to the name of a plugin, a topic or a route: the service starts and works
// normally.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { startService } from '../harness.ts'

const NAMES = [
  'history',
  'plugins',
  'BOOT',
  'DEBUG',
  'log/',
  'log/DEBUG',
  'sync/summary',
  'service',
  'active',
  'plugin.activated',
  '/api/status',
  '127.0.0.1',
]

t.test('a secret equal to any name in the service breaks nothing', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-test-'))
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  const options = { shipped: true, watch: false, directory } as const
  let ids: readonly string[] = []
  {
    await using service = await startService(options)
    ids = service.host.list().map(({ id }) => id)
    await service.config.change('test', (draft) => {
      const names = [...NAMES, ...ids]
      draft['trackA'] = {
        client_secret: 'history',
        instances: Object.fromEntries(
          names.map((name, index) => [`p${index}`, { client_secret: name, access_token: name.toUpperCase() }]),
        ),
      }
    })
  }

  await using service = await startService({ ...options, withoutAccount: true })

  t.same(
    service.host
      .list()
      .filter(({ state, enabled }) => enabled && state !== 'active' && state !== 'dormant')
      .map(({ id, last_error }) => [id, last_error]),
    [],
  )
  const activated = service.streams
    .read('plugins')
    .filter(({ event }) => event === 'plugin.activated')
    .map(({ data }) => JSON.parse(data).id as string)
  t.same(
    activated.toSorted(),
    service.host
      .list()
      .filter(({ state }) => state === 'active')
      .map(({ id }) => id),
  )
  t.ok(ids.includes('history') && activated.includes('history'))
  const lines = service.log.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
  t.same(
    lines.filter((line) => /redacted/.test(`${line.tag} ${line.plugin} ${line.msg}`)),
    [],
  )
  t.ok(service.streams.read('log/DEBUG').length > 0)
  t.same(
    service.streams.topics('').filter((topic) => topic.includes('redacted')),
    [],
  )
})
