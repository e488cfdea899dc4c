// No output of the process contains a secret, in any encoding.
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import { createRedactor } from '../../../core/events/redaction.ts'
import { isSecretName } from '../../../core/events/secret-patterns.ts'

const withoutSecrets = createRedactor({ secretValues: () => new Set() })

const written: readonly (readonly [given: string, expected: string])[] = [
  ['Authorization: Bearer abc.def-ghi', 'Authorization: [redacted]'],
  ['sent with bearer abcdefgh now', 'sent with bearer [redacted] now'],
  ['Basic dXNlcjpwYXNz then', 'Basic [redacted] then'],
  ['Cookie: cw_auth=abc; other=def\nnext line', 'Cookie: [redacted]\nnext line'],
  ['set-cookie: a=b; HttpOnly', 'set-cookie: [redacted]'],
  ['api_key=abc123&page=2', 'api_key=[redacted]&page=2'],
  ['GET /x?page=1&access_token=abc&b=2 200', 'GET /x?page=1&access_token=[redacted]&b=2 200'],
  ['/callback?code=4/0Abc&state=xyz&page=1', '/callback?code=[redacted]&state=[redacted]&page=1'],
  ['http://bob:hunter2@nas:8096/web', 'http://bob:[redacted]@nas:8096/web'],
  ['redis://:p@ss@host/0', 'redis://:[redacted]@host/0'],
  ['X-Plex-Token: zzz', 'X-Plex-Token: [redacted]'],
  ['MediaBrowser Client="tv", Token="abc", Device="x"', 'MediaBrowser Client="tv", Token="[redacted]", Device="x"'],
  ["password='two words' user=bob", "password='[redacted]' user=bob"],
  ['clientSecret: s3cr3t', 'clientSecret: [redacted]'],
  ['log {"refresh_token":"a\\"b","user":"bob"} end', 'log {"refresh_token":"[redacted]","user":"bob"} end'],
  ['cut off {"password":"unfinished', 'cut off {"password":"[redacted]'],
  ['nested {\\"token\\":\\"abc\\",\\"n\\":1}', 'nested {\\"token\\":\\"[redacted]\\",\\"n\\":1}'],
  ['list token=["a","b"] rest', 'list token=[redacted] rest'],
  ['next=%2Fx%3Fapi_key%3Dabc%26p%3D1', 'next=%2Fx%3Fapi_key%3D[redacted]%26p%3D1'],
  ['jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.sig', 'jwt [redacted]'],
  ['session_id=1 session_ids: salt=2', 'session_id=[redacted] session_ids: salt=[redacted]'],
]

for (const [given, expected] of written) {
  t.test(`text in the form of a secret is replaced: ${given.split('\n')[0]}`, async (t) => {
    t.equal(withoutSecrets.redact(given), expected)
  })
}

t.test('ordinary text stays unchanged', async (t) => {
  for (const text of [
    'run finished added=12 removed=0 pair=pair_1',
    'code=ECONNREFUSED state=ok',
    'https://example.org/a:b@c?page=1',
    'token_endpoint=https://example.org/token',
    'the basic settings of the key',
    'key=tmdb:550',
    '',
  ])
    t.equal(withoutSecrets.redact(text), text)
})

t.test('a JSON document stays a JSON document, and one without secrets keeps its spelling', async (t) => {
  t.same(JSON.parse(withoutSecrets.redact('{"password":"x","a":[1,{"apiKey":2}]}')), {
    password: '[redacted]',
    a: [1, { apiKey: '[redacted]' }],
  })
  t.equal(withoutSecrets.redact('{ "n": 12345678901234567890 }'), '{ "n": 12345678901234567890 }')
  t.equal(
    withoutSecrets.redact(JSON.stringify({ inner: JSON.stringify({ token: 'abc', n: 1 }) })),
    JSON.stringify({ inner: '{"token":"[redacted]","n":1}' }),
  )
})

