// slow: the service as a process, killed and started again
// An import into the tracker is killed repeatedly: each row of the file is present once, and a second import adds nothing. Then
// it is undone, exported, and read back.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { run as startService, type Running } from '../bench/server.ts'

t.setTimeout(900_000)

const ROWS = 3_000
const KILLS = 4

/** Films with rewatches, days without a time, and ratings, in the format of Yamtrack. */
function fileOf(): string {
  const header =
    'media_id,source,media_type,title,image,season_number,episode_number,score,status,notes,start_date,end_date,progress,created_at,progressed_at'
  const lines = Array.from({ length: ROWS }, (_, index) => {
    const at = new Date(Date.UTC(2015, 0, 1) + index * 43_200_000).toISOString().slice(0, 19).replace('T', ' ')
    const time = index % 3 === 0 ? at.slice(0, 10) : `${at}+00:00`
    return `${1 + (index % 2_000)},tmdb,movie,"Film ${index % 2_000}, a title",,,,${index < 500 ? 1 + (index % 10) : ''},Completed,,,${time},1,,`
  })
  return `${header}\n${lines.join('\n')}\n`
}

const directory = await mkdtemp(join(tmpdir(), 'playhead-test-import-'))
let service: Running = await startService('shipped', directory)
atEndOfFile(async () => {
  await service.stop().catch(() => {})
  await rm(directory, { recursive: true, force: true, maxRetries: 10 })
})

async function ask(path: string, init: RequestInit = {}): Promise<{ status: number; body: any; text: string }> {
  const answer = await fetch(service.url + path, { ...init, headers: { cookie: service.cookie, ...init.headers } })
  const text = await answer.text()
  return { status: answer.status, text, body: text.startsWith('{') ? JSON.parse(text) : null }
}
const post = (path: string, body: object) =>
  ask(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })

async function upload(text: string, name: string): Promise<any> {
  const body = new FormData()
  body.set('file', new Blob([text]), name)
  const { status, body: answer } = await ask('/api/import/preview', { method: 'POST', body })
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(answer)}`)
  return answer
}

async function ended(importId: string): Promise<any> {
  for (;;) {
    const { body } = await ask(`/api/import/${importId}`)
    if (!['comparing', 'running', 'undoing'].includes(body.state)) return body
    await sleep(50)
  }
}

async function run(importId: string): Promise<any> {
  const { status, body } = await post('/api/import/run', { import_id: importId, provider: 'SVC' })
  if (status !== 200 && status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`)
  return ended(importId)
}

/** Plays of the tracker, one line each. */
async function plays(): Promise<readonly string[]> {
  const { text } = await ask('/api/export/file?provider=SVC&feature=history&format=json')
  const { rows } = JSON.parse(text) as { rows: { item: { ids: { tmdb: string }; watched_at: string } }[] }
  return rows.map(({ item }) => `${item.ids.tmdb} ${item.watched_at}`).sort()
}

const file = fileOf()
let first = ''
const wanted = file
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [id, time = ''] = [line.slice(0, line.indexOf(',')), /Completed,,,([^,]+),/.exec(line)?.[1]]
    return `${id} ${time.length === 10 ? time : `${time.slice(0, 10)}T${time.slice(11, 19)}Z`}`
  })
  .sort()

t.test('an import that is killed repeatedly and restarted writes every play once', async (t) => {
  const { import_id: id } = await upload(file, 'yamtrack.csv')
  first = id
  for (let kill = 0; kill < KILLS; kill += 1) {
    const running = post('/api/import/run', { import_id: id, provider: 'SVC' }).catch(() => null)
    await sleep(150 + kill * 150)
    await service.stop()
    await running
    service = await startService('shipped', directory)
    const { body } = await ask(`/api/import/${id}`)
    t.ok(['interrupted', 'previewed', 'done'].includes(body.state), `after kill ${kill + 1} it is ${body.state}`)
  }
  t.match(await run(id), { state: 'done' })
  t.strictSame(await plays(), wanted)
})

t.test('a second import of the same file adds nothing', async (t) => {
  const { import_id: id } = await upload(file, 'yamtrack.csv')
  t.match(await run(id), {
    state: 'done',
    plan: { history: { already: ROWS }, ratings: { already: 500 } },
    run: { plan_ids: [] },
  })
  t.strictSame(await plays(), wanted)
})

t.test('an import is undone completely, and earlier data stays', async (t) => {
  const more = `imdbID,tmdbID,Title,Year,Rating10,WatchedDate,Rewatch\n${Array.from({ length: 30 }, (_, index) => `,${9_000 + index},New ${index},2020,,2024-01-01,`).join('\n')}\n`
  const { import_id: id } = await upload(more, 'letterboxd.csv')
  t.match(await run(id), { state: 'done', outcomes: { applied: 30 } })
  t.equal((await plays()).length, wanted.length + 30)
  await ask(`/api/import/${id}/undo`, { method: 'POST' })
  t.match(await ended(id), { state: 'undone' })
  t.strictSame(await plays(), wanted)
})

t.test('a JSON export is recognised completely when it is imported', async (t) => {
  const { text } = await ask('/api/export/file?provider=SVC&feature=all&format=json')
  const { import_id: id, rows } = await upload(text, 'export.json')
  t.equal(rows, ROWS + 500)
  t.match(await run(id), { state: 'done', plan: { history: { already: ROWS }, ratings: { already: 500 } } })
})

t.test('an undo that is killed repeatedly leaves nothing, and the file can be imported again', async (t) => {
  let state = ''
  for (let kill = 0; state !== 'undone'; kill += 1) {
    const undoing = ask(`/api/import/${first}/undo`, { method: 'POST' }).catch(() => null)
    if (kill >= KILLS) {
      await undoing
      state = (await ended(first)).state
      break
    }
    await sleep(100 + kill * 150)
    await service.stop()
    await undoing
    service = await startService('shipped', directory)
    ;({ state } = (await ask(`/api/import/${first}`)).body)
    const left = new Set(await plays())
    t.ok(
      ['interrupted', 'done', 'undone'].includes(state),
      `after kill ${kill + 1} it is ${state}, ${left.size} are left`,
    )
    t.ok(wanted.filter((play) => left.has(play)).length === left.size)
  }
  t.equal(state, 'undone')
  t.strictSame(await plays(), [])
  t.match(await run(first), { state: 'done', outcomes: { applied: ROWS + 500 } })
  t.strictSame(await plays(), wanted)
})
