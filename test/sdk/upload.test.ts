// Uploads that are stored while they arrive: files that no handler took are removed.
import { createTestHost } from '@playhead/sdk/testing'
import { definePlugin, PlayheadError, readUploads, savedUpload, Type } from '@playhead/sdk'
import t from 'tap'

t.test('files of a request that never reached its handler are discarded, and nothing else', async (t) => {
  const discarded: unknown[] = []
  let saved = 0
  await using host = await createTestHost({
    plugin: definePlugin({
      routes(app) {
        readUploads(app, {
          '/api/things': {
            maxBytes: 1_000,
            async save(source) {
              for await (const _ of source);
              return (saved += 1)
            },
            discard: async (one) => discarded.push(one),
          },
        })
        app.post<{ Querystring: { fail?: boolean } }>(
          '/api/things',
          { schema: { querystring: Type.Object({ fail: Type.Optional(Type.Boolean()) }) } },
          (request) => {
            const one = savedUpload<number>(request)
            if (request.query.fail === true) throw new PlayheadError('PLH_CONFLICT', 'Not now.')
            return { one }
          },
        )
      },
    }),
    manifest: {
      id: 'things',
      name: 'Things',
      version: '1.0.0',
      api: '^1.0.0',
      kind: 'feature',
      routes: [{ method: 'POST', path: '/api/things', auth: 'S' }],
    },
  })
  const send = (query: string, text = 'x', end = '\r\n--b--\r\n') =>
    host.inject({
      method: 'POST',
      url: `/api/things${query}`,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      payload: `--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${text}${end}`,
    })
  t.match((await send('')).json(), { one: 1 })
  t.equal((await send('?fail=true')).statusCode, 409)
  t.same(discarded, [], 'a handler that took it removes it itself')
  t.equal((await send('?fail=perhaps')).statusCode, 422)
  t.same(discarded, [3])
  t.equal((await send('', 'x'.repeat(2_000))).statusCode, 413)
  t.equal((await send('', 'x', '')).statusCode, 400)
  t.same(discarded, [3], 'what was not stored is not discarded')
})
