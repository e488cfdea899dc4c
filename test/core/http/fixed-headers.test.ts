// Fixed headers on the wire.
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { HouseResponse } from '../../../core/http/fixed-headers.ts'

const SET = { 'x-one': '1', 'cache-control': 'no-store' }

async function answer(t: Test, handle: (response: HouseResponse) => void) {
  const server = createServer({ ServerResponse: HouseResponse }, (_request, response) => {
    response.fixedHeaders = SET
    handle(response)
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  return await new Promise<{ status: number | undefined; raw: string[] }>((resolve, reject) => {
    request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false }, (incoming) => {
      incoming.resume()
      incoming.on('end', () => resolve({ status: incoming.statusCode, raw: incoming.rawHeaders }))
    }).on('error', reject).end()
  })
}

const valuesOf = (raw: readonly string[], name: string) => raw.filter((_text, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === name)

for (const [name, handle] of [
  ['headers given with the status', (response) => response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 2 }).end('ok')],
  ['headers set one by one', (response) => response.setHeader('content-type', 'text/plain').end('ok')],
  ['no headers at all', (response) => response.end('ok')],
  ['an answer without a body', (response) => response.writeHead(304).end()],
] as const satisfies readonly (readonly [string, (response: HouseResponse) => void])[]) {
  t.test(`${name}: the fixed ones are there once`, async (t) => {
    const { status, raw } = await answer(t, handle)
    t.ok(status === 200 || status === 304)
    t.same(valuesOf(raw, 'x-one'), ['1'])
    t.same(valuesOf(raw, 'cache-control'), ['no-store'])
  })
}

t.test('what the handler sets itself wins, and is not sent twice', async (t) => {
  for (const handle of [
    (response: HouseResponse) => response.writeHead(200, { 'cache-control': 'public' }).end(),
    (response: HouseResponse) => response.setHeader('Cache-Control', 'public').end(),
    (response: HouseResponse) => response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'public', 'content-length': 0 }).end(),
  ]) {
    const { raw } = await answer(t, handle)
    t.same(valuesOf(raw, 'cache-control'), ['public'])
    t.same(valuesOf(raw, 'x-one'), ['1'])
  }
})

t.test('a set that could break the answer apart is refused', (t) => {
  const response = new HouseResponse({ method: 'GET' } as never)
  response.fixedHeaders = { 'x-evil': 'a\r\nset-cookie: b' }
  t.throws(() => response.writeHead(200), /cannot have/)
  t.end()
})