t.test('names of secrets are recognised in every spelling', async (t) => {
  for (const name of [
    'api_key',
    'apiKey',
    'API-KEY',
    'X-Access-Token',
    'accessToken',
    'trakt_client_secret',
    'Set-Cookie',
    'password',
    'home_pin',
  ])
    t.ok(isSecretName(name), name)
  for (const name of ['token_endpoint', 'keys', 'author', 'session', 'cookies_enabled', 'pinned', 'username'])
    t.notOk(isSecretName(name), name)
})

t.test('values are copied without secrets by name and by value, and other values are described', async (t) => {
  const redactor = createRedactor({ secretValues: () => new Set(['hunter-two', '12345678']) })
  const circular: Record<string, unknown> = { name: 'x' }
  circular['self'] = circular

  const copy = redactor.redactValue({
    password: 'p',
    token: '',
    empty: null,
    list: ['uses hunter-two'],
    'hunter-two': 1,
    pin: 4711,
    count: 12345678,
    other: 123456789,
    at: new Date(0),
    map: new Map([['token', 'a']]),
    set: new Set(['hunter-two']),
    bytes: new Uint8Array(3),
    address: new URL('http://a:b@c/'),
    fn: () => 1,
    big: 5n,
    error: Object.assign(new Error('failed with hunter-two'), { code: 'PLH_X' }),
    circular,
  }) as Record<string, unknown>

  t.match(copy, {
    password: '[redacted]',
    token: '',
    empty: null,
    list: ['uses [redacted]'],
    '[redacted]': 1,
    pin: '[redacted]',
    count: '[redacted]',
    other: 123456789,
    at: '1970-01-01T00:00:00.000Z',
    map: { token: '[redacted]' },
    set: ['[redacted]'],
    bytes: '[3 bytes]',
    address: 'http://a:[redacted]@c/',
    big: '5',
    error: { message: 'failed with [redacted]', code: 'PLH_X' },
    circular: { name: 'x', self: '[circular]' },
  })
  t.notOk('fn' in copy)
  t.notOk(JSON.stringify(copy).includes('hunter-two'))
})

t.test('redaction never throws: a failing source of secrets, a throwing getter, a very deep value', async (t) => {
  let isBroken = false
  const redactor = createRedactor({
    secretValues() {
      if (isBroken) throw new Error('unreadable')
      return new Set(['hunter-two'])
    },
  })
  redactor.redact('first')
  isBroken = true
  t.equal(redactor.redact('uses hunter-two'), 'uses [redacted]', 'secrets known before stay secret')
  t.equal(
    redactor.redactValue({
      get broken() {
        throw new Error('no')
      },
    }),
    '[redacted]',
  )
  let deep: unknown = 'end'
  for (let level = 0; level < 10_000; level++) deep = { deep }
  t.ok(JSON.stringify(redactor.redactValue(deep)).includes('[too deep]'))
  t.equal(typeof redactor.redact('['.repeat(200_000)), 'string')
})

t.test(
  'a short secret, or one that is a common word, is removed where its field is named and garbles no text',
  async (t) => {
    const redactor = createRedactor({ secretValues: () => new Set(['history', 'playlists', 'a1b2c3']) })
    t.equal(redactor.redact('reading history and playlists of a1b2c3'), 'reading history and playlists of a1b2c3')
    t.same(
      redactor.redactValue({
        client_secret: 'history',
        password: 'playlists',
        feature: 'history',
        history: { playlists: 1 },
      }),
      { client_secret: '[redacted]', password: '[redacted]', feature: 'history', history: { playlists: 1 } },
    )
    t.equal(redactor.redact('enter this pin: http://example.org/link'), 'enter this pin: http://example.org/link')
  },
)

