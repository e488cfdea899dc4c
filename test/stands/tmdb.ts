// TMDB: how profiles sign in, and accounts of its stand-in.
import type { Item } from '@playhead/sdk'
import { startTmdb, type Tmdb } from '../upstreams/tmdb.ts'
import { codeOf, type Flow } from './flows.ts'
import { freshNames, isPlainWrite, type Stand, type StandOptions, USERNAMES } from './stand.ts'
import { episodeName, itemOf, movieName, partsOf, showName, SIZE, type WorkName } from './works.ts'

export function tmdbPage(tmdb: Tmdb): Flow {
  return {
    method: 'request_token',
    start: (client, instance) =>
      codeOf(client, `/api/metaA_sync/connect/start?instance=${instance}`, {
        member: 'request_token',
        body: { api_key: tmdb.apiKey },
      }),
    async poll(client, instance) {
      const path = `/api/metaA_sync/connect/finish?instance=${instance}`
      const { status, body } = await client.json(path, { method: 'POST', json: {} })
      if (status === 410) return 'expired'
      if (body.ok === true) return 'authorized'
      return body.error === 'missing_request_token' ? 'missing' : body.error === 'not_approved' ? 'pending' : 'failed'
    },
    cancel: 'disconnect',
    approve: (code, name) => tmdb.actions.approve(code, name),
    expire: (code) => tmdb.actions.expire(code),
  }
}

export async function tmdbStand({ limits = false, ...options }: StandOptions = {}): Promise<Stand<Tmdb>> {
  const tmdb = await startTmdb({ ...SIZE, ...options, usernames: USERNAMES, ...(limits ? { perSecond: 50 } : {}) })
  const settings = { api_url: tmdb.apiUrl, api_key: tmdb.apiKey }
  const nextName = freshNames()
  /** The film or show, and the numbers of an episode. */
  const find = (work: WorkName) => {
    const { kind, ids, season, number } = partsOf(work)
    const found = tmdb.works.get(kind === 'movie' ? 'movie' : 'tv', ids.tmdb ?? 0)!
    return { found, episode: kind === 'episode' ? { season, number } : undefined }
  }
  return {
    server: tmdb,
    provider: 'METAA',
    section: 'metaA_sync',
    upstreams: [tmdb],
    settings,
    flows: [tmdbPage(tmdb)],
    account() {
      const username = nextName()
      return {
        signIn: () => ({ ...settings, session_id: tmdb.signIn(username) }),
        put(feature, { work, rating = 0 }) {
          const { found, episode } = find(work)
          if (feature === 'watchlist') tmdb.actions.list(found, username)
          else tmdb.actions.rate(found, rating, username, episode)
        },
        remove(feature, work) {
          const { found, episode } = find(work)
          if (feature === 'watchlist') tmdb.actions.unlist(found, username)
          else tmdb.actions.unrate(found, username, episode)
        },
        marks: (feature) =>
          feature === 'watchlist'
            ? tmdb.watchlist(username).map((key) => ({ work: nameOf(key) }))
            : Object.entries(tmdb.ratings(username)).map(([key, rating]) => ({ work: nameOf(key), rating })),
        revoke: () => tmdb.actions.endSessions(username),
      }
    },
    // TMDB has a number of its own for each episode.
    itemOf(work): Item {
      const { found, episode } = find(work)
      const item = itemOf(work, { movie: ['tmdb'], show: ['tmdb'] })
      const own = found?.episodes.find(({ season, number }) => season === episode?.season && number === episode.number)
      return own === undefined ? item : { ...item, ids: { tmdb: String(own.id) } }
    },
    tellsDuration: false,
    isWrite: (request) => isPlainWrite(request) && !request.path.startsWith('/3/authentication'),
    [Symbol.asyncDispose]: () => tmdb.close(),
  }
}

function nameOf(key: string): WorkName {
  const [namespace, tmdb, season, number] = key.split('/')
  if (namespace === 'movie') return movieName({ tmdb })
  return season === undefined ? showName({ tmdb }) : episodeName({ tmdb }, season, number)
}
