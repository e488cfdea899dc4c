// slow: the service as a process, killed and started again
// A full disk, a read-only folder, corrupt files and a second service while an account is captured, restored or cleared:
// existing files stay, the account gets no partial change, and errors have a clear message.
import { existsSync } from 'node:fs'
import { open, readdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { expectOk, signInToTrakt } from '../demo/sign-in.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { clientOf, spawnService } from './process.ts'
import { mountSmallDisk } from './small-disk.ts'

const ACCOUNT = { username: 'ada', password: 'correct horse battery' }
const API = '/api/snapshots'

t.setTimeout(900_000)

t.test('on full and read-only disks, with corrupt files and a second service', async (t) => {
  await using disk = await mountSmallDisk(128)
  if (disk === null) return t.pass('this machine does not allow to mount a file system')
  await using trakt = await startTrakt({ movies: 3_000, shows: 4, plan: 'vip', rateLimits: false, latencyMs: 20 })
  const { user } = trakt
  for (let index = 0; index < 3_000; index += 1) user.watch(trakt.movie(index), Date.UTC(2025, 0, 1, index))
  for (let index = 0; index < 600; index += 1) user.rate(trakt.movie(index), (index % 10) + 1, Date.UTC(2025, 3, 1))
  const data = join(disk.folder, 'data')
  const captures = join(data, 'files', 'captures')
  const service = await spawnService(data)
  t.teardown(() => service.kill('SIGKILL'))
  t.not(service.url, null, service.lines.join('\n'))
  await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  const client = await clientOf(service, ACCOUNT)
  const post = (path: string, json: object) => client.json(API + path, { json })
  await signInToTrakt(client, trakt)
  await expectOk(client, '/api/config', { runtime: { min_free_mb: 1 } })
  const capture = async (feature: string) =>
    (await expectOk(client, `${API}/create`, { provider: 'TRACKA', feature })).snapshot
  const history = await capture('history')
  const ratings = await capture('ratings')

  await t.test('a disk that is full during a capture', async (t) => {
    const before = await files()
    const { progress_id: id } = await begin('/create', { provider: 'TRACKA', feature: 'history' })
    await until(id, ({ items_done: done }) => done > 0)
    disk.fill()
    t.match(await ended(id), { state: 'failed', error: 'disk_full', message: /disk is full/ })
    t.same(await files(), before, 'nothing is left of it')
    t.equal((await client.json(`${API}/read?path=${encodeURIComponent(history.path)}`)).status, 200)
    disk.free()
    t.match(await progress(id), { state: 'failed', error: 'disk_full' })
    const again = await capture('history')
    t.equal(again.count, history.count)
    await expectOk(client, `${API}/delete`, { path: again.path })
  })

  await t.test('a disk that is full before the capture of a restore and of a clear', async (t) => {
    for (let index = 0; index < 50; index += 1) user.rate(trakt.movie(index), 7)
    const before = holdings()
    const stored = await files()
    const { progress_id: id } = await begin('/restore', { path: ratings.path, mode: 'exact' })
    await until(id, ({ stage }) => stage === 'planning' || stage === 'capturing')
    disk.fill()
    // A read that could not record its progress is incomplete.
    t.match(await ended(id), { state: 'failed', error: /^(?:disk_full|disk_low|read_incomplete)$/ })
    t.same(holdings(), before, 'without the capture nothing is changed')
    const clear = { provider: 'TRACKA', features: ['ratings'], confirm: 'TRACKA/default' }
    const { status, body } = await post('/tools/clear', clear)
    t.ok(status === 507 || status === 409, JSON.stringify(body))
    t.match(body, { ok: false, error: /^disk_(?:full|low)$/ })
    t.same(holdings(), before)
    disk.free()
    t.same(await files(), stored)
  })

  await t.test('a disk that is full while a restore writes', async (t) => {
    const { progress_id: id } = await begin('/restore', { path: ratings.path, mode: 'exact' })
    await until(id, ({ stage, done }) => stage === 'restoring' || done)
    disk.fill()
    const cut = await ended(id)
    disk.free()
    t.ok(cut.done)
    if (!cut.ok) t.match(cut, { state: 'failed' }, JSON.stringify(cut))
    const { body } = await post('/restore', { path: ratings.path, mode: 'exact' })
    t.match(body, { ok: true, result: { verified: true } }, JSON.stringify(body).slice(0, 800))
    t.equal([...user.account.ratings.values()].filter(({ rating }: any) => rating === 7).length, 60)
  })

  await t.test('a captures folder that is read-only', async (t) => {
    user.rate(trakt.movie(0), 3)
    const before = holdings()
    t.ok(disk.readOnly('data/files/captures'))
    const stored = await files()
    for (const [path, order] of [
      ['/create', { provider: 'TRACKA', feature: 'ratings' }],
      ['/restore', { path: ratings.path, mode: 'exact' }],
      ['/tools/clear', { provider: 'TRACKA', features: ['ratings'], confirm: 'TRACKA/default' }],
    ] as const) {
      const { status, body } = await post(path, order)
      t.match([status, body], [503, { ok: false, error: 'data_read_only', detail: /cannot be written to/ }], path)
    }
    const deleted = await post('/delete', { path: ratings.path })
    t.match(deleted.body, { result: { ok: false, deleted: [] } }, JSON.stringify(deleted))
    t.same(holdings(), before, 'nothing is changed without a capture')
    t.same(await files(), stored)
    t.equal((await client.json(`${API}/list`)).status, 200, 'and all of it can be read')
    disk.writable('data/files/captures')
    const { body } = await post('/restore', { path: ratings.path, mode: 'exact' })
    t.match(body, { ok: true, result: { verified: true } }, JSON.stringify(body).slice(0, 500))
  })

  await t.test('files that are truncated or changed', async (t) => {
    const good = await capture('ratings')
    const torn = await capture('ratings')
    const changed = await capture('ratings')
    const empty = await capture('ratings')
    const at = (path: string) => join(captures, path)
    await truncate(at(torn.path), Math.floor((await readFile(at(torn.path))).length / 2))
    await truncate(at(empty.path), 0)
    const handle = await open(at(changed.path), 'r+')
    const { size } = await handle.stat()
    const middle = Math.floor(size / 3)
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, middle)
    await handle.write(Buffer.from([buffer[0]! ^ 0x55]), 0, 1, middle)
    await handle.close()
    user.rate(trakt.movie(1), 4)
    const before = holdings()
    for (const { path } of [torn, changed, empty]) {
      for (const mode of ['merge', 'exact', 'clear_restore']) {
        const { status, body } = await post('/restore', { path, mode, confirm: ['removals', 'incomplete'] })
        t.match([status, body], [400, { ok: false, error: 'invalid_capture' }], `${mode} ${JSON.stringify(body)}`)
      }
      const { status } = await client.json(
        `${API}/diff?a=${encodeURIComponent(good.path)}&b=${encodeURIComponent(path)}`,
      )
      t.equal(status, 400)
    }
    t.same(holdings(), before)
    const { snapshots } = (await client.json(`${API}/list`)).body
    t.match(
      [good, torn, empty].map(({ path }) => snapshots.find((one: any) => one.path === path)?.valid),
      [true, false, false],
    )
    await expectOk(client, `${API}/restore`, { path: good.path, mode: 'exact' })
  })

  await t.test('a second service is refused while the first captures', async (t) => {
    const { progress_id: id } = await begin('/create', { provider: 'TRACKA', feature: 'history' })
    await until(id, ({ items_done: done }) => done > 0)
    const second = await spawnService(data)
    t.equal(second.url, null)
    t.match(second.lines, [/^playhead: Another Playhead uses this data directory/])
    t.match(await ended(id), { state: 'succeeded' })
  })

  await service.kill('SIGTERM')
  t.ok(disk.remount('ro'))
  const readOnly = await spawnService(data, { NODE_COMPILE_CACHE: '' })
  t.equal(readOnly.url, null)
  t.equal(readOnly.lines.length, 1, readOnly.lines.join('\n'))
  t.match(readOnly.lines[0], /^playhead: .*(?:read-only|readonly)/i)
  disk.remount('rw')
  const last = await spawnService(data)
  t.not(last.url, null, last.lines.join('\n'))
  await last.kill('SIGKILL')

  async function begin(path: string, order: object) {
    const { status, body } = await post(path, { ...order, background: true })
    if (status !== 202) throw new Error(`${path} was answered with ${status}: ${JSON.stringify(body)}`)
    return body
  }
  async function progress(id: string): Promise<any> {
    return (await client.json(`${API}/capture-progress/${id}`)).body.progress
  }
  async function until(id: string, isSo: (progress: any) => boolean): Promise<any> {
    for (;;) {
      const now = await progress(id)
      if (isSo(now)) return now
      if (now.done) throw new Error(`It ended: ${JSON.stringify(now)}`)
      await sleep(5)
    }
  }
  async function ended(id: string): Promise<any> {
    return until(id, ({ done }) => done)
  }
  async function files(): Promise<readonly string[]> {
    if (!existsSync(captures)) return []
    const found = await readdir(captures, { recursive: true, withFileTypes: true })
    return found
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort()
  }
  function holdings(): readonly string[] {
    const { ratings: rated, plays } = user.account as any
    return [`${plays.length} plays`, ...[...rated].map(([key, { rating }]: any) => `${key} ${rating}`).sort()]
  }
})
