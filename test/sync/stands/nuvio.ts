// Accounts of the stand-in for Nuvio.
import { contentId, type Row, startNuvio } from '../../upstreams/nuvio.ts'
import { lineOf, type Stand, type StandOptions } from './contract.ts'
import { USERNAMES } from './trakt.ts'
import { catalogueNames, episodeName, movieName, partsOf, showName, SIZE, type WorkName } from './works.ts'

const TABLES = { watchlist: 'library', history: 'watched', progress: 'progress' } as const
const WRITE = /\/sync_(?:push|delete)_/

export async function nuvioStand({ limits: _limits, ...options }: StandOptions = {}): Promise<Stand> {
  const nuvio = await startNuvio({ ...SIZE, ...options, usernames: USERNAMES })
  let used = 0
  return {
    provider: 'TVA',
    section: 'tvA',
    account() {
      const username = USERNAMES[used++]!
      const user = nuvio.userNamed(username)
      const { access_token, refresh_token, expires_in } = nuvio.signIn(username)
      return {
        settings: {
          base_url: nuvio.url,
          client_key: nuvio.clientKey,
          requests_per_sec: 0,
          access_token,
          refresh_token,
          expires_at: Math.floor(Date.now() / 1_000) + expires_in,
          profile_id: 1,
          profile_name: 'Main',
        },
        tellsDuration: true,
        namesOf: (work) => catalogueNames(work, ['tmdb']),
        put(feature, { work, atMs, percent = 0 }) {
          const { kind, ids, title, season, number, runtimeMs } = partsOf(work)
          const named = { content_id: contentId(ids), content_type: kind === 'movie' ? 'movie' : 'series' }
          const numbered = kind === 'episode' ? { season, episode: number } : { season: null, episode: null }
          if (feature === 'watchlist') user.put('library', { ...named, name: title, added_at: atMs })
          if (feature === 'history') user.put('watched', { ...named, ...numbered, title, watched_at: atMs })
          if (feature === 'progress') {
            user.put('progress', {
              ...named,
              ...numbered,
              video_id: named.content_id,
              position: (runtimeMs * percent) / 100,
              duration: runtimeMs,
              last_watched: atMs,
            })
          }
        },
        holds: (feature) =>
          user
            .rows(TABLES[feature as keyof typeof TABLES])
            .map((row) =>
              lineOf(feature, {
                work: nameOf(row),
                atMs: Number(row['watched_at'] ?? row['last_watched'] ?? 0),
                percent: (Number(row['position']) / Number(row['duration'])) * 100,
              }),
            ),
        writes: () => nuvio.count(WRITE),
      }
    },
    count: () => nuvio.count(),
    later: () => nuvio.advance(2_000),
    [Symbol.asyncDispose]: () => nuvio.close(),
  }
}

function nameOf({ content_id: id, content_type: type, season, episode }: Row): WorkName {
  const tmdb = String(id).replace('tmdb:', '')
  if (type === 'movie') return movieName(tmdb)
  return season == null ? showName(tmdb) : episodeName(tmdb, season, episode)
}
