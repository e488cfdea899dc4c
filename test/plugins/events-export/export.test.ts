// The export: hourly files with each event once, despite interruptions.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { type EventArchive, type EventRow, type FileArea, HEALTH_DETAIL } from '@playhead/sdk'
import { createTestClock, createTestHost } from '@playhead/sdk/testing'
import { createFileArea } from '../../../core/storage/files.ts'
import plugin from '../../../plugins/services/events-export/index.ts'
import { exportEvents } from '../../../plugins/services/events-export/export.ts'
import { POSITION_FILE } from '../../../plugins/services/events-export/position.ts'
import { openArchive, wrote } from '../events/support.ts'
import { CONFIG, createArchive, idsByFile, START_MS, type FakeArchive } from './support.ts'

const HOUR_MS = 3_600_000
const manifest = new URL('../../../plugins/services/events-export/plugin.json', import.meta.url)

async function openFolder(t: { teardown(work: () => unknown): void }): Promise<{ path: string; files: FileArea }> {
  const path = await mkdtemp(join(tmpdir(), 'playhead-export-'))
  t.teardown(() => rm(path, { recursive: true, force: true, maxRetries: 10 }))
  return { path, files: createFileArea(path) }
}

const pass = (files: FileArea, archive: Pick<EventArchive, 'since'>, config = CONFIG, now = START_MS) =>
  exportEvents({ files, archive, config, redact: (text) => text, now: () => now, signal: new AbortController().signal })

async function openHost(archive: FakeArchive | null, config: Readonly<Record<string, unknown>> = { enabled: true }) {
  const clock = createTestClock(START_MS)
  const host = await createTestHost({
    plugin,
    manifest,
    config,
    clock,
    ...(archive === null ? {} : { capabilities: { events: archive } }),
  })
  return { clock, host, files: host.files.shared('exports') }
}

t.test('events are written to the file of their hour, in order, each once over many passes', async (t) => {
  const archive = createArchive()
  const { host, clock, files } = await openHost(archive)
  t.teardown(() => host.close())
  archive.add(1_203, START_MS, 5_000)
  await host.runJob('export')
  clock.advance(2 * HOUR_MS)
  await host.runJob('export')
  archive.add(10, START_MS + HOUR_MS, 1_000)
  await host.runJob('export')

  const found = await idsByFile(files)
  t.same(Object.keys(found), ['events-20260301T10.jsonl', 'events-20260301T11.jsonl'])
  t.same(
    found['events-20260301T10.jsonl'],
    Array.from({ length: 720 }, (_, n) => n + 1),
  )
  t.same(
    found['events-20260301T11.jsonl'],
    Array.from({ length: 493 }, (_, n) => n + 721),
  )
  const [line] = (await files.read('events-20260301T10.jsonl')).toString().split('\n')
  t.same(JSON.parse(line as string), archive.events[0])
  t.match(await host.callHook(HEALTH_DETAIL, {}), [
    { name: 'event export', ok: true, detail: { last: { written: 10 } } },
  ])
})

t.test('nothing is written while the export is off, and missed events are written when it is on', async (t) => {
  const archive = createArchive()
  const { host, files } = await openHost(archive, {})
  t.teardown(() => host.close())
  archive.add(5, START_MS, 1_000)
  await host.runJob('export')
  t.same(await files.list(), [])
  await host.changeConfig({ enabled: true })
  await host.runJob('export')
  await host.changeConfig({ enabled: false })
  archive.add(5, START_MS, 1_000)
  await host.runJob('export')
  t.same(await idsByFile(files), { 'events-20260301T10.jsonl': [1, 2, 3, 4, 5] })
  await host.changeConfig({ enabled: true })
  await host.runJob('export')
  t.same(await idsByFile(files), { 'events-20260301T10.jsonl': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] })
})

t.test('without an archive a pass does nothing and does not fail', async (t) => {
  const { host, files } = await openHost(null)
  t.teardown(() => host.close())
  await host.runJob('export')
  t.same(await files.list(), [])
})

