// Webhook bodies from servers, proxies and attackers, over real connections where the wire matters.
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc, { runsOf } from '../../fast-check.ts'
import fastify from 'fastify'
import t from 'tap'
import { readWebhooks, type WebhookBody, webhookBody } from '@playhead/sdk'

const FORM = 'application/x-www-form-urlencoded'

async function openApp(fields: readonly string[] = ['payload', 'data', 'json'], limitMs = 10_000) {
  const app = fastify()
  const seen: WebhookBody[] = []
  await app.register(async (scope) => {
    readWebhooks(scope, { fields: () => fields, limitMs })
    scope.post('/hook', (request) => {
      const body = webhookBody(request)
      seen.push(body)
      return body.ok ? { ...body, body: Buffer.from(body.body).toString('latin1') } : body
    })
  })
  return { app, seen }
}

type Bench = Awaited<ReturnType<typeof openApp>>

async function post({ app, seen }: Bench, type: string | undefined, payload?: string | Buffer) {
  const answer = await app.inject({
    method: 'POST',
    url: '/hook?profile=x',
    headers: type === undefined ? {} : { 'content-type': type },
    ...(payload === undefined ? {} : { payload }),
  })
  if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}: ${answer.body}`)
  return seen.at(-1) as WebhookBody
}

function multipart(
  parts: readonly { head: string; body: string | Buffer }[],
  boundary = 'bnd42',
  end = `--${boundary}--`,
) {
  return Buffer.concat([
    ...parts.flatMap(({ head, body }) => [
      Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
      Buffer.from(body),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(end),
  ])
}

const field = (name: string) => `Content-Disposition: form-data; name="${name}"`
const DOCUMENT = '{"event":"media.play","Metadata":{"title":"Straße ü 漢 ½"}}'
const POSTER = {
  head: `${field('thumb')}; filename="thumb.jpg"\r\nContent-Type: image/jpeg`,
  body: Buffer.alloc(200_000, 0xff),
}

for (const [title, type, payload] of [
  ['JSON', 'application/json', DOCUMENT],
  ['JSON with a character set', 'application/json; charset=utf-8', DOCUMENT],
  ['JSON as text', 'text/plain; charset=utf-8', DOCUMENT],
  ['JSON of an unknown type', 'application/vnd.thing+json', DOCUMENT],
  ['JSON with an unreadable type', ';;; ,not a type', DOCUMENT],
  ['JSON without a type', undefined, DOCUMENT],
  ['JSON with a byte order mark', 'application/json', `\ufeff${DOCUMENT}`],
  ['a form', FORM, `other=1&payload=${encodeURIComponent(DOCUMENT)}`],
  [
    'a form with a later name',
    `${FORM}; charset=UTF-8`,
    `data=${new URLSearchParams([['', DOCUMENT]]).toString().slice(1)}`,
  ],
  ['a form with an encoded name', FORM, `%70ayload=${encodeURIComponent(DOCUMENT)}`],
  ['a form with plain text', FORM, `payload=${DOCUMENT}`],
  ['JSON with the type of a form', FORM, ` ${DOCUMENT}`],
  ['a part', 'multipart/form-data; boundary=bnd42', multipart([{ head: field('payload'), body: DOCUMENT }])],
  [
    'a part beside a poster',
    'multipart/form-data; boundary=bnd42',
    multipart([{ head: field('payload'), body: DOCUMENT }, POSTER]),
  ],
  [
    'a part after a poster',
    'multipart/form-data; boundary=bnd42',
    multipart([POSTER, { head: field('payload'), body: DOCUMENT }]),
  ],
  [
    'a file part with a type of its own',
    'Multipart/Form-Data; Boundary="----=_x y"',
    multipart(
      [
        {
          head: `${field('payload')}; filename="p.json"\r\nContent-Type: application/json; charset=utf-8`,
          body: DOCUMENT,
        },
      ],
      '----=_x y',
    ),
  ],
  [
    'a part with an unquoted name',
    'multipart/form-data; boundary=bnd42',
    multipart([{ head: 'content-disposition: form-data; name=data', body: DOCUMENT }]),
  ],
  [
    'a part before an epilogue',
    'multipart/form-data; boundary=bnd42',
    Buffer.concat([multipart([{ head: field('payload'), body: DOCUMENT }]), Buffer.from('\r\nbye')]),
  ],
  [
    'a part whose poster breaks off',
    'multipart/form-data; boundary=bnd42',
    multipart([{ head: field('payload'), body: DOCUMENT }, POSTER], 'bnd42', ''),
  ],
  [
    'a part whose end is missing',
    'multipart/form-data; boundary=bnd42',
    `--bnd42\r\n${field('payload')}\r\n\r\n${DOCUMENT}`,
  ],
  [
    'a document with the boundary in its text',
    'multipart/form-data; boundary=bnd42',
    multipart([{ head: field('payload'), body: DOCUMENT.replace('½', '½ --bnd42 --bnd42--') }]),
  ],
] as const) {
  t.test(`${title} is read`, async (t) => {
    const bench = await openApp()
    const body = await post(bench, type, payload)
    t.match(body, { ok: true, payload: { event: 'media.play', Metadata: { title: /^Straße ü 漢 ½/ } } })
    t.match(Buffer.from(body.ok ? body.body : []).toString(), /"event":"media.play"/)
  })
}

for (const [title, type, payload, reason] of [
  ['nothing', undefined, undefined, 'empty_payload'],
  ['nothing, with a type', 'application/json', undefined, 'empty_payload'],
  ['an empty body', 'text/plain', '', 'empty_payload'],
  ['white space', 'application/json', ' \n', 'empty_payload'],
  ['a list', 'application/json', '[1]', 'empty_payload'],
  ['a number', 'application/json', '1', 'empty_payload'],
  ['null', 'application/json', 'null', 'empty_payload'],
  ['text', 'text/plain', 'hello', 'parse_error'],
  ['a template with unquoted words', 'text/plain', '{"IsPaused": True}', 'parse_error'],
  ['JSON that breaks off', 'application/json', DOCUMENT.slice(0, -1), 'parse_error'],
  [
    'JSON that is nested 5,000 times',
    'application/json',
    `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
    'parse_error',
  ],
  ['more than 1 MiB', 'application/json', `{"a":"${'x'.repeat(1024 * 1024)}"}`, 'too_large'],
  ['a form of more than 1 MiB', FORM, `payload=${'x'.repeat(1024 * 1024)}`, 'too_large'],
  ['a form without the field', FORM, 'a=1&b=2&payload2=3', 'empty_payload'],
  ['a form with an empty field', FORM, 'payload=', 'empty_payload'],
  ['a form with broken escapes', FORM, 'payload=%7B%zz%', 'parse_error'],
  ['a form of a million separators', FORM, '&'.repeat(1_000_000), 'empty_payload'],
  ['multipart without a boundary', 'multipart/form-data', DOCUMENT, 'parse_error'],
  ['multipart that is JSON', 'multipart/form-data; boundary=x', DOCUMENT, 'parse_error'],
  ['multipart without the part', 'multipart/form-data; boundary=bnd42', multipart([POSTER]), 'empty_payload'],
  [
    'a part of more than 1 MiB',
    'multipart/form-data; boundary=bnd42',
    multipart([{ head: field('payload'), body: Buffer.alloc(1024 * 1024 + 1, 'x') }]),
    'too_large',
  ],
  [
    'multipart of more than 5 MiB',
    'multipart/form-data; boundary=bnd42',
    multipart([
      { head: field('payload'), body: DOCUMENT },
      { ...POSTER, body: Buffer.alloc(5 * 1024 * 1024) },
    ]),
    'too_large',
  ],
  [
    '10,000 parts',
    'multipart/form-data; boundary=bnd42',
    multipart([
      ...Array.from({ length: 10_000 }, (_, index) => ({ head: field(`p${index}`), body: 'x' })),
      { head: field('payload'), body: DOCUMENT },
    ]),
    'empty_payload',
  ],
  [
    'a part that breaks off in the document',
    'multipart/form-data; boundary=bnd42',
    `--bnd42\r\n${field('payload')}\r\n\r\n${DOCUMENT.slice(0, -5)}`,
    'parse_error',
  ],
] as const) {
  t.test(`${title} is ${reason}`, async (t) => {
    const bench = await openApp()
    t.strictSame(await post(bench, type, payload), { ok: false, reason })
  })
}

