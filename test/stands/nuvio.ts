// Nuvio: how profiles sign in, and accounts of its stand-in.
import type { Feature } from '@playhead/sdk'
import { contentId, type Nuvio, type Row, startNuvio } from '../upstreams/nuvio.ts'
import { expectOk } from './client.ts'
import { codeOf, type Flow, stateNamed } from './flows.ts'
import { freshNames, type Stand, type StandOptions, USERNAMES } from './stand.ts'
import { episodeName, itemOf, movieName, partsOf, showName, SIZE, type WorkName } from './works.ts'

const TABLES = { watchlist: 'library', history: 'watched', progress: 'progress' } as const
const READS = /_pull_|_cursor$|get_sync_overview|health_ping|_tv_login|\/auth\/|\/functions\//

/** Settings before any sign-in. */
export const nuvioSettings = (nuvio: Nuvio) => ({
  base_url: nuvio.url,
  client_key: nuvio.clientKey,
  requests_per_sec: 0,
})

export function nuvioTokens(nuvio: Nuvio, username?: string, profile = 1) {
  const { access_token, refresh_token, expires_in } = nuvio.signIn(username)
  return {
    access_token,
    refresh_token,
    expires_at: Math.floor(nuvio.nowMs() / 1_000) + expires_in,
    profile_id: profile,
    profile_name: 'Main',
  }
}

export function nuvioLink(nuvio: Nuvio): Flow {
  return {
    method: 'tv_login',
    start: (client, instance) => codeOf(client, `/api/tvA/device/start?instance=${instance}`, { member: 'code' }),
    async poll(client, instance) {
      const { body } = await client.json(`/api/tvA/device/poll?instance=${instance}`, { method: 'POST', json: {} })
      if (body.status === 'approved') {
        await expectOk(client, `/api/tvA/device/finish?instance=${instance}`)
        return 'authorized'
      }
      if (body.status === 'no_pending_login') return 'missing'
      return body.status === 'cancelled' ? 'denied' : (stateNamed(body.status) ?? 'failed')
    },
    cancel: 'disconnect',
    approve: (code, name) => nuvio.approve(code, name),
    deny: (code) => nuvio.cancel(code),
    expire: () => nuvio.advance(301_000),
  }
}

export async function nuvioStand({
  limits: _limits,
  moreShows: _none,
  ...options
}: StandOptions & { readonly loginIntervalS?: number } = {}): Promise<Stand<Nuvio>> {
  const nuvio = await startNuvio({ ...SIZE, ...options, usernames: USERNAMES })
  const settings = nuvioSettings(nuvio)
  const nextName = freshNames()
  return {
    server: nuvio,
    provider: 'TVA',
    section: 'tvA',
    upstreams: [nuvio],
    settings,
    flows: [nuvioLink(nuvio)],
    account() {
      const username = nextName()
      const user = nuvio.userNamed(username)
      return {
        signIn: () => ({ ...settings, ...nuvioTokens(nuvio, username) }),
        put(feature, { work, atMs = Date.now(), percent = 0 }) {
          const { title, runtimeMs } = partsOf(work)
          const row = rowOf(work)
          if (feature === 'watchlist') user.put('library', { ...row, name: title, added_at: atMs })
          if (feature === 'history') user.put('watched', { ...row, title, watched_at: atMs })
          if (feature === 'progress') {
            user.put('progress', {
              ...row,
              video_id: row.content_id,
              position: (runtimeMs * percent) / 100,
              duration: runtimeMs,
              last_watched: atMs,
            })
          }
        },
        remove: (feature, work) => user.drop(tableOf(feature), rowOf(work)),
        marks: (feature) =>
          user
            .rows(tableOf(feature))
            .map((row) => ({
              work: nameOf(row),
              atMs: Number(row['watched_at'] ?? row['last_watched'] ?? 0),
              percent: (Number(row['position']) / Number(row['duration'])) * 100,
            })),
        expire: () => user.expireTokens(),
        revoke: () => user.revokeTokens(),
      }
    },
    itemOf: (work) => itemOf(work, { movie: ['tmdb'], show: ['tmdb'] }),
    tellsDuration: true,
    isWrite: ({ method, path }) => method === 'POST' && !READS.test(path),
    isRefresh: ({ path }) => path === '/auth/v1/token',
    later: () => nuvio.advance(2_000),
    [Symbol.asyncDispose]: () => nuvio.close(),
  }
}

function tableOf(feature: Feature): (typeof TABLES)[keyof typeof TABLES] {
  return TABLES[feature as keyof typeof TABLES]
}

function rowOf(work: WorkName) {
  const { kind, ids, season, number } = partsOf(work)
  return {
    content_id: contentId(ids),
    content_type: kind === 'movie' ? 'movie' : 'series',
    ...(kind === 'episode' ? { season, episode: number } : { season: null, episode: null }),
  }
}

function nameOf({ content_id: id, content_type: type, season, episode }: Row): WorkName {
  const ids = String(id).startsWith('tmdb:') ? { tmdb: String(id).slice(5) } : { imdb: id }
  if (type === 'movie') return movieName(ids)
  return season == null ? showName(ids) : episodeName(ids, season, episode)
}
