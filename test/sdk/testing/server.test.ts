import t from 'tap'
import { startServer } from '@playhead/sdk/testing'

t.test('a server records its requests and answers as the handler says', async (t) => {
  await using server = await startServer(({ path }) =>
    path === '/teapot' ? { status: 418, headers: { 'x-kind': 'tea' }, body: 'short' } : { json: { path } },
  )

  const teapot = await fetch(`${server.url}/teapot`)
  const other = await fetch(`${server.url}/a?b=1`, { method: 'POST', body: '{"c":2}' })

  t.match([teapot.status, teapot.headers.get('x-kind'), await teapot.text()], [418, 'tea', 'short'])
  t.strictSame(await other.json(), { path: '/a' })
  t.match(server.requests, [
    { method: 'GET', path: '/teapot', index: 0 },
    { method: 'POST', path: '/a', body: '{"c":2}', index: 1 },
  ])
  t.strictSame([server.requests[1]?.json(), server.requests[1]?.query.get('b')], [{ c: 2 }, '1'])
})

t.test('an error of a handler is thrown when the server closes', async (t) => {
  const server = await startServer(() => {
    throw new Error('mistake in the test')
  })
  t.equal((await fetch(server.url)).status, 500)
  await t.rejects(server.close(), { errors: [{ message: 'mistake in the test' }] })
})

t.test('closing cuts open connections', async (t) => {
  const server = await startServer((_request, response) => void response.write('...'))
  const answer = await fetch(server.url)
  await server.close()
  await t.rejects(answer.text())
  t.equal(server.connections(), 0)
})
