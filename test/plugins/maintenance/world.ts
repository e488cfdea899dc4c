// A real service with rows in the tracker, a synced pair of two of its profiles, and data of every kind that maintenance may
// change. A test plugin inspects the data directory as maintenance does.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { BlobReader, TextReader, Uint8ArrayWriter, ZipReader, ZipWriter, TextWriter } from '@zip.js/zip.js'
import {
  ACTIVITY,
  type ActivityLog,
  MANUAL_POLICY,
  type ManualPolicyService,
  type PluginContext,
  TRACKER_STORE,
  type TrackerStore,
} from '@playhead/sdk'
import { type FixturePlugin, type Service, startService } from '../../harness.ts'

declare global {
  var maintenanceTestContext: PluginContext | undefined
}

export const probe: FixturePlugin = {
  manifest: {
    needs: { data: true, files: ['cache', 'captures', 'backups'] },
    activation: ['start'],
    isolation: 'none',
    provides: ['maintenance:of-the-test'],
    optional: ['tracker:store', 'activity', 'manual-policy'],
    routes: [],
  },
  files: {
    'index.ts': `import { definePlugin, MAINTENANCE } from '@playhead/sdk'
export default definePlugin({
  setup(ctx) {
    globalThis.maintenanceTestContext = ctx
    ctx.provide(MAINTENANCE.of('of-the-test'), {
      describe: () => ({ title: 'Clear the notes', note: 'Deletes the notes of the test.', group: 'other', losesData: true, backupFirst: false, alone: true, options: ['which'] }),
      preview: async () => ({ touches: (await ctx.files.stat('note.txt')) === undefined ? [] : [{ path: 'plugins/probe/files/note.txt', label: 'notes', op: 'delete', items: 1, bytes: (await ctx.files.stat('note.txt')).size }] }),
      run: async () => {
        const { size } = (await ctx.files.stat('note.txt')) ?? {}
        return { touches: (await ctx.files.remove('note.txt')) ? [{ path: 'plugins/probe/files/note.txt', label: 'notes', op: 'delete', items: 1, bytes: size }] : [] }
      },
    }, { whileDormant: ['describe'] })
  },
})`,
  },
}

export const ctx = () => globalThis.maintenanceTestContext as PluginContext
export const tracker = () => ctx().use<TrackerStore>(TRACKER_STORE)

/** Whether a plugin for backups ships. */
export const hasBackups = (
  JSON.parse(readFileSync('plugin-registry.json', 'utf8')) as { plugins: { id: string }[] }
).plugins.some(({ id }) => id === 'backups')

const titles = Array.from({ length: 40 }, (_, index) => ({
  type: 'movie' as const,
  title: `Film ${index}`,
  year: 1990 + (index % 30),
  ids: { tmdb: String(1_000 + index), imdb: `tt${String(1_000_000 + index)}` },
}))

export const stateFiles = {
  'watchlist.json': itemsOf(titles.slice(0, 30).map((item) => ({ ...item, added_at: '2026-01-02T03:04:05Z' }))),
  'history.json': itemsOf(
    titles.flatMap((item, index) => [
      { ...item, watched: true, watched_at: `2026-02-0${1 + (index % 9)}T10:00:00Z` },
      ...(index % 4 === 0 ? [{ ...item, watched: true, watched_at: `2025-02-0${1 + (index % 9)}T20:00:00Z` }] : []),
    ]),
  ),
  'ratings.json': itemsOf(
    titles.slice(5, 25).map((item, index) => ({ ...item, rating: 1 + (index % 10), rated_at: '2026-03-01T00:00:00Z' })),
  ),
  'progress.json': itemsOf(
    titles
      .slice(0, 4)
      .map((item) => ({ ...item, progress_ms: 60_000, duration_ms: 6_000_000, progress_at: '2026-03-01T00:00:00Z' })),
  ),
}

function itemsOf(items: readonly object[]) {
  return { ts: 1_770_000_000, items: Object.fromEntries(items.map((item, index) => [`k${index}`, item])) }
}

export async function zipOf(
  files: Readonly<Record<string, string | object>>,
  options: object = {},
): Promise<Uint8Array> {
  const zip = new ZipWriter(new Uint8ArrayWriter(), options)
  for (const [name, content] of Object.entries(files))
    await zip.add(name, new TextReader(typeof content === 'string' ? content : JSON.stringify(content)))
  return zip.close()
}

/** The members of a ZIP as text. */
export async function unzip(bytes: Uint8Array): Promise<Readonly<Record<string, string>>> {
  const zip = new ZipReader(new BlobReader(new Blob([bytes as never])))
  const found: Record<string, string> = {}
  for (const entry of await zip.getEntries())
    if (!entry.directory) found[entry.filename] = await entry.getData(new TextWriter())
  return found
}

/** @param name file name, as a browser sends it */
export async function importZip(service: Service, bytes: Uint8Array, query = '', name = 'svc-tracker.zip') {
  const body = new FormData()
  body.append('file', new Blob([bytes as never], { type: 'application/zip' }), name)
  const answer = await service.call(`/api/maintenance/svc-tracker/import${query}`, { method: 'POST', body })
  return { status: answer.status, body: (await answer.json()) as any }
}

export async function exportTracker(service: Service, query = ''): Promise<Readonly<Record<string, string>>> {
  const answer = await service.call(`/api/maintenance/svc-tracker/export${query}`)
  if (answer.status !== 200) throw new Error(await answer.text())
  return unzip(new Uint8Array(await answer.arrayBuffer()))
}

