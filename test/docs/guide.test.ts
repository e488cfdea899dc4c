// slow: the steps of a guide, in the whole service
// The guide, and the reference pages with commands: each `sh` block runs unchanged against the real service, each page is
// served without an account, and each link resolves. Blocks marked `sh norun=<reason>` are skipped: their reasons are below.
import { execFile } from 'node:child_process'
import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { startService } from '../harness.ts'

t.setTimeout(900_000)
const run = promisify(execFile)
const GUIDE = join(import.meta.dirname, '../../docs/guide')
/** Prerequisites of a block that a test lacks. test/service tests the files of the image and the unit. */
const NOT_RUN: Readonly<Record<string, string>> = {
  docker: 'Docker',
  systemd: 'systemd, and root',
  install: 'the registry; the service under test is started already',
}
// In reading order; the first page creates the account.
const PAGES = ['first-hour', 'services', 'scrobbling', 'imports', 'backups', 'reverse-proxy', 'container']
/** Separate tests run their commands. */
const ELSEWHERE = ['scripts-and-dashboards', 'when-a-tracker-goes-away']
const REFERENCE = ['http']

const service = await startService({ shipped: true, withoutAccount: true, watch: false })
atEndOfFile(() => service[Symbol.asyncDispose]())

t.test('every page is served without an account, and every link in it resolves', async (t) => {
  const get = async (address: string) => {
    const answer = await fetch(service.url + address, { redirect: 'manual' })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const pages = new Map<string, string>()
  const waiting = ['/guide']
  const links: [page: string, to: string][] = []
  for (let address = waiting.pop(); address !== undefined; address = waiting.pop()) {
    if (pages.has(address)) continue
    const { status, headers, text } = await get(address)
    t.equal(status, 200, address)
    pages.set(address, text)
    if (!headers.get('content-type')?.startsWith('text/html')) continue
    t.match(headers.get('content-security-policy'), /^default-src 'self'/)
    t.notMatch(text, /<script|<[^>]*\son\w+="/, `${address} needs no script`)
    for (const [, to = ''] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
      links.push([address, to])
      const path = to.split('#')[0] as string
      if (path.startsWith('/guide')) waiting.push(path)
    }
  }
  t.ok(pages.size > 40, `${pages.size} pages`)
  for (const name of PAGES) t.ok(pages.has(`/guide/${name}`), name)
  t.ok(pages.has('/guide/reference/sync') && pages.has('/guide/decisions/0001-loading-plugins'))
  for (const [page, to] of links) {
    if (/^(?:https?|data):/.test(to)) continue
    const [path = '', anchor] = to.split('#')
    if (anchor !== undefined) {
      const target = pages.get(path === '' ? page : path) ?? ''
      t.ok(target.includes(`id="${anchor}"`), `${page}: ${to}`)
    } else if (path.startsWith('/assets/')) t.equal((await get(path)).status, 200, to)
    else t.ok(pages.has(path) || ['/', '/docs', '/redoc', '/openapi.json'].includes(path), `${page}: ${to}`)
  }
  t.equal((await get('/guide/nothing')).status, 404)
  t.equal((await get('/guide/../../package.json')).status >= 300, true)
  t.equal((await get('/guide/..%2fmanifest.json')).status, 404)
  const etag = (await get('/guide/first-hour')).headers.get('etag') ?? ''
  const again = await fetch(`${service.url}/guide/first-hour`, { headers: { 'if-none-match': etag } })
  t.equal(again.status, 304)
})

t.test('every command works', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'playhead-guide-'))
  t.teardown(() => rm(home, { recursive: true, force: true }))
  await writeFile(
    join(home, '.curlrc'),
    `connect-to = "localhost:8787:127.0.0.1:${new URL(service.url).port}"\nshow-error\nsilent\nnoproxy = "*"\n`,
  )
  let count = 0
  for (const name of [...PAGES, ...REFERENCE.map((page) => `../reference/${page}`)]) {
    const text = await readFile(join(GUIDE, `${name}.md`), 'utf8')
    for (const [, mark, commands = ''] of text.matchAll(/```sh(?: norun(?:=(\w+))?)?\n([\s\S]*?)```/g)) {
      if (mark !== undefined) {
        t.ok(NOT_RUN[mark], `${name}: not run, for it needs ${NOT_RUN[mark]}: ${commands.trim()}`)
        continue
      }
      count += 1
      const { PATH = '' } = process.env
      const { stdout } = await run('sh', ['-e', '-c', commands], { cwd: home, env: { HOME: home, PATH } })
      t.notMatch(stdout, /"ok":false/, `${name}: ${commands}`)
    }
  }
  t.ok(count >= 9, `${count} blocks`)
  const guide = await Array.fromAsync(glob('*.md', { cwd: GUIDE }))
  for (const file of guide)
    if (/^```(sh|bash)/m.test(await readFile(join(GUIDE, file), 'utf8')))
      t.ok([...PAGES, ...ELSEWHERE].includes(file.replace('.md', '')), `the commands of ${file} are run`)
  for (const file of await Array.fromAsync(glob('*.md', { cwd: join(GUIDE, '../reference') })))
    if (/^```(sh|bash)/m.test(await readFile(join(GUIDE, '../reference', file), 'utf8')))
      t.ok(REFERENCE.includes(file.replace('.md', '')), `the commands of ${file} are run`)
  t.match(await readFile(join(home, 'history.json'), 'utf8'), /^[[{]/)
  t.same((service.config.at('security.trusted_proxies') as string[]) ?? [], ['172.16.0.0/12'])
})

t.test("the guide's list of synced data matches each service", async (t) => {
  const words: Readonly<Record<string, RegExp>> = {
    watchlist: /watchlist|saved library/,
    history: /history/,
    ratings: /ratings/,
    progress: /positions/,
    playlists: /\b(play)?lists\b/,
  }
  const login = await service.json('/api/app-auth/login', { json: { username: 'ada', password: 'choose a long one' } })
  service.setCookie((login.headers.get('set-cookie') ?? '').split(';')[0] as string)
  const providers = (await service.json('/api/sync/providers')).body as {
    readonly name: string
    readonly label: string
    readonly operations: Readonly<Record<string, unknown>>
  }[]
  const ofLists = (await service.json('/api/playlists/providers')).body.providers as { readonly provider: string }[]
  const text = await readFile(join(GUIDE, 'services.md'), 'utf8')
  const sections = text.split(/^## /m).slice(1)
  t.equal(sections.length, providers.length)
  for (const { name, label, operations } of providers) {
    const features = new Set(Object.keys(operations))
    if (ofLists.some(({ provider }) => provider === name)) features.add('playlists')
    const section = sections.find((one) => one.split('\n')[0] === label) ?? ''
    const [, synced = ''] = /\*\*Synced:\*\* ([^.]*)/.exec(section) ?? []
    for (const [feature, word] of Object.entries(words))
      t.equal(word.test(synced), features.has(feature), `${label}: ${feature}`)
  }
})

t.test('defaults in the reference tables, and numbers in the guide, are those of a new service', async (t) => {
  const sections: Readonly<Record<string, string>> = {
    'anime-mapping': 'anime_mapping',
    events: 'plugins.events.retention',
    operability: 'plugins.events-export',
    scrobbling: 'scrobble',
  }
  const bare = (text: string) => text.replaceAll(/["`, [\]]|and/g, '')
  let count = 0
  for (const [page, section] of Object.entries(sections)) {
    const text = await readFile(join(GUIDE, `../reference/${page}.md`), 'utf8')
    const [, ...tables] = text.split(/^\| (?:Setting|Key)[^|]* \| Default \|.*\n.*\n/m)
    for (const line of tables.flatMap((table) => (table.split('\n\n')[0] ?? '').split('\n'))) {
      const [, names = '', value = ''] = line.split('|')
      const known = [...names.matchAll(/`([\w.-]+)`/g)].map(([, key]) => service.config.at(`${section}.${key}`))
      if (value.trim() === '' || known.length === 0 || known.some((one) => one === undefined)) continue
      count += 1
      // One value may be used by several settings.
      const all = known.map((one) => bare(JSON.stringify(one)))
      t.ok([all.join(''), ...(new Set(all).size === 1 ? all : [])].includes(bare(value)), `${page}:${names}is ${all}`)
    }
  }
  t.ok(count > 20, `${count} defaults`)
  const scrobbling = await readFile(join(GUIDE, 'scrobbling.md'), 'utf8')
  t.match(scrobbling, `${String(service.config.at('scrobble.policy.watched_at'))} percent`)
  t.match((await service.json('/api/backups/schedule')).body, { schedule: { at: '03:00', max_backups: 10 } })
})
