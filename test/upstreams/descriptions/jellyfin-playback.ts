// Starts playback at Jellyfin while the plugin follows it, and returns requests and responses, including WebSocket messages.
import { signedIn } from '../../plugins/jellyfin-and-emby/support.ts'
import type { Exchange } from '../base/index.ts'

export async function playOnJellyfin(): Promise<readonly Exchange[]> {
  await using account = await signedIn('jellyfin', { movies: 3, shows: 1 })
  const { server, provider } = account
  const exchanges: Exchange[] = []
  server.onAnswer((exchange) => exchanges.push(exchange))
  const end = new AbortController()
  const all = { libraries: true, files: true }
  const isWatched = Promise.withResolvers<void>()
  const watching = (async () => {
    for await (const part of provider.watch!('default', all, end.signal)) {
      if (part.type === 'connected') await play()
      if (part.type === 'session' && part.session.completed === true) isWatched.resolve()
    }
  })()
  watching.catch((error: unknown) => isWatched.reject(error as Error))

  async function play(): Promise<void> {
    for (const [userId, item] of [
      ['sam', server.items('Episode')[0]!],
      ['kim', server.items('Movie')[0]!],
    ] as const) {
      const tv = { userId, item, deviceId: `tv of ${userId}`, deviceName: 'TV', along: userId === 'kim' ? ['sam'] : [] }
      const session = await server.playback.start(tv)
      // The subscription and its sessions are separate messages.
      setTimeout(() => void session.at(item.runtimeTicks! / 10_000).then(() => session.finish()), 200)
    }
  }

  await isWatched.promise
  end.abort()
  await watching.catch(() => {})
  const { heard, said } = server.push
  return [...exchanges, ...heard.map((text) => message('SEND', text)), ...said.map((text) => message('RECEIVE', text))]
}

function message(method: 'SEND' | 'RECEIVE', text: string): Exchange {
  const json: unknown = JSON.parse(text)
  const path = `/socket/${(json as { readonly MessageType: string }).MessageType}`
  const request = {
    method,
    path,
    query: new URLSearchParams(),
    headers: {},
    body: async () => Buffer.from(text),
    json: async () => json,
  }
  return { request, reply: method === 'SEND' ? { status: 204 } : { status: 200, json } }
}
