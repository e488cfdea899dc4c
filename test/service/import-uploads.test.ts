// slow: the service as a process, killed and started again
// Broken imports: truncated uploads, endless uploads, kills while reading, and formats that are removed or reloaded between
// preview and write. Nothing remains and nothing is duplicated.
import { mkdtemp, rm } from 'node:fs/promises'
import { once } from 'node:events'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { run as startService, type Running } from '../bench/server.ts'

t.setTimeout(900_000)

const HEADER = 'media_id,source,media_type,title,season_number,episode_number,score,status,end_date\n'
const fileOf = (rows: number) =>
  HEADER +
  Array.from({ length: rows }, (_, at) => `${at + 1},tmdb,movie,Film ${at + 1},,,,Completed,2024-01-01\n`).join('')

const directory = await mkdtemp(join(tmpdir(), 'playhead-test-uploads-'))
let service: Running = await start()
atEndOfFile(async () => {
  await service.stop().catch(() => {})
  await rm(directory, { recursive: true, force: true, maxRetries: 10 })
})

/** The service listens before its plugins run. */
async function start(): Promise<Running> {
  const running = await startService('shipped', directory)
  for (;;) {
    const answer = await fetch(`${running.url}/api/import/formats`, { headers: { cookie: running.cookie } })
    const { formats = [] } = (await answer.json()) as { formats?: readonly { id: string }[] }
    if (formats.some(({ id }) => id === 'yamtrack')) return running
    await sleep(100)
  }
}

async function ask(path: string, init: RequestInit = {}): Promise<{ status: number; body: any }> {
  const answer = await fetch(service.url + path, { ...init, headers: { cookie: service.cookie, ...init.headers } })
  return { status: answer.status, body: await answer.json() }
}
const post = (path: string, body: object = {}) =>
  ask(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
const imports = async () => (await ask('/api/import')).body.imports as readonly { name: string; state: string }[]

async function upload(text: string, name = 'yamtrack.csv') {
  const body = new FormData()
  body.set('file', new Blob([text]), name)
  return ask('/api/import/preview', { method: 'POST', body })
}

async function write(importId: string): Promise<any> {
  await post('/api/import/run', { import_id: importId, provider: 'SVC' })
  for (;;) {
    const { body } = await ask(`/api/import/${importId}`)
    if (!['comparing', 'running'].includes(body.state)) return body
    await sleep(50)
  }
}

/** A preview whose body is sent in chunks. */
function open(name: string) {
  const outgoing = request(`${service.url}/api/import/preview`, {
    method: 'POST',
    headers: { cookie: service.cookie, 'content-type': 'multipart/form-data; boundary=b' },
  })
  outgoing.write(`--b\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n`)
  return outgoing
}

t.test('a truncated upload leaves nothing, and the next one is read', async (t) => {
  for (const text of [HEADER, fileOf(50_000)]) {
    const outgoing = open('cut.csv')
    outgoing.on('error', () => {})
    outgoing.write(text)
    await sleep(100)
    outgoing.destroy()
  }
  t.match(await upload(fileOf(3)), { status: 200, body: { rows: 3, matched: 3 } })
  t.same(
    (await imports()).map(({ name }) => name),
    ['yamtrack.csv'],
  )
})

t.test('an endless line is refused long before it could fill the memory', async (t) => {
  const outgoing = open('endless.csv')
  let answer: { status: number; text: string } | null = null
  outgoing.on('error', () => {})
  outgoing.on('response', async (incoming) => {
    const text = (await incoming.setEncoding('utf8').toArray()).join('')
    answer = { status: incoming.statusCode!, text }
  })
  outgoing.write(HEADER)
  const piece = Buffer.alloc(1024 * 1024, 'x')
  let sent = 0
  // Up to 2 GB, until the service answers.
  for (; answer === null && sent < 2_000; sent += 1)
    if (!outgoing.write(piece)) await Promise.race([once(outgoing, 'drain'), sleep(2_000)]).catch(() => {})
  for (let waited = 0; answer === null && waited < 100; waited += 1) await sleep(100)
  outgoing.destroy()
  t.match(answer, { status: 413, text: /"error":"upload_too_large"/ })
  t.ok(sent < 200, `${sent} MiB were sent`)
  t.match(await upload(fileOf(4)), { status: 200, body: { rows: 4 } })
})

t.test('a kill while a file is read leaves no import, and a second upload is complete', async (t) => {
  const before = await imports()
  const reading = upload(fileOf(120_000), 'large.csv').catch(() => null)
  await sleep(700)
  await service.stop()
  await reading
  service = await start()
  t.same(await imports(), before)
  t.match(await upload(fileOf(2_000), 'again.csv'), { status: 200, body: { rows: 2_000, matched: 2_000 } })
})

t.test('a previewed file is written once, even if its format is reloaded or removed in between', async (t) => {
  const { body } = await upload(fileOf(500), 'kept.csv')
  t.match(await post('/api/plugins/import-yamtrack/reload'), { status: 200 })
  t.match(await write(body.import_id), { state: 'done', format: 'yamtrack', outcomes: { applied: 500 } })
  const second = (await upload(fileOf(600), 'kept too.csv')).body
  t.match(await post('/api/plugins/import-yamtrack/disable'), { status: 200 })
  t.match(await upload(fileOf(5)), { status: 400, body: { error: 'unknown_format' } })
  t.match(await ask(`/api/import/${second.import_id}/rows?limit=1`), { status: 200, body: { total: 600 } })
  const written = await write(second.import_id)
  t.match(written, { state: 'done', label: 'Yamtrack', plan: { history: { already: 500, done: 100 } } })
  const undone = await post(`/api/import/${second.import_id}/undo`)
  t.ok([200, 202].includes(undone.status))
  for (let state = ''; state !== 'undone'; ) {
    ;({ state } = (await ask(`/api/import/${second.import_id}`)).body)
    if (!['undoing', 'undone'].includes(state)) throw new Error(state)
    await sleep(50)
  }
  t.match(await post('/api/plugins/import-yamtrack/enable'), { status: 200 })
  const third = (await upload(fileOf(500), 'third.csv')).body
  t.match(await write(third.import_id), { state: 'done', plan: { history: { already: 500 } } })
})