/** Waits until the run has ended and its statistics, which follow a moment later, are stored. */
export async function runSync(service: Service, request: { readonly dry_run?: boolean } = {}): Promise<any> {
  const { body } = await service.json('/api/run', { json: request })
  for (;;) {
    const { body: summary } = await service.json('/api/run/summary')
    if (summary.run_id === body.run_id && summary.running === false) {
      if (request.dry_run !== true) await untilCounted(body.run_id)
      return summary
    }
    await sleep(20)
  }
}

async function untilCounted(runId: string): Promise<void> {
  const { db } = globalThis.maintenanceTestContext ?? {}
  if (db === undefined) return
  const find = () => db.selectFrom('insights__run').select('run_id').where('run_id', '=', runId).executeTakeFirst()
  for (let leftMs = 20_000; leftMs > 0 && (await find()) === undefined; leftMs -= 50) await sleep(50)
  // Waits until its transaction ends.
  await sleep(250)
}

/** Placed beside the shipped plugins, as a person adds one. */
async function installProbe(directory: string): Promise<void> {
  const folder = join(directory, 'probe')
  await mkdir(folder, { recursive: true })
  await mkdir(join(directory, 'data'), { recursive: true })
  await writeFile(join(folder, 'index.ts'), probe.files['index.ts']!)
  const identity = { id: 'probe', name: 'probe', version: '1.0.0', api: '^1.0.0', kind: 'service' }
  await writeFile(join(folder, 'plugin.json'), JSON.stringify({ ...identity, ...probe.manifest }))
  const registry = { version: 1, plugins: [{ id: 'probe', source: folder }] }
  await writeFile(join(directory, 'data', 'plugin-registry.json'), JSON.stringify(registry))
}

export async function openWorld(t: Test): Promise<Service> {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-maintenance-'))
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  await installProbe(directory)
  const service = await startService({ directory, watch: false, shipped: true })
  t.teardown(() => service[Symbol.asyncDispose]())
  const { body: made } = await service.json('/api/provider-instances/SVC/next', { json: {} })
  const second = made.id as string
  const imported = await importZip(service, await zipOf(stateFiles))
  if (imported.status !== 200)
    throw new Error(
      JSON.stringify([
        imported.body,
        (await service.plugin('maintenance')).last_error,
        service.log.filter((line) => line.includes('error')).slice(-3),
      ]),
    )
  const pair = await service.json('/api/pairs', {
    json: {
      source: 'SVC',
      source_instance: 'default',
      target: 'SVC',
      target_instance: second,
      mode: 'two_way',
      enabled: true,
      features: {
        watchlist: { enabled: true, add: true, remove: true },
        history: { enabled: true, add: true, remove: true },
        ratings: { enabled: true, add: true, remove: true },
      },
    },
  })
  if (pair.status !== 200) throw new Error(JSON.stringify(pair.body))
  const { body: config } = await service.json('/api/config')
  await service.json('/api/config', { json: { sync: { ...config.sync, enable_remove: true } } })
  const first = await runSync(service)
  if (first.result !== 'ok') throw new Error(JSON.stringify(first))
  await ctx()
    .use<ActivityLog>(ACTIVITY)
    .record([
      { kind: 'scrobble', event: 'scrobble_stop', source: 'MEDIAA', target: 'SVC', media_type: 'movie', title: 'Heat' },
      { kind: 'activity', event: 'watched', source: 'MEDIAA', target: 'SVC', media_type: 'movie', title: 'Ronin' },
    ])
  await ctx()
    .use<ManualPolicyService>(MANUAL_POLICY)
    .change({ provider: 'SVC', instance: second, feature: 'watchlist' }, { addBlocks: ['movie:tmdb:9'] } as never)
  await ctx()
    .db.insertInto('metadata__records')
    .values({ name: '1:movie/1', value: '{"title":"Heat"}', bytes: 16, fetched_at_ms: Date.now() })
    .execute()
  await ctx().files.shared('cache').write('art/movie/1/poster_en_w342_abc', 'picture')
  await ctx().files.shared('captures').write('2026/one.json', '{}')
  await ctx().files.shared('backups').write('kept.zip', 'as it is')
  await ctx().files.write('note.txt', 'mine')
  return service
}

/** Hash of each stored file, and of each table of each database. */
export async function lookAtEverything(): Promise<ReadonlyMap<string, string>> {
  const data = ctx().data()
  const folder = await data.scratch()
  const found = new Map<string, string>()
  const hash = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
  for (const { path, kind } of await data.parts()) {
    if (kind === 'file') {
      found.set(path, hash(await readFile(join(data.path, path)).catch(() => '')))
      continue
    }
    const copy = join(folder, `${hash(path)}.sqlite`)
    await rm(copy, { force: true })
    await data.copyDatabases([{ path, to: copy }])
    using database = new DatabaseSync(copy, { readOnly: true })
    const tables = database
      .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
      .all()
    for (const { name } of tables as { name: string }[]) {
      if (/_fts(_|$)|^item_fts|^note_fts/.test(name)) continue
      const statement = database.prepare(`select * from "${name}"`)
      statement.setReadBigInts(true)
      const rows = statement.all().map((row) =>
        Object.values(row)
          .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)))
          .join('\u0001'),
      )
      found.set(`${path}#${name}`, hash(rows.sort().join('\u0002')))
    }
    await rm(copy, { force: true })
  }
  return found
}

/**
 * The differences, without changes that the service makes at any time (jobs, sessions, events and their position), and
 * without new backups.
 */
export function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name) !== after.get(name))
    .filter((name) => !/^database\.sqlite#core__|^store\.sqlite|^databases\/events\/archive\.sqlite#/.test(name))
    .filter((name) => before.has(name) || !name.startsWith('files/backups/'))
    .sort()
}
