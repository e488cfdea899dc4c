import type { Feature, Item, ItemKind } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { tokensOf } from '../../plugins/nuvio/support.ts'
import type { CatalogueMovie, CatalogueShow } from '../../upstreams/base/index.ts'
import { contentId, startNuvio } from '../../upstreams/nuvio.ts'
import {
  cancelByDisconnecting,
  connect,
  idsOf,
  mixedStock,
  pastTimes,
  postOk,
  showWithSpecials,
  valued,
} from './support.ts'

const NAMES = ['ada', 'bob'] as const
const SHOWS = 30
const PLAYED = ['movie', 'episode'] as const
const KINDS: { readonly [feature in Feature]?: readonly ItemKind[] } = {
  watchlist: ['movie', 'show'],
  history: PLAYED,
  progress: PLAYED,
}

interface Thing {
  readonly work: CatalogueMovie | CatalogueShow
  readonly episode?: CatalogueShow['episodes'][number]
}

const TABLES = { watchlist: 'library', history: 'watched', progress: 'progress' } as const
const READS = /_pull_|_cursor$|get_sync_overview|health_ping|_tv_login|\/auth\/|\/functions\//

const adapter: Adapter = {
  async start({ size }) {
    const nuvio = await startNuvio({
      usernames: NAMES,
      movies: Math.ceil(size * 1.1) + 8,
      shows: SHOWS,
      loginIntervalS: 1,
    })
    const has = ({ ids }: CatalogueMovie | CatalogueShow) => Object.keys(ids).length > 0
    const shows = nuvio.shows.filter(has)
    const few = shows.slice(0, -1)
    const whole = [...(shows.at(-1)?.episodes ?? [])]
    const stock = mixedStock<Thing>({
      movie: nuvio.movies.filter(has).map((work) => ({ work })),
      show: few.map((work) => ({ work })),
      // Specials first.
      episode: [showWithSpecials(), ...few].flatMap((work) =>
        work.episodes.slice(0, 2).map((episode) => ({ work, episode })),
      ),
    })
    const take = (feature: Feature, count: number) => stock.take(KINDS[feature] ?? ['movie'], count)
    const nextTime = pastTimes()
    const seeded: Record<string, Thing[]> = {}
    const tokens = new Set<string>()
    const config = { base_url: nuvio.url, client_key: nuvio.clientKey, requests_per_sec: 0 }
    const row = ({ work, episode }: Thing) => ({
      content_id: contentId(work.ids),
      content_type: work.type === 'movie' ? 'movie' : 'series',
      ...(episode === undefined ? {} : { season: episode.season, episode: episode.number }),
    })
    return {
      services: [nuvio],
      config,
      async signIn(host, instance, person) {
        const signedIn = tokensOf(nuvio, NAMES[person])
        tokens.add(signedIn.access_token).add(signedIn.refresh_token)
        await connect(host, 'TVA', instance, { ...config, ...signedIn })
      },
      seed(person, feature, count) {
        for (const thing of take(feature, count)) {
          const atMs = nextTime()
          const value = {
            title: thing.work.title,
            name: thing.work.title,
            added_at: atMs,
            watched_at: atMs,
            last_watched: atMs,
            position: 1_000_000,
            duration: 4_000_000,
          }
          nuvio.userNamed(NAMES[person]).put(tableOf(feature), { ...row(thing), ...value })
          ;(seeded[`${person} ${feature}`] ??= []).push(thing)
        }
      },
      takeOff(person, feature) {
        const thing = seeded[`${person} ${feature}`]?.shift()
        if (thing !== undefined) nuvio.userNamed(NAMES[person]).drop(tableOf(feature), row(thing))
      },
      fresh: (feature, count) => take(feature, count).map((thing) => freshItem(feature, thing)),
      episodes: (feature, count) =>
        whole.splice(0, count).map((episode) => freshItem(feature, { work: shows.at(-1)!, episode })),
      count: (person, feature) => nuvio.userNamed(NAMES[person]).rows(tableOf(feature)).length,
      secrets: () => [...tokens],
      expire: (person: Person) => nuvio.userNamed(NAMES[person]).expireTokens(),
      revoke: (person: Person) => nuvio.userNamed(NAMES[person]).revokeTokens(),
      isRefresh: ({ path }) => path === '/auth/v1/token',
      isWrite: ({ method, path }) => method === 'POST' && !READS.test(path),
      flows: [
        {
          method: 'tv_login',
          async start(host, instance) {
            const { ok, code, error } = await postOk(host, `/api/tvA/device/start?instance=${instance}`)
            if (ok !== true) throw new Error(String(error))
            return { code: String(code) }
          },
          async poll(host, instance) {
            const answer = await host.inject({
              method: 'POST',
              url: `/api/tvA/device/poll?instance=${instance}`,
              payload: {},
            })
            const { status } = answer.json() as { readonly status: string }
            if (status === 'approved') {
              await postOk(host, `/api/tvA/device/finish?instance=${instance}`)
              return 'authorized'
            }
            if (status === 'no_pending_login') return 'missing'
            return status === 'cancelled' ? 'denied' : (status as 'pending' | 'expired')
          },
          cancel: cancelByDisconnecting('TVA'),
          approve: (code) => nuvio.approve(code),
          deny: (code) => nuvio.cancel(code),
          expire: () => nuvio.advance(301_000),
        },
      ],
      close: () => nuvio.close(),
    }
  },
}

export default adapter

function tableOf(feature: Feature): 'library' | 'watched' | 'progress' {
  return TABLES[feature as keyof typeof TABLES]
}

function freshItem(feature: Feature, { work, episode }: Thing): Item {
  const { title, year } = work
  const ids = idsOf(work.ids)
  const durationMs = work.type === 'movie' ? work.runtimeMs : (episode?.runtimeMs ?? 0)
  const item: Item =
    episode === undefined
      ? { type: work.type, title, year, ids }
      : {
          type: 'episode',
          title: episode.title,
          series_title: title,
          series_year: year,
          show_ids: ids,
          ids: idsOf(episode.ids),
          season: episode.season,
          episode: episode.number,
        }
  return valued(feature, item, { durationMs })
}
