// What a request was signed with stays with the host: route handlers of plugins get who it is, in the service's thread too.
import t from 'tap'
import { startService } from '../../harness.ts'

t.setTimeout(60_000)

const plugin = (path: string, more: object = {}) => ({
  manifest: {
    routes: [
      { method: 'GET', path },
      { method: 'GET', path: `${path}/open`, auth: 'P' },
    ],
    ...more,
  },
  files: {
    'index.ts': `import { definePlugin } from '@playhead/sdk'
export default definePlugin({
  routes(app) {
    for (const path of ['${path}', '${path}/open'])
      app.get(path, ({ headers, raw, caller }) => ({
        headers, all: [raw.headers, raw.headersDistinct, raw.rawHeaders], who: caller.session?.username ?? caller.token?.name ?? null,
      }))
  },
})`,
  },
})

t.test('neither the session cookie nor the API token reaches a handler', async (t) => {
  await using service = await startService({
    plugins: {
      near: plugin('/api/near'),
      far: plugin('/api/far', { isolation: 'thread' }),
      signer: plugin('/api/signer', { needs: { signIn: true } }),
    },
  })
  const cookie = service.cookie()
  const session = cookie.slice('cw_auth='.length)
  const { body: made } = await service.json('/api/tokens', { json: { name: 'a program', scope: 'read' } })
  for (const path of ['/api/near', '/api/far', '/api/near/open', '/api/far/open']) {
    const bySession = await service.json(path, {
      headers: { cookie: `theme=dark; ${cookie}; b=2`, authorization: 'Basic own' },
    })
    t.match(bySession.body, { headers: { cookie: 'theme=dark; b=2', authorization: 'Basic own' }, who: 'ada' }, path)
    t.notMatch(JSON.stringify(bySession.body), session, path)
    t.notOk('cookie' in (await service.json(path)).body.headers, path)
    const stale = await service.json(path, { headers: { cookie: `cw_auth=${'A'.repeat(43)}; ${cookie}` } })
    t.equal(stale.body.who, 'ada', `${path}: the second cookie is the session`)
    t.notOk('cookie' in stale.body.headers, path)
    t.notMatch(JSON.stringify(stale.body), session, path)
  }
  for (const path of ['/api/near', '/api/far']) {
    const headers = { cookie: '', authorization: `Bearer ${made.secret}`, 'x-other': 'kept' }
    const byToken = await service.json(path, { headers })
    t.match(byToken.body, { headers: { 'x-other': 'kept' }, who: 'a program' }, path)
    t.notOk('authorization' in byToken.body.headers, path)
    t.notMatch(JSON.stringify(byToken.body), made.secret, path)
  }
  t.match((await service.json('/api/signer')).body.headers, { cookie }, 'one that signs people in needs it')
})
