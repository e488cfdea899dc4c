// slow: the whole service, or very many cases
// The archive file: what survives a kill, handling of damage, and data that is never stored.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { type EventRecord, HEALTH_DETAIL } from '@playhead/sdk'
import { openOwnDatabase } from '../../../core/own-database/open.ts'
import { RECORDED_EVENTS } from '../../../plugins/services/events/store/bus-table.ts'
import { migrations } from '../../../plugins/services/events/store/schema.ts'
import replaced from '../../core/storage/replaced-migrations.json' with { type: 'json' }
import { startService, until } from '../../harness.ts'
import { HEAT, openArchive, ROUTE, wrote } from './support.ts'

const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, channel: () => SILENT } as never
const EVENTS = { files: {}, registry: { source: resolve(import.meta.dirname, '../../../plugins/services/events') } }

t.test('events that a reader saw are there after the process was killed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'playhead-events-'))
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  for (let round = 0; round < 3; round += 1) {
    const child = fork(new URL('./ingest-process.ts', import.meta.url), [folder], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    let seen = 0
    child.on('message', (message) => {
      seen = Math.max(seen, Number(message))
    })
    await until('events go in', () => seen > 0, 60_000)
    await new Promise((resolve) => setTimeout(resolve, 150 * (round + 1)))
    child.kill('SIGKILL')
    await once(child, 'exit')
    const database = await openOwnDatabase({
      folder,
      owner: 'events',
      name: 'archive',
      options: { migrations },
      log: SILENT,
      now: Date.now,
    })
    const count = async (sql: string) => {
      const { CompiledQuery } = await import('kysely')
      return Number(Object.values((await database.reader.executeQuery(CompiledQuery.raw(sql))).rows[0] as object)[0])
    }
    t.ok((await count('SELECT max(id) FROM event')) >= seen)
    t.equal(
      await count('SELECT count(*) FROM event'),
      await count('SELECT sum(n) FROM facet'),
      'counters are of the same moment',
    )
    t.equal(await count('SELECT sum(event_count) FROM grp'), await count('SELECT count(*) FROM event'))
    t.equal(await count('SELECT count(*) FROM event WHERE group_id NOT IN (SELECT id FROM grp)'), 0)
    await database.close()
  }
})

t.test('an unreadable file is set aside, an empty one replaces it, and this is reported', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-events-'))
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  const databases = join(directory, 'data', 'databases', 'events')
  {
    await using service = await startService({ directory, plugins: { events: EVENTS }, watch: false })
    await until('the archive is open', async () => (await service.json('/api/events/status')).body.events > 0)
  }
  await writeFile(
    join(databases, 'archive.sqlite'),
    'this is no database at all, and long enough to be looked at'.repeat(200),
  )
  const playhead = await startService({ directory, plugins: { events: EVENTS }, watch: false, withoutAccount: true })
  await using service = playhead
  const answer = await service.json('/api/app-auth/login', {
    json: { username: 'ada', password: 'correct horse battery' },
  })
  service.setCookie((answer.headers.get('set-cookie') ?? '').split(';')[0] as string)
  const status = await until('it is said', async () => {
    const { body } = await service.json('/api/events/status')
    return body.by_type?.audit_archive_set_aside === 1 ? body : undefined
  })
  t.match(status, { ok: true, available: true, set_aside: /^archive\.bad-/ })
  t.ok((await readdir(databases)).some((name) => name.startsWith('archive.bad-')))
  t.match((await service.json('/api/events/search?domain=audit&q=set%20aside')).body, {
    total: 1,
    items: [{ status: 'failed', severity: 'error' }],
  })
  t.ok(service.log.some((line) => line.includes('set aside')))
})

t.test('each start is on record, though the archive is not loaded in an unused service', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-events-'))
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  const options = { directory, plugins: { events: EVENTS }, watch: false, host: { snapshotMs: 0 } }
  const run = join(directory, 'data', 'run')
  const isThere = (file: string) =>
    readFile(join(run, file)).then(
      () => true,
      () => false,
    )
  {
    await using service = await startService(options)
    t.ok(service)
    await until('its snapshot', () => isThere('plugins/events.json'))
  }
  for (const _ of [1, 2]) {
    await using service = await startService({ ...options, withoutAccount: true })
    await service.events.settled()
    t.equal(service.host.list().find(({ id }) => id === 'events')?.state, 'dormant')
    // Written at once: a crash right after a start loses nothing.
    t.ok(await isThere('events/events.jsonl'))
  }
  await using service = await startService({ ...options, withoutAccount: true })
  const answer = await service.json('/api/app-auth/login', {
    json: { username: 'ada', password: 'correct horse battery' },
  })
  service.setCookie((answer.headers.get('set-cookie') ?? '').split(';')[0] as string)
  const types = await until('all are there', async () => {
    const { body } = await service.json('/api/events/status')
    return body.by_type?.audit_service_started === 4 ? body.by_type : undefined
  })
  t.match(types, { audit_login: 1 }, 'and the login that loaded it')
})