t.test('a changed set of secrets takes effect with the next text', async (t) => {
  let values: ReadonlySet<string> = new Set(['old-secret'])
  const redactor = createRedactor({ secretValues: () => values })
  t.equal(redactor.redact('old-secret new-secret'), '[redacted] new-secret')
  values = new Set(['new-secret'])
  t.equal(redactor.redact('old-secret new-secret'), 'old-secret [redacted]')
})

const secretText = fc
  .oneof(
    fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme-ascii' }),
    fc.string({ minLength: 8, maxLength: 20, unit: 'grapheme' }),
    fc.base64String({ minLength: 8, maxLength: 40 }),
  )
  .filter((secret) => secret.trim().length >= 8 && secret.isWellFormed() && !'[redacted]'.includes(secret))

const forms: readonly (readonly [name: string, encode: (secret: string) => string])[] = [
  ['plain', (secret) => secret],
  ['URL component', (secret) => encodeURIComponent(secret)],
  [
    'URL component in lower case',
    (secret) => encodeURIComponent(secret).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  ],
  ['URL component twice', (secret) => encodeURIComponent(encodeURIComponent(secret))],
  ['URL', (secret) => encodeURI(secret)],
  ['form', (secret) => new URLSearchParams([['', secret]]).toString().slice(1)],
  ['JSON string', (secret) => JSON.stringify(secret).slice(1, -1)],
  ['JSON inside JSON', (secret) => JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1)],
]

t.test('a stored secret is removed in every encoding, within any text', async () => {
  const someSecrets = fc.array(secretText, { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(
      someSecrets,
      fc.constantFrom(...forms),
      fc.string(),
      fc.string(),
      (secrets, [, encode], before, after) => {
        const redactor = createRedactor({ secretValues: () => new Set(secrets) })
        for (const secret of secrets) {
          // Surrounding text that repeats a part of the secret is not a leak.
          const redacted = redactor.redact(`${before} ${encode(secret)} ${after}`)
          if (redacted.includes(encode(secret)) || redacted.includes(secret)) return false
        }
        return true
      },
    ),
    { numRuns: runsOf(400) },
  )
})

t.test('a secret in any field is removed from the document', async () => {
  const places = fc.constantFrom('title', 'nested.deep', 'list')
  fc.assert(
    fc.property(secretText, fc.jsonValue({ maxDepth: 3 }), places, (secret, around, place) => {
      const redactor = createRedactor({ secretValues: () => new Set([secret]) })
      const document =
        place === 'list' ? { around, list: [secret, `x${secret}y`] } : { around, [place]: `see ${secret}.` }
      const text = redactor.redact(JSON.stringify(document))
      JSON.parse(text)
      const found = JSON.stringify(redactor.redactValue(document))
      return !text.includes(JSON.stringify(secret).slice(1, -1)) && !found.includes(JSON.stringify(secret).slice(1, -1))
    }),
    { numRuns: runsOf(300) },
  )
})

t.test('unknown secrets are removed wherever their field is named', async () => {
  const word = fc.stringMatching(/^[A-Za-z0-9_.~-]{6,30}$/)
  const carriers: readonly ((secret: string) => string)[] = [
    (secret) => `Authorization: Bearer ${secret}`,
    (secret) => `GET http://host/p?x=1&api_key=${secret}&y=2`,
    (secret) => `before {"access_token":"${secret}"} after`,
    (secret) => `Cookie: a=${secret}; b=${secret}`,
    (secret) => `https://user:${secret}@host/`,
    (secret) => `password=${secret} user=x`,
    (secret) => JSON.stringify({ headers: { 'X-Api-Key': secret }, body: JSON.stringify({ password: secret }) }),
  ]
  fc.assert(
    fc.property(word, fc.constantFrom(...carriers), (secret, carry) => {
      const frame = carry('')
      return (
        frame.includes(secret) ||
        '[redacted]'.includes(secret) ||
        !withoutSecrets.redact(carry(secret)).includes(secret)
      )
    }),
    { numRuns: runsOf(500) },
  )
})
