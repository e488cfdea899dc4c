// A local metadata service with a generated poster for every film and show.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { paint } from '../upstreams/base/paint.ts'

export async function startPosters() {
  const server = createServer((request, reply) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const id = Number(/(\d+)(?:\.png)?$/.exec(pathname)?.[1] ?? 0)
    if (pathname.endsWith('.png')) return void reply.setHeader('content-type', 'image/png').end(paint(id))
    reply
      .setHeader('content-type', 'application/json')
      .end(
        JSON.stringify(
          id === 0 ? { success: true, images: {} } : { id, title: '', name: '', poster_path: `/${id}.png` },
        ),
      )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    settings: { api_url: `${url}/3`, image_url: `${url}/t/p`, api_key: 'a-key-for-painted-posters' },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
