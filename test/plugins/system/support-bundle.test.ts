// slow: the whole service, or very many cases
// The support bundle of the running service and of failing parts.
import t from 'tap'
import { unzipSync } from 'fflate'
import { createBundle, type Part } from '../../../plugins/services/support/bundle.ts'
import { startService } from '../../harness.ts'

const SECRETS = {
  token: 'bundle-token-0123456789abcdef',
  key: 'bundle-key-fedcba9876543210',
  password: 'bundle password with spaces',
  inAddress: 'bundle-in-address',
  webhook: 'bundle-webhook-5566778899',
  refresh: 'bundle-refresh-aabbccddeeff',
  client: 'bundle-client-secret-112233',
  unknown: 'bundle-unknown-section-secret',
}
const log = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, channel: () => log }

async function unpack(chunks: AsyncIterable<Uint8Array>): Promise<Record<string, string>> {
  return filesOf(Buffer.concat(await Array.fromAsync(chunks)))
}

function filesOf(zip: Uint8Array): Record<string, string> {
  return Object.fromEntries(
    Object.entries(unzipSync(zip)).map(([name, bytes]) => [name, Buffer.from(bytes).toString()]),
  )
}

t.test('a bundle of the running service has every part, each readable and without secrets', async (t) => {
  await using service = await startService({ shipped: true, watch: false })
  // Logged before they were known to be secrets.
  for (const secret of Object.values(SECRETS))
    service.streams.publish('log/SYNC', { data: `it was ${secret} that failed` })
  await service.config.change('test', (draft) => {
    Object.assign(draft, {
      mediaA: { account_token: SECRETS.token },
      mediaB: { server: 'http://127.0.0.1:1', access_token: SECRETS.token, password: SECRETS.password },
      trackA: {
        client_id: 'public',
        client_secret: SECRETS.client,
        access_token: SECRETS.token,
        refresh_token: SECRETS.refresh,
      },
      metaA: { api_key: SECRETS.key },
      listA: { api_key: SECRETS.key },
      gone_plugin: {
        address: `http://ada:${SECRETS.inAddress}@127.0.0.1:1`,
        api_key: SECRETS.unknown,
        nested: [{ webhook_token: SECRETS.webhook }],
      },
    })
  })
  const stored = service.config.current() as { app_auth: { password: { hash: string; salt: string } } }
  const session = service.cookie().split('=')[1] as string

  const answer = await service.call('/api/maintenance/support-bundle', { method: 'POST' })
  t.equal(answer.status, 200)
  t.equal(answer.headers.get('content-type'), 'application/zip')
  t.match(answer.headers.get('content-disposition'), /^attachment; filename="playhead-support-\d{8}T\d{6}\.zip"$/)
  const files = filesOf(new Uint8Array(await answer.arrayBuffer()))
  const json = (name: string) => JSON.parse(files[name] as string)
  for (const [name, text] of Object.entries(files)) {
    for (const [kind, secret] of Object.entries({
      ...SECRETS,
      hash: stored.app_auth.password.hash,
      salt: stored.app_auth.password.salt,
      session,
    })) {
      t.notOk(secret === undefined || secret === '' || text.includes(secret), `no ${kind} in ${name}`)
    }
  }
  t.match(
    json('contents.json').filter(({ problem }: { problem?: string }) => problem !== undefined),
    [],
    'nothing is missing',
  )
  t.match(json('about.json'), { node: process.version, platform: process.platform })
  t.match(
    json('plugins.json').find(({ id }: { id: string }) => id === 'support'),
    { state: 'active', last_error: null },
  )
  t.equal(json('settings.json').mediaB.server, 'http://127.0.0.1:1/')
  t.ok(
    json('jobs.json').some(
      ({ plugin, name }: { plugin: string; name: string }) => plugin === 'events' && name === 'retention',
    ),
  )
  t.ok(json('health.json').some(({ name }: { name: string }) => name === 'event_loop'))
  t.same(json('runs.json'), [])
  t.same(json('pairs.json'), { pairs: [], open: [], running: null })
  t.type(json('events.json').events, 'number')
  t.ok(Array.isArray(json('upstream.json')) && json('accounts.json').length > 0)
  t.ok(Object.keys(files).some((name) => name.startsWith('logs/')))
  t.equal(files['logs/SYNC.log']?.match(/it was \[redacted\] that failed/g)?.length, Object.keys(SECRETS).length)

  service.setCookie('')
  t.equal((await service.call('/api/maintenance/support-bundle', { method: 'POST' })).status, 401)
})

t.test(
  'a part that fails, hangs or cannot be redacted is replaced by a note, and the others are included',
  async (t) => {
    const parts: Part[] = [
      { path: 'good.json', gather: () => [{ n: 1 }] },
      {
        path: 'thrown.json',
        gather: () => {
          throw new Error('it broke over hunter2')
        },
      },
      { path: 'late.json', gather: () => new Promise(() => {}) },
      { path: 'broken.json', gather: () => [{ text: 'unsearchable' }] },
      {
        path: 'logs/BAD.log',
        gather: async () => {
          throw new Error('no lines')
        },
      },
      { path: 'logs/GOOD.log', gather: () => ['one', 'two hunter2'] },
    ]
    const redact = (text: string) => (text.includes('unsearchable') ? '[redacted]' : text.replaceAll('hunter2', '***'))
    const files = await unpack(createBundle(parts, { redact, log, partMs: 50 }))

    t.same(JSON.parse(files['good.json'] as string), [{ n: 1 }])
    t.same(JSON.parse(files['thrown.json'] as string), { not_available: 'it broke over ***' })
    t.match(JSON.parse(files['late.json'] as string), { not_available: /not there within/ })
    t.ok(JSON.parse(files['broken.json'] as string).not_available)
    t.equal(files['logs/BAD.log'], 'Not available: no lines\n')
    t.equal(files['logs/GOOD.log'], 'one\ntwo ***\n')
    t.same(
      JSON.parse(files['contents.json'] as string).filter(({ problem }: { problem?: string }) => problem !== undefined)
        .length,
      4,
    )
  },
)

t.test(
  'a bundle stays below its size: the newest lines and the first entries are kept, the rest is omitted and named',
  async (t) => {
    const lines = Array.from({ length: 5_000 }, (_, n) => `line ${n} ${'x'.repeat(80)}`)
    const parts: Part[] = [
      { path: 'list.json', gather: () => Array.from({ length: 5_000 }, (_, n) => ({ n, text: 'y'.repeat(80) })) },
      ...['A', 'B', 'C', 'D'].map((tag): Part => ({ path: `logs/${tag}.log`, gather: () => lines })),
    ]
    const files = await unpack(
      createBundle(parts, { redact: (text) => text, log, limitBytes: 400_000, partBytes: 150_000 }),
    )
    t.ok(Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0) <= 400_000)
    t.equal(JSON.parse(files['list.json'] as string)[0].n, 0)
    t.ok(files['logs/A.log']?.endsWith(`line 4999 ${'x'.repeat(80)}\n`))
    t.match(files['logs/D.log'], /Not available: The bundle is full/)
    t.match(JSON.parse(files['contents.json'] as string)[1], { file: 'logs/A.log', problem: /entries were left out/ })
  },
)