t.test('plugin.json names each event that is recorded', async (t) => {
  const { activation } = JSON.parse(await readFile(join(EVENTS.registry.source, 'plugin.json'), 'utf8'))
  t.same(
    (activation as readonly string[]).map((one) => one.slice(one.indexOf(':') + 1)).sort(),
    RECORDED_EVENTS.toSorted(),
  )
})

/** Applies the migrations that followed, which one migration has replaced since. */
function bringUp(file: string): void {
  using database = new DatabaseSync(file)
  const insert = database.prepare(
    'insert into playhead__migrations (owner, position, name, applied_at_ms) values (?, ?, ?, 1)',
  )
  const known = database.prepare('select name from playhead__migrations').all().length
  for (const [position, [name, lines]] of Object.entries(replaced['services/events/archive']).entries()) {
    if (position < known) continue
    for (const line of lines) database.exec(line)
    insert.run('events', position, name)
  }
}

t.test('a file that ingested facts one by one continues with all its data', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-events-'))
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  const databases = join(directory, 'data', 'databases', 'events')
  await mkdir(databases, { recursive: true })
  // A run with one failed item, whose group was acknowledged, and one written item.
  const file = join(databases, 'archive.sqlite')
  await writeFile(file, gunzipSync(await readFile(new URL('./archive-before-batches.sqlite.gz', import.meta.url))))
  bringUp(file)
  await using service = await startService({ directory, plugins: { events: EVENTS }, watch: false })
  const get = async (path: string) => (await service.json(`/api/events/${path}`)).body
  t.match(await get('run/old'), { total: 4 })
  t.match(await get('search?q=alien&view=events'), { total: 1 })
  t.match(await get('search?q=heat'), { total: 0 }, 'what was acknowledged is still out of sight')
  t.match(await get('search?q=heat&view=events&visibility=acknowledged'), { total: 1 })
  const { source, destination, ...route } = ROUTE
  const again = {
    ...route,
    event_type: 'write_failed',
    severity: 'error',
    operation: 'add',
    item_key: HEAT.key,
    title: HEAT.title,
    year: HEAT.year,
    media_type: HEAT.media_type,
    reason: 'refused_by_service',
    source_provider: source.provider,
    destination_provider: destination.provider,
    run_id: 'new',
    created_at: 1_780_000_000,
  }
  t.match((await service.json('/api/events/import', { json: { events: [again] } })).body, {
    imported: 1,
    groups_touched: 0,
  })
  t.match(await get('search?q=heat'), {
    total: 1,
    items: [
      {
        status: 'failed',
        event_count: 2,
        acknowledged_at: null,
        acknowledgements: [{ by: 'ada', reopened_at: 1_780_000_000 }],
      },
    ],
  })
  t.match(await get('search?q=heat&view=events'), { total: 2 })
  t.match(await get('tree'), { total: 1, items: [{ run_id: 'old', children: [{ title: 'Heat', status: 'failed' }] }] })
  t.equal((await get('status')).acknowledged, 0)
})

const SECRET = 'hunter2-is-not-a-good-key'

