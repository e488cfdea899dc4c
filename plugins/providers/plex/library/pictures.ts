// Picture URLs of a title: the server scales its own pictures. The index of the library finds titles by ids.
import { isPlayheadError, type PictureDefinition, untilAborted, isRecent } from '@playhead/sdk'
import type { Server, Session } from '../session.ts'

const PICTURES = { poster: { name: 'thumb', shape: 1.5 }, backdrop: { name: 'art', shape: 9 / 16 } } as const
/** Maximum age of the index. */
const INDEX_MS = 600_000
const refreshes = new WeakMap<Server, { readonly atMs: number; readonly done: Promise<void> }>()

export const pictureAddress: PictureDefinition<Session> = async (session, { type, ids, art, width }, signal) => {
  const server = await session.server(signal).catch((error: unknown) => {
    // An account without a server has no pictures of its own.
    if (isPlayheadError(error, 'PLH_NOT_READY') && error.details?.['servers'] === 0) return undefined
    throw error
  })
  if (server === undefined) return undefined
  await refreshed(server, signal)
  const [found] = await server.index.find([{ type, ids }])
  const key = found?.outcome === 'found' ? found.items[0]?.rating_key : undefined
  if (key === undefined) return undefined
  const { name, shape } = PICTURES[art]
  return {
    upstream: server.http,
    request: {
      path: '/photo/:/transcode',
      query: {
        url: `/library/metadata/${encodeURIComponent(key)}/${name}`,
        width,
        height: Math.round(width * shape),
        minSize: 1,
        upscale: 0,
      },
    },
  }
}

/** Films and shows of the index, at most ten minutes old, so that a wall of posters reads it once. */
async function refreshed(server: Server, signal: AbortSignal): Promise<void> {
  const last = refreshes.get(server)
  if (last !== undefined && isRecent(last.atMs, Date.now(), INDEX_MS)) return untilAborted(last.done, signal)
  const done = refresh(server)
  refreshes.set(server, { atMs: Date.now(), done })
  done.catch(() => refreshes.delete(server))
  return untilAborted(done, signal)
}

async function refresh({ sections, index }: Server): Promise<void> {
  const all = await sections()
  for (const kind of ['movie', 'show'] as const) {
    const own = all.filter(({ type }) => type === kind)
    await index.refresh(own, [kind], { maxAgeMs: INDEX_MS })
  }
}
