// A web server with a list and archives, as the project or a mirror of it has one.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export async function startMirror() {
  const files = new Map<string, Buffer>()
  const asked: string[] = []
  let status = 200
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] as string
    const body = files.get(path)
    const etag = body === undefined ? undefined : `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`
    const isSame = etag !== undefined && request.headers['if-none-match'] === etag
    const answered = status !== 200 ? status : body === undefined ? 404 : isSame ? 304 : 200
    asked.push(`${path} ${answered}`)
    response.writeHead(answered, etag === undefined ? {} : { etag })
    response.end(answered === 200 ? body : undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** Path and status of each request. */
    asked,
    put: (path: string, body: Buffer) => void files.set(path, body),
    /** Every answer has this status; 200: as usual. */
    answerWith(next: number) {
      status = next
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
