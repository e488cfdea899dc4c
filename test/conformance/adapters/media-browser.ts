// Jellyfin and Emby for the conformance kit: what a user does at the server, whichever of the two it is.
import type { Adapter } from '@playhead/sdk/testing/conformance'
import { hostClient } from '../../stands/client.ts'
import { serverNames, serverPassword, signInToServer } from '../../stands/media-browser.ts'
import { type Stand, type StandOptions, USERNAMES } from '../../stands/stand.ts'
import { partsOf } from '../../stands/works.ts'
import type { MediaServer } from '../../upstreams/media-browser/server.ts'
import { adapterOf, KINDS } from './kit.ts'

const [first = '', second = ''] = USERNAMES
const NAMES = [first, second] as const
const WRONG = 'not-the-password'
/** Every fiftieth film is in a second library, too. */
const isOnce = (work: string) => partsOf(work).kind !== 'movie' || partsOf(work).index % 50 !== 7

export function mediaBrowserAdapter(
  product: 'jellyfin' | 'emby',
  start: (options: StandOptions) => Promise<Stand<MediaServer>>,
): Adapter {
  return adapterOf({
    start,
    kinds: { watchlist: KINDS.works },
    has: ({ ids: { anilist: _mapped, ...ids } }, work) => Object.keys(ids).length > 0 && isOnce(work),
    config: { max_retries: 2 },
    more: ({ server, provider, section }, { take, itemOf }) => ({
      signIn: (host, instance, person) =>
        signInToServer(hostClient(host, provider), product, server, {
          user: NAMES[person],
          password: serverPassword(NAMES[person]),
          instance,
        }),
      async signInWrongly(host, instance) {
        const payload = { server: server.url, username: NAMES[0], password: WRONG }
        await host.inject({ method: 'POST', url: `/api/${section}/login?instance=${instance}`, payload })
      },
      play(person) {
        const [work] = take('history', 1) as readonly [string]
        const positionMs = Math.floor(partsOf(work).runtimeMs / 3)
        const [itemId] = [...serverNames(server)].find(([, name]) => name === work)!
        const id = server.actions.startPlaying(NAMES[person], itemId, positionMs)
        return { item: itemOf(work), positionMs, stop: () => server.actions.stopPlaying(id) }
      },
      typed: () => [...NAMES.map(serverPassword), WRONG],
      secrets: () => [...NAMES.map(serverPassword), WRONG, ...server.world.tokens.keys()],
    }),
  })
}