t.test('no secret gets into the archive, by any route', async (t) => {
  const filler = {
    manifest: { optional: ['events'], section: 'filler', routes: [{ method: 'POST', path: '/api/filler' }] },
    files: {
      'index.ts': `import { definePlugin, EVENT_ARCHIVE, Type } from '@playhead/sdk'
        export default definePlugin({
          config: Type.Object({ api_key: Type.String({ default: '', secret: true }) }),
          setup(ctx) { ctx.onConfigChange(() => {}) },
          routes(app) { app.post('/api/filler', async (request) => { await app.playhead.use(EVENT_ARCHIVE).record(request.body.records); await app.playhead.use(EVENT_ARCHIVE).flushed(); return { ok: true } }) },
        })`,
    },
  }
  const directory = await mkdtemp(join(tmpdir(), 'playhead-events-'))
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  {
    await using service = await startService({ directory, plugins: { events: EVENTS, filler }, watch: false })
    t.equal((await service.json('/api/config', { json: { filler: { api_key: SECRET } } })).status, 200)
    const records: EventRecord[] = [
      wrote('r', { ...HEAT, title: `Heat ${SECRET}` }),
      wrote('r', { key: `movie:guid:${SECRET}` }),
      wrote('r', HEAT, { reason_code: `write_failed:${SECRET}` }),
      wrote('r', HEAT, {
        match_basis: SECRET,
        session_key: SECRET,
        change: { old: SECRET, new: encodeURIComponent(SECRET), kind: 'rating' },
      }),
      {
        type: 'filler_action',
        detail: {
          message: `used ${SECRET}`,
          password: 'another-secret-word',
          nested: { url: `https://x/?token=${SECRET}`, api_key: 'a-third-secret-word' },
        },
      },
      wrote(SECRET, HEAT),
      wrote('r', HEAT, { detail: { text: 'Authorization: Bearer abcdefghijklmnop1234' } }),
    ]
    t.equal((await service.json('/api/filler', { json: { records } })).status, 200)
    const forged = { type: 'audit_login', domain: 'audit', detail: { actor: { username: 'forged' } } }
    t.equal((await service.json('/api/filler', { json: { records: [...records, forged] } })).status, 403)
    await service.json('/api/events/import', {
      json: {
        source: `from ${SECRET}`,
        events: [
          {
            event_type: 'write_failed',
            title: SECRET,
            item_key: SECRET,
            reason: SECRET,
            detail: { a: SECRET, cookie: 'a-fourth-secret-word' },
          },
        ],
      },
    })
    const { body } = await service.json('/api/events/recent?view=events&domain=all&limit=500')
    t.match(
      body.items.find(({ event_type: type }: any) => type === 'audit_config_saved'),
      { detail: { fields: ['filler'] }, acknowledged_by: null },
      'the names of saved fields are on record',
    )
    t.ok(body.items.some(({ event_type: type }: any) => type === 'audit_credentials_updated'))
    t.notMatch(JSON.stringify(body), 'forged', 'a plugin cannot record who did what')
    t.ok(
      body.items.filter(({ title, item_key: key }: any) => JSON.stringify([title, key]).includes('redacted')).length >=
        2,
    )
    t.notMatch(JSON.stringify(body), SECRET)
  }
  const files = await readdir(join(directory, 'data', 'databases', 'events'))
  const bytes = (
    await Promise.all(files.map((name) => readFile(join(directory, 'data', 'databases', 'events', name), 'latin1')))
  ).join('')
  t.ok(bytes.length > 0)
  for (const secret of [
    SECRET,
    'another-secret-word',
    'a-third-secret-word',
    'a-fourth-secret-word',
    'abcdefghijklmnop1234',
    'correct horse battery',
  ])
    t.notOk(bytes.includes(secret), secret)
})

t.test('events that cannot be stored are counted and reported, and affect nothing else', async (t) => {
  await using archive = await openArchive()
  const endless: Record<string, unknown> = { large: 2n ** 60n }
  const large = wrote('r', HEAT, { detail: { ...endless } })
  endless['itself'] = endless
  await archive.record(
    wrote('r', HEAT),
    wrote('r', HEAT, { detail: endless }),
    wrote('r', { ...HEAT, key: { no: 'key' } as never }),
    large,
  )
  t.match(await archive.get('status'), { events: 2, dropped: 2 })
  t.match(
    (await archive.get('search?view=events&q=heat')).items.find(({ detail }: any) => detail !== null),
    { detail: { large: String(2n ** 60n) } },
  )
  t.ok(archive.host.logs.some(({ text }) => text === 'events could not be stored'))
  t.match(await archive.host.callHook(HEALTH_DETAIL, {}), [
    { name: 'event archive', ok: false, detail: { dropped: 2 } },
  ])
  t.match(await archive.archive.facts(), { events: 2, dropped: 2, open_problems: 0, size_bytes: Number })
})

t.test('a new version of the plugin continues where the old one was, with its queue', async (t) => {
  await using archive = await openArchive()
  t.equal((await archive.get('status')).events, 0)
  await archive.archive.record(Array.from({ length: 300 }, () => wrote('r', HEAT)))
  await archive.host.reload()
  await archive.record(wrote('r', HEAT))
  t.match(await archive.get('status'), { events: 302, by_type: { audit_plugin_reloaded: 1 }, dropped: 0 })
})
