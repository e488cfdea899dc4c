// slow: the service as a process, killed and started again
// kill -9 while an account is captured, restored or cleared, and while captures are deleted: files are complete or absent, and
// the account finally matches the capture.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { expectOk, signInToTrakt } from '../demo/sign-in.ts'
import { seed } from '../fast-check.ts'
import { createSeededRandom } from '../upstreams/base/index.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { clientOf, spawnService } from './process.ts'

const ACCOUNT = { username: 'ada', password: 'correct horse battery' }
const API = '/api/snapshots'
const FEATURES = ['watchlist', 'history', 'ratings']
const ROUNDS = Number(process.env['PLAYHEAD_CRASHES'] ?? 12)
const random = createSeededRandom(seed)

t.setTimeout(180_000 + ROUNDS * 20_000)

t.test('killed at any moment, captures are complete or absent, and the account can be restored', async (t) => {
  await using trakt = await startTrakt({ movies: 120, shows: 4, plan: 'vip', rateLimits: false, latencyMs: 3 })
  const { user } = trakt
  for (let index = 0; index < 90; index += 1) {
    const movie = trakt.movie(index)
    user.watch(movie, Date.UTC(2025, 0, 1 + index))
    if (index % 3 === 0) user.watch(movie, Date.UTC(2025, 6, 1 + index))
    if (index % 2 === 0) user.rate(movie, (index % 10) + 1, Date.UTC(2025, 3, 1))
    if (index > 60) user.addToWatchlist(movie, Date.UTC(2025, 2, 1))
  }
  const data = join(t.testdir(), 'data')
  const folder = join(data, 'files', 'captures')
  let service = await spawnService(data)
  await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  let client = await clientOf(service, ACCOUNT)
  await signInToTrakt(client, trakt)
  const { snapshot: original } = await expectOk(client, `${API}/create`, { provider: 'TRACKA', feature: 'all' })
  const before = holdings()
  const read = new Set<string>()
  let interrupted = 0

  for (let round = 0; round < ROUNDS; round += 1) {
    const work = WORK[round % WORK.length]!
    if (work !== 'create') disturb(round)
    if (work === 'delete') {
      for (let count = 0; count < 3; count += 1)
        await expectOk(client, `${API}/create`, {
          provider: 'TRACKA',
          feature: 'ratings',
          label: `extra ${round} ${count}`,
        })
      void client.json(`${API}/clear`, { json: { feature: 'ratings' } }).catch(() => {})
    } else void begin(work).catch(() => {})
    await sleep((random.integer(0, 1_000) / 1_000) * LASTS_MS[work])
    await service.kill('SIGKILL')
    const left = await files()
    service = await spawnService(data)
    if (service.url === null) return t.fail(`round ${round}, ${work}: it does not start: ${service.lines.join('\n')}`)
    client = await clientOf(service, ACCOUNT)
    const listed = (await client.json(`${API}/list`)).body
    const now = await files()
    t.same(
      now.filter((name) => !name.endsWith('.ndjson.gz')),
      [],
      `round ${round}: nothing temporary stays (${left.length} before)`,
    )
    t.same(listed.snapshots.map(({ path }: any) => path).sort(), now, 'the list is what is on disk')
    t.ok(
      listed.snapshots.every(({ valid }: any) => valid),
      'every file is whole',
    )
    t.same(listed.jobs, [])
    t.notOk(service.lines.some((line) => /pairs still know the account|could not be listed/.test(line)))
    const paths = new Set(now)
    for (const one of listed.snapshots) {
      if (read.has(one.path)) continue
      read.add(one.path)
      const { snapshot } = (await client.json(`${API}/read?path=${encodeURIComponent(one.path)}&limit=1000`)).body
      t.equal(snapshot.rows.length, one.is_bundle ? 0 : one.count)
      for (const child of snapshot.children ?? []) t.ok(paths.has(child.path), 'a bundle has all of its files')
      if (snapshot.bundle_path !== undefined) t.ok(paths.has(snapshot.bundle_path), 'no file of half a bundle')
    }
    const restored = listed.snapshots.filter(({ trigger }: any) => trigger === 'pre_restore' || trigger === 'pre_clear')
    interrupted += service.lines.some((line) => line.includes('the service stopped before it ended')) ? 1 : 0
    t.ok(paths.has(original.path), restored.length)
  }
  t.ok(interrupted > 0, `${interrupted} of ${ROUNDS} were interrupted`)

  disturb(999)
  const { result } = await expectOk(client, `${API}/restore`, {
    path: original.path,
    mode: 'exact',
    confirm: ['removals'],
  })
  t.match(result, { ok: true, verified: true })
  t.same(holdings(), before, 'and every play once')
  const { runs } = (await client.json('/api/runs?limit=100')).body
  const [last, ...cut] = runs.filter(({ source }: any) => source === 'restore' || source === 'clear')
  t.match(last, { source: 'restore', result: 'ok' })
  t.ok(cut.length > 0, `what was cut off after it began to write is among the runs: ${cut.length}`)
  t.notOk(cut.some(({ result }: any) => result === 'running'))
  await service.kill('SIGKILL')

  /** The account is used meanwhile. */
  function disturb(round: number): void {
    for (let index = 0; index < 25; index += 1) {
      const movie = trakt.movie((index * 7 + round) % 120)
      if (index % 3 === 0) user.rate(movie, (round % 10) + 1)
      else if (index % 3 === 1) user.unwatch(movie)
      else user.watch(movie, Date.UTC(2026, 1, 1 + ((index + round) % 200)))
    }
  }
  async function begin(work: (typeof WORK)[number]): Promise<unknown> {
    if (work === 'create') return client.json(`${API}/create`, { json: { provider: 'TRACKA', feature: 'all' } })
    if (work === 'cleanup')
      return client.json(`${API}/tools/clear`, {
        json: { provider: 'TRACKA', features: FEATURES, confirm: 'TRACKA/default' },
      })
    return client.json(`${API}/restore`, { json: { path: original.path, mode: work, confirm: ['removals'] } })
  }
  function holdings(): readonly string[] {
    const { plays, watchlist, ratings } = user.account as any
    return [
      ...plays.map(({ entry, watchedAtMs }: any) => `play ${entry.key} ${Math.floor(watchedAtMs / 1_000)}`),
      ...[...watchlist.values()].map((one: any) => `watchlist ${one.entry?.key ?? one.key}`),
      ...[...ratings.values()].map((one: any) => `rating ${one.entry?.key ?? one.key} ${one.rating}`),
    ].sort()
  }
  async function files(): Promise<string[]> {
    const found = await readdir(folder, { recursive: true, withFileTypes: true })
    return found
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${parentPath.slice(folder.length + 1)}/${name}`)
      .sort()
  }
})

const WORK = ['create', 'exact', 'cleanup', 'delete', 'merge', 'clear_restore'] as const
/** Approximate duration of each: a restore reads and captures before it writes. */
const LASTS_MS = { create: 700, exact: 2_000, cleanup: 1_500, delete: 60, merge: 2_000, clear_restore: 3_000 } as const