t.test('a part with huge headers costs no more than its size', async (t) => {
  const bench = await openApp()
  const head = `${field('payload')}\r\nX-Long: ${'y'.repeat(2_000_000)}`
  const body = await post(bench, 'multipart/form-data; boundary=bnd42', multipart([{ head, body: DOCUMENT }]))
  t.type(body.ok, 'boolean')
})

t.test('invalid UTF-8 is replaced, and the bytes are kept for signatures', async (t) => {
  const bench = await openApp()
  const bytes = Buffer.from('{"a":"\xff\xfe"}', 'latin1')
  for (const [type, payload] of [
    ['application/json', bytes],
    [FORM, Buffer.from('payload={"a":"%FF%fe"}')],
    ['multipart/form-data; boundary=bnd42', multipart([{ head: field('payload'), body: bytes }])],
  ] as const) {
    const body = await post(bench, type, payload)
    t.match(body, { ok: true, payload: { a: '\ufffd\ufffd' } })
    t.strictSame(Buffer.from(body.ok ? body.body : []), bytes)
  }
})

t.test('the preferred name and the first occurrence of a name win', async (t) => {
  const bench = await openApp()
  const parts = [
    { head: field('data'), body: '{"n":"data"}' },
    { head: field('payload'), body: '{"n":"first"}' },
    { head: field('payload'), body: '{"n":"second"}' },
  ]
  t.match(await post(bench, 'multipart/form-data; boundary=bnd42', multipart(parts)), { payload: { n: 'first' } })
  const form = parts.map(({ head, body }) => `${/"(\w+)"/.exec(head)?.[1]}=${body}`).join('&')
  t.match(await post(bench, FORM, form), { payload: { n: 'first' } })
})