t.test('if the process ends anywhere, even in the middle of a line, nothing is lost or written twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          count: fc.integer({ min: 1, max: 900 }),
          hour: fc.integer({ min: 0, max: 3 }),
          step: fc.integer({ min: 0, max: 20_000 }),
        }),
        { minLength: 1, maxLength: 4 },
      ),
      fc.array(
        fc.record({ after: fc.integer({ min: 0, max: 12 }), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
        { maxLength: 4 },
      ),
      async (batches, kills) => {
        const folder = await mkdtemp(join(tmpdir(), 'playhead-export-'))
        try {
          const archive = createArchive()
          const files = createFileArea(folder)
          for (const [index, { count, hour, step }] of batches.entries()) {
            archive.add(count, START_MS + hour * HOUR_MS, step)
            const kill = kills[index]
            if (kill !== undefined) await pass(mortal(files, kill), archive).catch(ifKilled)
          }
          await pass(files, archive)
          const ids = Object.values(await idsByFile(files))
          for (const one of ids)
            if (one.some((id, index) => index > 0 && id <= (one[index - 1] as number))) return false
          return JSON.stringify(ids.flat().sort((a, b) => a - b)) === JSON.stringify(archive.events.map(({ id }) => id))
        } finally {
          await rm(folder, { recursive: true, force: true, maxRetries: 10 })
        }
      },
    ),
    { numRuns: runsOf(30) },
  )
})

