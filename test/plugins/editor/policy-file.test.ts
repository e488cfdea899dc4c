// Export and import of the manual policy as a file.
import t from 'tap'
import { openWorld, type World } from './world.ts'

const IMPORT = '/api/editor/state/manual/import'
const BOUNDARY = 'here-it-ends'

function part(name: string, content: string | Buffer, more = '; filename="policy.json"'): Buffer {
  return Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])
}
const END = Buffer.from(`--${BOUNDARY}--\r\n`)

async function send(
  world: World,
  payload: Buffer | string,
  query = '',
  type = `multipart/form-data; boundary=${BOUNDARY}`,
) {
  const answer = await world.host.inject({
    method: 'POST',
    url: IMPORT + query,
    headers: { 'content-type': type },
    payload,
  })
  return { status: answer.statusCode, body: answer.json() }
}

t.test('property 25: the export is the text of the policy, byte for byte, as an attachment', async (t) => {
  await using world = await openWorld()
  const { statusCode, headers, payload } = await world.host.inject('/api/editor/state/manual/export')
  t.equal(statusCode, 200)
  t.equal(payload, '{"version":1,"providers":{}}')
  t.equal(headers['content-disposition'], 'attachment; filename="svc-state-policy.json"')
  t.match(headers['content-type'], 'application/json')
})

t.test('property 25: a file arrives byte for byte, in either mode, with any other parts in the body', async (t) => {
  await using world = await openWorld()
  const text = `{"version":1,"providers":{},"note":"Amélie \u{1F3AC} \r\n--${BOUNDARY.slice(0, 5)}"}`
  for (const [query, mode, dryRun] of [
    ['', 'merge', false],
    ['?mode=replace', 'replace', false],
    ['?mode=MERGE&dry_run=true', 'merge', true],
  ] as const) {
    const body = Buffer.concat([part('other', 'x'.repeat(2_000), ''), part('file', text), part('file', 'second'), END])
    const answer = await send(world, body, query)
    t.match([answer.status, answer.body], [200, { ok: true, mode, dry_run: dryRun, providers: 0, adds: 0, blocks: 0 }])
    t.same(world.policy.imported.at(-1), { text, mode, dryRun })
  }
})

t.test('malicious uploads are refused and never reach the policy', async (t) => {
  await using world = await openWorld()
  const file = part('file', '{}')
  const big = Buffer.alloc(20 * 1024 * 1024 + 1, 32)
  const attacks: readonly (readonly [
    payload: Buffer | string,
    status: number,
    error?: string,
    query?: string,
    type?: string,
  ])[] = [
    [Buffer.concat([part('file', big), END]), 413, 'upload_too_large'],
    [Buffer.concat([part('other', big), part('other', big), file, END]), 413, 'upload_too_large'],
    [Buffer.concat([part('data', '{}'), END]), 400, 'file_required'],
    [Buffer.concat([part('file', ''), END]), 200],
    [END, 400],
    ['', 422],
    ['nonsense', 400],
    [Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"`), 400],
    [Buffer.concat([part('file', Buffer.from([0xff, 0xfe, 0x7b])), END]), 400, 'invalid_json'],
    [file, 400, 'invalid_upload', '', 'multipart/form-data'],
    ['{}', 400, 'file_required', '', 'application/json'],
    ['<a/>', 415, 'unsupported_media_type', '', 'text/xml'],
    [Buffer.concat([file, END]), 400, 'invalid_mode', '?mode=append'],
    [Buffer.concat([file, END]), 422, undefined, '?dry_run=maybe'],
  ]
  for (const [payload, status, error, query, type] of attacks) {
    const before = world.policy.imported.length
    const answer = await send(world, payload, query, type)
    const about = `${error} ${query} ${type} ${payload.slice(0, 60).toString('latin1')}`
    t.ok(
      answer.status === status || (error === undefined && answer.status === 400 && status !== 200),
      `${answer.status} ${about}`,
    )
    if (error !== undefined) t.equal(answer.body.error, error, about)
    if (status !== 200) t.equal(world.policy.imported.length, before, about)
  }
  const other = await world.host.inject({
    method: 'POST',
    url: '/api/editor',
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    payload: Buffer.concat([file, END]),
  })
  t.equal(other.statusCode, 415, 'and no other route takes a file')
})