t.test('keys that reach into prototypes stay plain keys', async (t) => {
  const bench = await openApp()
  const body = await post(bench, 'application/json', '{"__proto__":{"polluted":true},"constructor":1}')
  t.equal(body.ok, true)
  t.equal(({} as Record<string, unknown>)['polluted'], undefined)
})

// Sends one request as raw bytes; returns the response until the server closes the connection.
async function raw({ app }: Bench, write: (send: (text: string) => void, end: () => void) => void) {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  socket.on('error', () => {})
  write(
    (part) => void socket.write(part),
    () => socket.destroy(),
  )
  return { answer: () => text, closed: new Promise<void>((resolve) => socket.once('close', () => resolve())), socket }
}

const HEAD = 'POST /hook HTTP/1.1\r\nhost: x\r\n'

t.test('a late body is answered, and its connection closed', async (t) => {
  const bench = await openApp(undefined, 100)
  t.teardown(() => bench.app.close())
  const client = await raw(bench, (send) => send(`${HEAD}content-length: 100\r\n\r\n{"a":`))
  await client.closed
  t.match(client.answer(), /^HTTP\/1.1 200[\s\S]*"reason":"timeout"/)
})

t.test('a body in tiny chunks is read', async (t) => {
  const bench = await openApp()
  t.teardown(() => bench.app.close())
  const client = await raw(bench, (send) => {
    send(`${HEAD}transfer-encoding: chunked\r\n\r\n`)
    for (const byte of DOCUMENT.replaceAll(/[^\x20-\x7e]/g, '?')) send(`1\r\n${byte}\r\n`)
    send('0\r\n\r\n')
  })
  for (let round = 0; round < 200 && !client.answer().includes('}'); round += 1) await sleep(10)
  client.socket.destroy()
  t.match(bench.seen[0], { ok: true })
})

