import { Type } from '@sinclair/typebox'
import t from 'tap'
import { isMasked, isSecretPath, MASK, maskSecrets } from '@playhead/sdk'
import { clearBoundSecrets } from '../../../core/config/secrets/bound-secrets.ts'
import { copy } from '../../../core/config/document/document.ts'
import { createSecretRule, patternOf } from '../../../core/config/secrets/secret-rule.ts'
import { ROUTES } from './support.ts'

const path = (text: string) => text.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))

t.test('secrets are recognised by name', async (t) => {
  for (const secret of [
    'mediaA.account_token',
    'mediaA.pms_token',
    'mediaA.home_pin',
    'x.API_KEY',
    'x.apikey',
    'x.any_token',
    'trackA.client_secret',
    'metaA_sync.session_id',
    'security.webhook_ids.rating',
    'scheduling.webhooks.url',
    'trackA._pending_device.user_code',
    'metaA_sync._pending_request_token',
    'app_auth.password.hash',
    'app_auth.password.salt',
    'mediaB.password',
    'scrobble.watch.routes.3.options.ratings.webhook_token',
    'x.tokens_of.token.0',
  ])
    t.ok(isSecretPath(path(secret)), secret)
  for (const open of [
    'oidc.token_endpoint',
    'oidc.token_url',
    'trackA.token_type',
    'trackA.client_id',
    'scheduling.webhooks.enabled',
    'ui._autogen',
    'ui._pending_upgrade_from_version',
    'mediaB.server',
    'keys',
    'security.trusted_proxies.0',
  ])
    t.notOk(isSecretPath(path(open)), open)
})

t.test('masks reveal nothing about their secrets', async (t) => {
  t.strictSame(
    maskSecrets({
      token: 'a',
      password: 'much longer',
      api_key: '',
      secret: null,
      home_pin: 1234,
      url: 'https://u:p@h:1/x',
      plain: 'x',
      list: [{ token: 'y' }],
    }),
    {
      token: MASK,
      password: MASK,
      api_key: '',
      secret: null,
      home_pin: MASK,
      url: `https://u:${MASK}@h:1/x`,
      plain: 'x',
      list: [{ token: MASK }],
    },
  )
  t.ok(isMasked(MASK))
  t.notOk(isMasked(0))
})

t.test('a schema marks further secrets, in lists, maps and alternatives, and everything below a mark', async (t) => {
  const schema = Type.Object({
    phrase: Type.String({ secret: true }),
    vault: Type.Object({ deep: Type.Object({ any: Type.String() }) }, { secret: true }),
    list: Type.Array(Type.Object({ code: Type.String({ secret: true }), name: Type.String() })),
    map: Type.Record(Type.String(), Type.Object({ code: Type.String({ secret: true }) })),
    either: Type.Union([
      Type.Object({ kind: Type.Literal('a'), code: Type.String({ secret: true }) }),
      Type.Object({ kind: Type.Literal('b'), code: Type.String() }),
    ]),
    open: Type.String(),
  })
  const rule = createSecretRule([{ path: ['plugins', 'hello'], schema: schema as never }], new Set())

  for (const secret of ['phrase', 'vault.deep.any', 'vault.unknown', 'list.0.code', 'map.x.code', 'either.code'])
    t.ok(rule(path(`plugins.hello.${secret}`)), secret)
  for (const open of ['open', 'list.0.name', 'either.kind', 'map.x.other', 'nothing'])
    t.notOk(rule(path(`plugins.hello.${open}`)), open)
  t.notOk(rule(path('plugins.other.phrase')))
})

t.test('encrypted fields of the file stay secret while no schema describes them', async (t) => {
  const encrypted = new Set([patternOf(['hello', 'list', 3, 'phrase']), patternOf(['hello', 'open'])])
  const schema = Type.Object({ open: Type.String() })

  t.ok(createSecretRule([], encrypted)(['hello', 'list', 0, 'phrase']))
  t.ok(
    createSecretRule([{ path: ['hello'], schema: schema as never }], encrypted)(['hello', 'list', 0, 'phrase']),
    'the schema does not know the field',
  )
  t.notOk(
    createSecretRule([{ path: ['hello'], schema: schema as never }], encrypted)(['hello', 'open']),
    'the schema says that it is none',
  )
})

t.test('bound secrets of records in lists follow their ids', async (t) => {
  const Server = Type.Object({
    id: Type.Optional(Type.String()),
    host: Type.String({ default: '' }),
    code: Type.String({ default: '', secret: true, boundTo: 'host' }),
  })
  const sections = [{ path: ['servers'], schema: Type.Object({ list: Type.Array(Server) }) }]
  const before = copy({
    servers: {
      list: [
        { id: 'a', host: 'http://a', code: '1' },
        { id: 'b', host: 'http://b', code: '2' },
      ],
    },
  })
  const after = copy({
    servers: {
      list: [
        { id: 'b', host: 'http://b', code: '2' },
        { id: 'a', host: 'http://evil', code: '1' },
        { id: 'c', host: 'http://c', code: '3' },
      ],
    },
  })

  const cleared = clearBoundSecrets(sections, before, before, after, copy(after))

  t.same(cleared, ['servers.list[1].code'])
  t.match(after, { servers: { list: [{ code: '2' }, { code: '' }, { code: '3' }] } })
  t.same(
    clearBoundSecrets(
      [{ path: ['scrobble'], schema: ROUTES.sections[0]?.schema as never }],
      before,
      before,
      after,
      after,
    ),
    [],
  )
})
