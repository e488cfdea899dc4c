import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createUnavailableAnswer } from '../../../core/host/dormant/unavailable.ts'
import { createKeptStore, MAX_REQUESTS } from '../../../core/host/kept/store.ts'
import { openVault } from '../../../core/storage/vault.ts'
import { recorder } from '../upstream/support.ts'

const DAY_MS = 86_400_000

function openBench(folder: string, vault = openVault({ keyFile: join(folder, 'secret.key') })) {
  const logs: Parameters<typeof recorder>[0] = []
  const clock = { nowMs: 1_790_000_000_000, now: () => clock.nowMs }
  const store = createKeptStore({ folder: join(folder, 'kept'), vault, clock, log: recorder(logs) })
  const request = (n: number | string, body: Uint8Array = Buffer.from('body')) => ({
    method: 'POST',
    url: `/webhook/x?n=${n}`,
    headers: {},
    remoteAddress: '127.0.0.1',
    atMs: clock.nowMs,
    body,
  })
  const all = async (plugin = 'one') => {
    const urls: string[] = []
    for (let next = await store.first(plugin); next !== null; next = await store.first(plugin)) {
      urls.push(next.request.url.replace('/webhook/x?n=', ''))
      await store.remove(next.entry)
    }
    return urls
  }
  return { store, clock, logs, request, all }
}

t.test('requests are returned in order, by plugin, with their bytes, also after a restart', async (t) => {
  const folder = t.testdir()
  const bench = openBench(folder)
  await bench.store.open()
  const bytes = Buffer.from([0, 255, 10, 13])
  await Promise.all(
    Array.from({ length: 30 }, (_, n) => bench.store.keep(n % 3 === 0 ? 'two' : 'one', bench.request(n, bytes))),
  )
  t.ok(bench.store.has('one') && bench.store.has('two'))

  const again = openBench(folder)
  await again.store.open()
  t.same((await again.store.first('one'))?.request.body, bytes)
  t.strictSame(
    await again.all('two'),
    Array.from({ length: 10 }, (_, n) => String(n * 3)),
  )
  await again.store.keep('one', again.request('last'))
  t.equal((await again.all('one')).at(-1), 'last')
  t.notOk(again.store.has('one'))
})

t.test('the oldest are dropped beyond the maximum number, with one line in the log', async (t) => {
  const bench = openBench(t.testdir())
  await bench.store.open()
  for (let n = 0; n < MAX_REQUESTS + 20; n += 50) {
    await Promise.all(
      Array.from({ length: Math.min(50, MAX_REQUESTS + 20 - n) }, (_, at) =>
        bench.store.keep('one', bench.request(n + at)),
      ),
    )
  }
  t.equal((await bench.store.first('one'))?.request.url, '/webhook/x?n=20')
  t.equal(bench.logs.filter(({ level }) => level === 'warn').length, 1)
})

t.test('the oldest are dropped beyond 64 MiB', async (t) => {
  const bench = openBench(t.testdir())
  await bench.store.open()
  for (let n = 0; n < 14; n += 1) await bench.store.keep('one', bench.request(n, Buffer.alloc(5 * 1024 * 1024)))
  t.strictSame(
    await bench.all(),
    Array.from({ length: 12 }, (_, n) => String(n + 2)),
  )
})

t.test('requests are dropped after 14 days, also those of an earlier run', async (t) => {
  const folder = t.testdir()
  const bench = openBench(folder)
  await bench.store.open()
  await bench.store.keep('one', bench.request('old'))
  bench.clock.nowMs += 13 * DAY_MS
  await bench.store.keep('one', bench.request('new'))
  bench.clock.nowMs += 2 * DAY_MS
  const again = openBench(folder)
  again.clock.nowMs = bench.clock.nowMs
  await again.store.open()
  t.strictSame(await bench.all(), ['new'])
})

t.test('with a lost key nothing is deleted; of damaged files only the file is', async (t) => {
  const folder = t.testdir()
  const bench = openBench(folder)
  await bench.store.open()
  await bench.store.keep('one', bench.request(1))
  const other = openBench(folder, openVault({ keyFile: join(folder, 'other.key') }))
  await other.store.open()
  t.equal(await other.store.first('one'), null)
  t.notOk(other.store.has('one'), 'it does not hold up others')
  const again = openBench(folder)
  await again.store.open()
  t.strictSame(await again.all(), ['1'])
})

t.test('a file with any change is not delivered', async (t) => {
  const folder = t.testdir()
  const bench = openBench(folder)
  await bench.store.open()
  await bench.store.keep('one', bench.request(1, randomBytes(700_000)))
  const [name = ''] = await readdir(join(folder, 'kept'))
  const file = join(folder, 'kept', name)
  const whole = await readFile(file)
  const head = whole.indexOf('\n')
  for (const change of [
    (bytes: Buffer) => bytes.subarray(0, 10),
    (bytes: Buffer) => bytes.subarray(0, head + 1),
    (bytes: Buffer) => bytes.subarray(0, -1),
    (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('x')]),
    (bytes: Buffer) => bytes.fill(7, 20, 22),
    (bytes: Buffer) => bytes.fill(7, head + 300_000, head + 300_002),
    (bytes: Buffer) => bytes.fill(7, bytes.length - 4),
    () => Buffer.alloc(0),
  ]) {
    await writeFile(file, change(Buffer.from(whole)))
    const again = openBench(folder)
    await again.store.open()
    t.equal(await again.store.first('one'), null)
    t.match(again.logs, [{}, { level: 'error', text: 'a kept request cannot be read' }])
  }
})

t.test('a request that cannot be written is reported, and delays no others', async (t) => {
  const folder = t.testdir()
  const bench = openBench(folder)
  await bench.store.open()
  await rm(join(folder, 'kept'), { recursive: true })
  await writeFile(join(folder, 'kept'), '')
  await t.rejects(bench.store.keep('one', bench.request(1)))
  t.notOk(bench.store.has('one'))
})

t.test('waiting for the end of the queue ends with it, or at the limit', async (t) => {
  const bench = openBench(t.testdir())
  await bench.store.open()
  t.equal(await bench.store.emptied('one', 1), true)
  await bench.store.keep('one', bench.request(1))
  t.equal(await bench.store.emptied('one', 20), false)
  const waiting = bench.store.emptied('one', 60_000)
  await bench.all()
  t.equal(await waiting, true)
})

t.test('requests that the gate refuses are not queued', async (t) => {
  const kept: unknown[] = []
  const answers: unknown[] = []
  const answer = createUnavailableAnswer({
    gate: { decide: () => ({ pass: false, status: 503, body: { ok: false } }) },
    headersFor: () => ({}),
    slots: { find: () => undefined },
    kept: { keep: async (...given) => void kept.push(given), emptied: async () => true },
    clock: { now: () => 1 },
    log: recorder([]),
    activate: async () => null,
    routeAgain: () => false,
    isComplete: () => true,
    onKept: () => {},
  })({
    plugin: 'one',
    route: { method: 'POST', path: '/webhook/x', auth: 'W', whenDown: { status: 200, body: { ok: true }, keep: true } },
  })
  const response = {
    writeHead: (status: number) => void answers.push(status),
    end: (text: string) => void answers.push(text),
  }
  answer({ url: '/webhook/x', headers: {}, socket: {} } as IncomingMessage, response as unknown as ServerResponse)
  await sleep(20)
  t.strictSame(answers, [503, '{"ok":false}'])
  t.strictSame(kept, [])
})