t.test('an endless body is answered while it is still being sent, and cut off', async (t) => {
  const bench = await openApp()
  t.teardown(() => bench.app.close())
  const client = await raw(bench, (send) => send(`${HEAD}transfer-encoding: chunked\r\n\r\n`))
  const pump = setInterval(() => client.socket.write(`10000\r\n${'x'.repeat(65_536)}\r\n`), 1)
  await client.closed
  clearInterval(pump)
  t.match(client.answer(), /"reason":"too_large"/)
})

t.test('a sender that disconnects leaves nothing behind', async (t) => {
  const bench = await openApp()
  t.teardown(() => bench.app.close())
  const client = await raw(bench, (send, end) => {
    send(`${HEAD}content-type: multipart/form-data; boundary=b\r\ncontent-length: 100\r\n\r\n--b\r\n`)
    setTimeout(end, 20)
  })
  await client.closed
  for (let round = 0; round < 200 && bench.seen.length === 0; round += 1) await sleep(10)
  t.strictSame(bench.seen, [{ ok: false, reason: 'parse_error' }])
})

t.test('any document arrives unchanged, in any encoding', async (t) => {
  const bench = await openApp()
  const document = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 5 })
  const boundary = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_=.'), minLength: 1, maxLength: 60 })
  const noise = fc.array(
    fc.record({
      name: fc.string({ unit: fc.constantFrom(...'abc"\\ é;'), maxLength: 8 }),
      bytes: fc.uint8Array({ maxLength: 300 }),
    }),
    { maxLength: 4 },
  )
  await fc.assert(
    fc.asyncProperty(
      document,
      boundary,
      noise,
      fc.boolean(),
      fc.boolean(),
      async (value, line, others, isFile, isLast) => {
        const text = JSON.stringify(value)
        const mark = Buffer.from(`\r\n--${line}`)
        fc.pre(!text.includes(`--${line}`) && others.every(({ bytes }) => !Buffer.from(bytes).includes(mark)))
        const own = {
          head: field('payload') + (isFile ? '; filename="a;b.json"\r\nContent-Type: application/json' : ''),
          body: text,
        }
        const rest = others.map(({ name, bytes }) => ({
          head: `Content-Disposition: form-data; name="x${name.replaceAll(/["\\]/g, '\\$&')}"; filename="f"`,
          body: Buffer.from(bytes),
        }))
        const parts = isLast ? [...rest, own] : [own, ...rest]
        const expected = JSON.parse(text) as object
        for (const [type, payload] of [
          [`multipart/form-data; boundary="${line}"`, multipart(parts, line)],
          [FORM, `x=1&${new URLSearchParams({ payload: text }).toString()}`],
          ['text/plain', text],
        ] as const) {
          const body = await post(bench, type, payload)
          t.equal(body.ok, true, type)
          if (body.ok) t.same(body.payload, expected)
        }
      },
    ),
    { numRuns: runsOf(150) },
  )
})

t.test('no body fails or hangs', async (t) => {
  const bench = await openApp()
  const pieces = fc.constantFrom(
    '--b',
    '--b--',
    '\r\n',
    '\n',
    '\r\n\r\n',
    '-',
    field('payload'),
    field('"'),
    'Content-Disposition: form-data',
    'name=',
    'x'.repeat(5_000),
    'Content-Type: application/json; charset=utf-16',
    '\0',
    '"',
    '{"a":1}',
    ': ',
    'filename="',
    ';',
    '\xff',
    'Content-Transfer-Encoding: base64',
  )
  const bodies = fc.oneof(
    fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
  )
  const type = fc.constantFrom(
    'multipart/form-data; boundary=b',
    'multipart/form-data; boundary="b',
    'multipart/form-data; boundary=',
    'multipart/form-data;boundary=--',
    FORM,
    '',
    'multipart/mixed; boundary=b',
    "multipart/form-data; boundary*=utf-8''b",
  )
  await fc.assert(
    fc.asyncProperty(bodies, type, async (body, contentType) => {
      const found = await post(bench, contentType, Buffer.from(body, 'latin1'))
      t.ok(found.ok || ['parse_error', 'empty_payload', 'too_large'].includes(found.reason))
    }),
    { numRuns: runsOf(600) },
  )
})