t.test('a process that is killed repeatedly leaves each event once', async (t) => {
  const { path, files } = await openFolder(t)
  for (let round = 0; round < 5; round++) {
    const child = fork(new URL('./export-process.ts', import.meta.url), [path], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    await once(child, 'message')
    await sleep(20 + round * 35)
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const archive = createArchive()
  archive.add(40_000, START_MS, 500)
  await pass(files, archive)
  t.same(
    Object.values(await idsByFile(files)).flat(),
    archive.events.map(({ id }) => id),
  )
})

t.test('a full disk is reported and repaired: partial lines are gone after the next pass', async (t) => {
  const archive = createArchive()
  archive.add(100, START_MS, 1_000)
  const { files } = await openFolder(t)
  await pass(files, archive)
  archive.add(100, START_MS + 200_000, 1_000)
  const full = new Error('no space left on device')
  await t.rejects(pass(mortal(files, { after: 1, part: 0.375 }, full), archive), full)
  await t.rejects(idsByFile(files), /not whole/)
  await pass(files, archive)
  t.same(await idsByFile(files), { 'events-20260301T10.jsonl': Array.from({ length: 200 }, (_, n) => n + 1) })
})

t.test('a failed pass is in the health report with its remedy', async (t) => {
  const archive = createArchive()
  archive.add(1, START_MS, 1_000)
  const { host, files } = await openHost(archive)
  t.teardown(() => host.close())
  await files.write(POSITION_FILE, '{"id": "much"}')
  await t.rejects(host.runJob('export'), { code: 'PLH_CONFLICT' })
  t.match(await host.callHook(HEALTH_DETAIL, {}), [
    {
      ok: false,
      detail: { last: { problem: /events-position.json in the folder exports cannot be/ } },
      advice: /disk/,
    },
  ])
  t.same((await files.list()).length, 1, 'nothing was written beside it')
})

t.test('a recreated archive is read from its beginning', async (t) => {
  const archive = createArchive()
  const { files } = await openFolder(t)
  archive.add(30, START_MS, 1_000)
  await pass(files, archive)
  archive.events.length = 0
  archive.name = 'a2'
  archive.add(40, START_MS + HOUR_MS, 1_000)
  await pass(files, archive)
  const found = await idsByFile(files)
  t.equal(found['events-20260301T10.jsonl']?.length, 30)
  t.same(
    found['events-20260301T11.jsonl'],
    Array.from({ length: 40 }, (_, n) => n + 1),
  )
})

t.test(
  'old files are deleted by age, number and size, the newest stays, and events that are too old are skipped',
  async (t) => {
    const archive = createArchive()
    const { files } = await openFolder(t)
    archive.add(10, START_MS - 40 * 24 * HOUR_MS, HOUR_MS)
    archive.add(10, START_MS - 9 * HOUR_MS, HOUR_MS)
    t.equal(await pass(files, archive), 10)
    t.equal(Object.keys(await idsByFile(files)).length, 10)
    await pass(files, archive, { ...CONFIG, keep_files: 4 })
    t.same(
      Object.keys(await idsByFile(files)),
      ['07', '08', '09', '10'].map((hour) => `events-20260301T${hour}.jsonl`),
    )
    await pass(files, archive, { ...CONFIG, keep_days: 1 }, START_MS + 23 * HOUR_MS)
    t.same(
      Object.keys(await idsByFile(files)),
      ['09', '10'].map((hour) => `events-20260301T${hour}.jsonl`),
    )
    await files.append('events-20260301T09.jsonl', Buffer.alloc(1_100_000, '\n'))
    await pass(files, archive, { ...CONFIG, keep_megabytes: 1 })
    t.same(Object.keys(await idsByFile(files)), ['events-20260301T10.jsonl'])
    await pass(files, archive, CONFIG, START_MS + 365 * 24 * HOUR_MS)
    t.same(
      (await files.list()).map(({ name }) => name),
      [POSITION_FILE, 'events-20260301T10.jsonl'].toSorted(),
    )
  },
)

t.test('no secret that became known later gets into a file', async (t) => {
  const archive = createArchive()
  archive.events.push(
    { id: 1, event_type: 'x', created_at: START_MS / 1_000, detail: 'hunter2' } as EventRow,
    { id: 2, event_type: 'x', created_at: START_MS / 1_000, detail: 'unsearchable' } as EventRow,
  )
  const { files } = await openFolder(t)
  const redact = (text: string) => (text.includes('unsearchable') ? '[redacted]' : text.replaceAll('hunter2', '***'))
  await exportEvents({
    files,
    archive,
    config: CONFIG,
    redact,
    now: () => START_MS,
    signal: new AbortController().signal,
  })
  const text = (await files.read('events-20260301T10.jsonl')).toString()
  t.notMatch(text, /hunter2|unsearchable/)
  t.same((await idsByFile(files))['events-20260301T10.jsonl'], [1, 2])
})

t.test('the real archive returns each event once in the stored order, regardless of its time', async (t) => {
  const opened = await openArchive()
  t.teardown(() => opened.host.close())
  const { archive } = opened
  const first = await archive.since(0)
  await archive.record(Array.from({ length: 30 }, (_, n) => wrote('run-1', { key: `movie:tmdb:${n}` })))
  const { files } = await openFolder(t)
  const startMs = Date.now()
  await pass(files, archive, CONFIG, startMs)
  await archive.record([wrote('run-1', { key: 'movie:tmdb:99' })])
  await pass(files, archive, CONFIG, startMs)
  const all = await archive.since(0)
  t.equal(all.events.length, first.events.length + 31)
  t.equal(all.archive, first.archive)
  t.same(Object.values(await idsByFile(files)).flat().length, all.events.length)
  t.same(
    (await archive.since(all.events[4]?.id as number, 2)).events.map(({ id }) => id),
    all.events.slice(5, 7).map(({ id }) => id),
  )
})

/** Allows this many changes; the next one is partial, and later ones have no effect. */
function mortal(
  files: FileArea,
  { after, part }: { readonly after: number; readonly part: number },
  death: Error = new Error('killed'),
): FileArea {
  let left = after
  let isDead = false
  const step = async (whole: () => Promise<unknown>, half: () => Promise<unknown>): Promise<void> => {
    if (isDead) throw death
    if (left-- > 0) return void (await whole())
    isDead = true
    await half()
    throw death
  }
  return {
    ...files,
    write: (path, content) =>
      step(
        () => files.write(path, content),
        async () => (part < 0.5 ? undefined : await files.write(path, content)),
      ),
    async append(path, content, at) {
      const bytes = Buffer.from(content as string)
      await step(
        () => files.append(path, content, at),
        () => files.append(path, bytes.subarray(0, Math.floor(bytes.length * part)), at),
      )
      return (at ?? 0) + bytes.length
    },
    remove: async (path) => {
      await step(
        () => files.remove(path),
        () => files.remove(path),
      )
      return true
    },
  }
}

function ifKilled(error: Error): void {
  if (error.message !== 'killed') throw error
}
