// slow: every check of the kit
// A plugin whose service has no stand-in, checked against a recorded exchange.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import {
  type Exchange,
  openRecording,
  openSubject,
  recordedAdapter,
  runConformance,
  startFaultyServer,
} from '@playhead/sdk/testing/conformance'
import plugin from '../../sdk/templates/provider/index.ts'
import { spoil, withRows } from './bad/spoil.ts'

// A hanging read runs until its timeout.
t.setTimeout(900_000)

const EXAMPLE = join(import.meta.dirname, '..', '..', 'sdk', 'templates', 'provider')
const ROWS = 25
const SIZE = 10
const films = Array.from({ length: ROWS }, (_, index) => ({
  type: 'movie',
  ids: { imdb: `tt${1_000_000 + index}` },
  rating: 7,
  rated_at: '2025-03-04T05:06:07Z',
}))
const exchanges: readonly Exchange[] = [
  { request: { method: 'GET', path: '/me' }, answer: { json: { id: '1', name: 'Ann' } } },
  ...[0, 1, 2].map(
    (page): Exchange => ({
      request: { method: 'GET', path: '/ratings', query: { size: String(SIZE), page: String(page) } },
      answer: { status: 200, json: { items: films.slice(page * SIZE, (page + 1) * SIZE), total: ROWS, pages: 3 } },
    }),
  ),
]

async function recordingOf(t: Test, lines: readonly unknown[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'playhead-recording-'))
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  const file = join(folder, 'recording.jsonl')
  await writeFile(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'))
  return file
}

const adapterOf = (file: string) =>
  recordedAdapter({
    file,
    rows: { ratings: ROWS },
    config: () => ({ page_size: SIZE }),
    signIn: async (host, instance, url) => {
      const answer = await host.inject({
        method: 'POST',
        url: `/api/acmeToken/save?instance=${instance}`,
        payload: { server: url, api_key: 'test-key-of-ann' },
      })
      if (answer.statusCode !== 200) throw new Error(`the sign-in was answered with ${answer.statusCode}`)
    },
    secrets: ['test-key-of-ann'],
  })

t.test('a recorded account is read, broken and read again; changes to it are skipped, with a note', async (t) => {
  const adapter = adapterOf(await recordingOf(t, exchanges))
  const subject = await openSubject({ folder: EXAMPLE, adapter })
  const { results, passed } = await runConformance(subject)
  t.ok(
    passed,
    results.flatMap(({ id, outcome, reason }) => (outcome === 'failed' ? [`${id}: ${reason}`] : [])).join('\n'),
  )
  const outcomeOf = (name: string) => results.find(({ id }) => id === name)
  for (const id of [
    'reads.complete',
    'reads.once',
    'reads.at-once',
    'damage.truncated',
    'damage.page',
    'limits.retry-after',
    'secrets.logs',
    'reload.during-read',
  ])
    t.equal(outcomeOf(id)?.outcome, 'passed', id)
  for (const id of ['writes.add', 'reads.changes', 'isolation.rows'])
    t.match(outcomeOf(id), { outcome: 'left_out', reason: 'a recorded account stays as it is' }, id)
})

t.test('a provider that loses rows of the recording loses the points for it', async (t) => {
  const adapter = adapterOf(await recordingOf(t, exchanges))
  const subject = await openSubject({
    folder: EXAMPLE,
    adapter,
    plugin: spoil(
      plugin,
      withRows((rows) => rows.slice(1)),
    ),
  })
  const { results, passed } = await runConformance(subject, { only: 'reads.complete' })
  t.notOk(passed)
  t.match(results, [{ id: 'reads.complete', reason: 'ratings: 22 of 25 rows came' }])
})

t.test(
  'requests are distinguished by method, path, query and body; a repeated one gets the next response',
  async (t) => {
    const recording = await openRecording(
      await recordingOf(t, [
        { request: { method: 'GET', path: '/a', query: { b: '1', c: '2' } }, answer: { json: 'first' } },
        { request: { method: 'GET', path: '/a', query: { c: '2', b: '1' } }, answer: { json: 'second' } },
        { request: { method: 'POST', path: '/a', body: { page: 1 } }, answer: { status: 201, json: 'one' } },
        { request: { method: 'POST', path: '/a', body: { page: 2 } }, answer: { json: 'two' } },
      ]),
    )
    await using server = await startFaultyServer((request) => recording.answer(request))
    const ask = async (path: string, body?: object) => {
      const answer = await fetch(
        server.url + path,
        body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
      )
      return [answer.status, await answer.json()]
    }
    t.same(await ask('/a?c=2&b=1'), [200, 'first'])
    t.same(await ask('/a?b=1&c=2&api_key=test-key'), [200, 'first'], 'whatever stands for the key')
    t.same(await ask('/a?b=1&c=2'), [200, 'second'])
    t.same(await ask('/a?b=1&c=2'), [200, 'second'], 'the last one stays')
    t.same(await ask('/a', { page: 2 }), [200, 'two'])
    t.same(await ask('/a', { page: 1 }), [201, 'one'])
    t.same(await ask('/a?b=1'), [501, { error: 'not recorded: GET /a?b=1' }])
    t.match(await ask('/a', { page: 3 }), [501])
  },
)

t.test('a recording with a credential in it is refused, without showing the credential', async (t) => {
  const request = { method: 'GET', path: '/a' }
  const refused = [
    [
      { request: { ...request, query: { api_key: 'hunter2-hunter2' } }, answer: {} },
      /:2: request\.query\.api_key holds a credential/,
    ],
    [
      { request, answer: { json: { auth: { access_token: 'hunter2-hunter2' } } } },
      /:2: answer\.json\.auth\.access_token holds a credential/,
    ],
    [
      { request, answer: { headers: { 'set-cookie': 'sid=hunter2-hunter2' } } },
      /:2: answer\.headers\.set-cookie holds a credential/,
    ],
    [{ request, answer: { body: 'Bearer hunter2-hunter2' } }, /:2: answer\.body holds a credential/],
    ['not json', /:2: the line is not JSON/],
    [{ request: { path: '/a' }, answer: {} }, /:2: an exchange is/],
  ] as const
  for (const [line, expected] of refused) {
    const error = await openRecording(
      await recordingOf(t, [{ request, answer: { json: { access_token: 'test-token' } } }, line]),
    ).catch((thrown: unknown) => thrown)
    t.match(error, expected)
    t.notMatch(String(error), /hunter2/)
  }
})
