// A service changes its interface on a day: Playhead says so before anything is lost, and an update of the one plugin ends it.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { startServer } from '@playhead/sdk/testing'
import { expectOk } from '../../demo/sign-in.ts'
import { PASSWORD, type Service, startService, until, USERNAME } from '../../harness.ts'

t.setTimeout(180_000)
const TEMPLATE = join(import.meta.dirname, '..', '..', '..', 'sdk', 'templates', 'provider')
const DAY_MS = 86_400_000
const BREAKS_AT_MS = Date.now() + DAY_MS
const PROBES = `  probes: [
    {
      about: 'ratings',
      ask: ({ api }, signal) => api.request({ path: 'ratings', query: { page: 0, size: 50 }, signal }),
      limits: { 'x-page-limit': { least: 50, of: 'page' } },
      fields: { total: 'number', 'items[].ids.imdb': 'string' },
    },
  ],
`
const NOTICES = [
  { id: 'old', text: 'It is over.', until: '2020-01-01' },
  {
    id: 'keys',
    title: 'new keys',
    text: 'Keys are longer from May on.',
    link: 'https://acme.example/keys',
    from: '2020-01-01',
  },
  { id: 'paid', text: 'Only for pages of another size.', when: { missing: ['page_size'] } },
  { id: 'late', text: 'For sign-ins of long ago.', when: { present: ['api_key'], signedInBefore: '2020-01-01' } },
  { id: 'early', severity: 'warning', text: 'For all sign-ins so far.', when: { signedInBefore: '9000-01-01' } },
]

/** Answers pages of at most 20 from that day on, without ids of IMDb. */
async function startAcme() {
  let asked = 0
  const server = await startServer(({ path, query }) => {
    if (path === '/me') return { json: { id: '1', name: 'Ann' } }
    asked += 1
    const isBroken = Date.now() >= BREAKS_AT_MS
    const limit = isBroken ? 20 : 50
    const ids = (n: number) => (isBroken ? { tmdb: String(n) } : { imdb: `tt${1_000_000 + n}` })
    const items = Array.from({ length: 60 }, (_, n) => ({ type: 'movie', ids: ids(n), rating: 7 }))
    const [page, size] = [Number(query.get('page')), Math.min(limit, Number(query.get('size')))]
    return {
      headers: { 'x-page-limit': String(limit) },
      json: { items: items.slice(page * size, (page + 1) * size), total: 60, pages: Math.ceil(60 / size) },
    }
  })
  return { ...server, asked: () => asked, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

async function pluginIn(folder: string, change: (source: string) => string, version: string): Promise<void> {
  const source = await readFile(join(folder, 'index.ts'), 'utf8')
  const manifest = JSON.parse(await readFile(join(folder, 'plugin.json'), 'utf8')) as object
  await writeFile(join(folder, 'index.ts'), change(source))
  await writeFile(join(folder, 'plugin.json'), JSON.stringify({ ...manifest, version, notices: NOTICES }))
}

const ofAcme = async (service: Service) =>
  (await service.json('/api/attention')).body.items.filter(({ provider }: { provider: string }) => provider === 'ACME')
const titlesOf = async (service: Service, kind: string): Promise<readonly string[]> =>
  (await ofAcme(service))
    .filter((item: { kind: string }) => item.kind === kind)
    .map(({ title }: { title: string }) => title)
    .sort()

t.test('what a service changed is shown from the day on, and an update of the plugin ends it', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'playhead-vendors-'))
  const folder = join(root, 'acme')
  await cp(TEMPLATE, folder, { recursive: true })
  await pluginIn(folder, (source) => source.replace('  read: { ratings', `${PROBES}  read: { ratings`), '0.1.0')
  await using acme = await startAcme()
  await using service = await startService({ shipped: true })
  t.teardown(() => rm(root, { recursive: true, force: true, maxRetries: 10 }))
  const { now } = Date
  t.teardown(() => (Date.now = now))
  const look = async () => {
    const endOf = () => service.scheduler.jobs('system').find(({ name }) => name === 'vendors')?.lastFinishedAtMs ?? 0
    const before = endOf()
    await until('it looks', () => service.scheduler.trigger('system', 'vendors'))
    await until('it has looked', () => endOf() > before)
  }

  await expectOk(service, '/api/plugin-folders', { folder })
  await expectOk(service, '/api/plugins/acme/enable', {})
  await until('it runs', async () => (await service.plugin('acme')).state === 'active')
  await expectOk(service, '/api/acmeToken/save', { server: acme.url, api_key: 'a-key-of-ann' })

  t.same(await titlesOf(service, 'vendor_notice'), ['A change at Acme', 'Acme: new keys'], 'whom it concerns')
  t.match(
    (await ofAcme(service)).find(({ id }: { id: string }) => id === 'notice:ACME:default:keys'),
    { detail: /^Keys/, severity: 'info', link: 'https://acme.example/keys', action: { path: '/connections/ACME' } },
  )

  await look()
  t.equal(acme.asked(), 0, 'an account that nothing uses is not looked at')
  const features = { ratings: { enabled: true, add: true, remove: false } }
  await expectOk(service, '/api/pairs', { source: 'ACME', target: 'SVC', mode: 'one_way', enabled: true, features })
  await look()
  t.equal(acme.asked(), 1)
  t.same(await titlesOf(service, 'vendor_changed'), [])
  await look()
  t.equal(acme.asked(), 1, 'once a day')

  Date.now = () => now() + DAY_MS + 60_000
  const again = await service.call('/api/app-auth/login', { json: { username: USERNAME, password: PASSWORD } })
  service.setCookie(String(again.headers.get('set-cookie')).split(';')[0]!)
  await look()
  t.equal(acme.asked(), 2)
  t.same(await titlesOf(service, 'vendor_changed'), ['Acme answers pages of 20 now', 'Acme no longer sends ids.imdb'])
  t.match(
    (await ofAcme(service)).find(({ title }: { title: string }) => /pages of 20/.test(title)),
    {
      severity: 'warning',
      detail: 'The plugin expects 50. Seen in: ratings. Update the plugin as soon as there is a new version.',
      plugin: 'acme',
      action: { path: '/plugins/acme' },
    },
  )
  t.match(await service.json('/api/problems'), { body: { items: [] } }, 'the sync has lost nothing')

  // Version 0.2.0 knows the new interface.
  const mended = (source: string) =>
    source.replace('least: 50', 'least: 20').replace("'items[].ids.imdb'", "'items[].ids.tmdb'")
  const { generation } = await service.plugin('acme')
  await pluginIn(folder, mended, '0.2.0')
  await until('the new version runs', async () => (await service.plugin('acme')).generation !== generation)
  await until('the warning is gone', async () => (await titlesOf(service, 'vendor_changed')).length === 0)
  await look()
  t.equal(acme.asked(), 3, 'the new version looks for itself')
  t.same(await titlesOf(service, 'vendor_changed'), [])

  t.match(await service.json('/api/plugin-folders/acme', { method: 'DELETE' }), { status: 200 })
  await until('it is gone', async () => (await service.json('/api/plugins/acme')).status === 404)
  await look()
  t.same(await ofAcme(service), [])
  t.notMatch(service.log.join('\n'), /a-key-of-ann/)
})
