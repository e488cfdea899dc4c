// slow: a plugin is added to a running service and removed, many times
// A plugin of the directory comes and goes while runs continue: no request elsewhere fails, no run breaks, nothing is left.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { startKodi } from '../../plugins/directory/kodi/stand-in.ts'
import { runsOf } from '../fast-check.ts'
import { expectOk, signInToJellyfin, signInToTrakt } from '../demo/sign-in.ts'
import { type Service, startService, until } from '../harness.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { DIRECTORY } from './rules.ts'

t.setTimeout(0)
/** 200 in `npm run test:all`. */
const TIMES = runsOf(200)
/** Every so many times it is signed in, too. */
const SIGNED_IN = 10
const ELSEWHERE = ['/api/health', '/api/status', '/api/pairs', '/api/plugins', '/api/attention', '/api/run/summary']
const ON = { enabled: true, add: true, remove: true }

const workers = () => process.getActiveResourcesInfo().filter((name) => name === 'Worker').length

/** Paths below a folder whose name or content has the word. */
async function traces(folder: string, word: string): Promise<readonly string[]> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const found: string[] = []
  for (const { name, parentPath } of files) {
    const path = join(parentPath, name)
    const isData = /\.(json|json5|ya?ml|toml)$/.test(name)
    if (path.includes(word) || (isData && (await readFile(path, 'utf8')).includes(word))) found.push(path)
  }
  return found.sort()
}

/** Asks again and again; returns what failed. */
function askElsewhere(service: Service) {
  const failed: string[] = []
  let [isOver, asked, runs] = [false, 0, 0]
  const asking = Array.from({ length: 3 }, async (_, turn) => {
    for (let n = turn; !isOver; n += 1) {
      const path = ELSEWHERE[n % ELSEWHERE.length]!
      const { status } = await service.json(path)
      asked += 1
      if (status !== 200) failed.push(`${path}: ${status}`)
      await sleep(20)
    }
  })
  const running = (async () => {
    while (!isOver) {
      await service.json('/api/run', { json: {} })
      await until('the run ends', async () => (await service.json('/api/run/summary')).body.running === false, 120_000)
      const { result } = (await service.json('/api/run/summary')).body
      runs += 1
      if (result !== 'ok') failed.push(`run ${runs}: ${result}`)
      await sleep(50)
    }
  })()
  return {
    failed,
    counts: () => ({ asked, runs }),
    async end() {
      isOver = true
      await Promise.all([...asking, running])
    },
  }
}

t.test(`Kodi is added and removed ${TIMES} times while runs continue`, async (t) => {
  await using trakt = await startTrakt({ plan: 'vip', rateLimits: false })
  await using jellyfin = await startJellyfin()
  await using box = await startKodi({ zone: 'Europe/Berlin' })
  await using service = await startService({ shipped: true })
  await signInToTrakt(service, trakt)
  await signInToJellyfin(service, jellyfin)
  const pair = { source: 'MEDIAB', target: 'TRACKA', mode: 'two_way', enabled: true }
  await expectOk(service, '/api/pairs', { ...pair, features: { history: ON, watchlist: ON } })
  const data = join(service.directory, 'data')
  const threads = workers()
  const elsewhere = askElsewhere(service)

  for (let turn = 0; turn < TIMES; turn += 1) {
    await expectOk(service, '/api/plugin-folders', { folder: join(DIRECTORY, 'kodi') })
    await expectOk(service, '/api/plugins/kodi/enable', {})
    await until('it runs', async () => (await service.plugin('kodi')).state === 'active')
    if (turn % SIGNED_IN === 0) {
      const login = { server: box.url, username: box.username, password: box.password }
      t.match(await expectOk(service, '/api/kodi/login', login), { ok: true })
    }
    const { status } = await service.json('/api/plugin-folders/kodi', { method: 'DELETE' })
    if (status !== 200) t.fail(`turn ${turn}: the removal was answered with ${status}`)
    await until('it is gone', async () => (await service.json('/api/plugins/kodi')).status === 404)
  }
  await elsewhere.end()

  t.same(elsewhere.failed, [], 'no request and no run failed')
  t.ok(elsewhere.counts().asked > TIMES, `${elsewhere.counts().asked} requests`)
  t.ok(elsewhere.counts().runs > 5, `${elsewhere.counts().runs} runs`)
  t.comment(elsewhere.counts())
  t.same(
    (await service.json('/api/plugins')).body.plugins.filter(({ id }: { id: string }) => id === 'kodi'),
    [],
  )
  t.equal((await service.json('/api/kodi/login', { json: {} })).status, 404)
  // Settings and stored data are kept for the next time, as the question before a removal says.
  const left = (await traces(data, 'kodi')).filter((path) => !/config\.json$|\/cache\//.test(path))
  t.same(left, [], 'no file is left; compiled code leaves the cache when it was not used for a while')
  t.equal(workers(), threads, 'no thread is left')
  t.notMatch(service.log.join('\n'), box.password)
})
