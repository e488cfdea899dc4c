// The setup guide's world: a Jellyfin whose user has plays, and an Emby whose user has none.
import type { Test } from 'tap'
import type { MediaServer } from '../upstreams/media-browser/server.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'

const SIZE = { movies: 40, shows: 2 }

export async function startFirstRun(t: Test) {
  const [jellyfin, emby] = await Promise.all([startJellyfin({ ...SIZE, activity: 0.5 }), startEmby(SIZE)])
  t.teardown(() => Promise.all([jellyfin.close(), emby.close()]))
  return { jellyfin, emby }
}

export const playedBySam = (server: MediaServer) =>
  server.items('Movie').filter(({ id }) => server.actions.userData('sam', id)?.played === true).length
