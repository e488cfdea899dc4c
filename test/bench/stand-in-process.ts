// The third parties of the sync bench in a separate process, so that their work is not measured.
import { answerQuestions } from './child.ts'
import { startEmby } from '../upstreams/emby.ts'
import { type Jellyfin, startJellyfin } from '../upstreams/jellyfin.ts'
import { startTrakt, type Trakt } from '../upstreams/trakt.ts'

const HOUR_MS = 3_600_000
let jellyfin: Jellyfin | undefined
let emby: Awaited<ReturnType<typeof startEmby>> | undefined
let trakt: Trakt | undefined

/** Questions of the bench, by name; the answers must be plain data. */
const ANSWERS: Readonly<Record<string, (argument: any) => unknown>> = {
  async startMediaServers({ movies, shows, latencyMs, played }) {
    jellyfin = await startJellyfin({ movies, shows, latencyMs })
    emby = await startEmby({ movies, shows, latencyMs })
    const items = playable()
    for (const [index, item] of items.entries())
      if (index < items.length * played)
        jellyfin.actions.markPlayed('sam', item.id, Date.now() - (index + 48) * HOUR_MS)
    return {
      jellyfin: jellyfin.url,
      emby: emby.url,
      items: jellyfin.items().length,
      played: Math.floor(items.length * played),
    }
  },
  async startTrakt({ movies, shows, latencyMs }) {
    trakt = await startTrakt({ movies, shows, latencyMs, plan: 'vip' })
    return { url: trakt.url, clientId: trakt.clientId, clientSecret: trakt.clientSecret }
  },
  approve: (code) => trakt!.approve(String(code)),
  /** Adds plays, as a fraction of the existing number. */
  watchMore(share) {
    const items = playable().filter(({ id }) => jellyfin!.actions.userData('sam', id)?.played !== true)
    const count = Math.round((playable().length - items.length) * share)
    for (const item of items.slice(0, count)) jellyfin!.actions.markPlayed('sam', item.id, Date.now() - HOUR_MS)
    return count
  },
  counts: () => ({ jellyfin: jellyfin?.count() ?? 0, emby: emby?.count() ?? 0, trakt: trakt?.count() ?? 0 }),
  plays: () => ({
    emby: emby?.items().filter(({ id }) => emby!.actions.userData('sam', id)?.played === true).length ?? 0,
    trakt: trakt?.user.account.plays.length ?? 0,
  }),
  exit: () => process.exit(0),
}

function playable() {
  return jellyfin!.items().filter((item) => (item.type === 'Movie' || item.type === 'Episode') && item.virtual !== true)
}

answerQuestions(ANSWERS)
