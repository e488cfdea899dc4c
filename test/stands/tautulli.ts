// Tautulli: how profiles connect, and accounts of its stand-in: the log of one person.
import { type LibraryItem, startTautulli, type Tautulli } from '../upstreams/tautulli.ts'
import { type Mark, type Stand, type StandOptions, USERNAMES } from './stand.ts'
import { itemOf, partsOf, SIZE, type WorkName } from './works.ts'

const FIRST_USER = 9_001
const ALL = ['tmdb', 'imdb', 'tvdb'] as const

export const tautulliSettings = (tautulli: Tautulli) => ({ server_url: tautulli.url, api_key: tautulli.apiKey })

export async function tautulliStand({
  limits: _limits,
  nowMs: _clock,
  ...options
}: StandOptions = {}): Promise<Stand<Tautulli>> {
  const { shows, moreShows = [], ...more } = { ...SIZE, ...options }
  const users = USERNAMES.map((_, index) => FIRST_USER + index)
  const tautulli = await startTautulli({ ...more, shows, moreShows, users })
  let used = 0
  const libraryItem = (work: WorkName): LibraryItem => {
    const { kind, index, season, number } = partsOf(work)
    // Further shows come behind those of the catalogue.
    return kind === 'movie' ? tautulli.movie(index) : tautulli.episode(Math.min(index, shows), season, number)
  }
  return {
    server: tautulli,
    provider: 'STATSA',
    section: 'statsA',
    upstreams: [tautulli],
    settings: { server_url: tautulli.url },
    account() {
      const user = users[used++]!
      // Read-only: plays are put into the stand-in.
      const played: Mark[] = []
      return {
        signIn: () => ({ ...tautulliSettings(tautulli), history: { user_id: String(user) } }),
        put(_feature, mark) {
          tautulli.play(libraryItem(mark.work), { ...(mark.atMs === undefined ? {} : { atMs: mark.atMs }), user })
          played.push(mark)
        },
        marks: () => played,
        revoke: () => tautulli.renewKey(),
      }
    },
    // Every tenth film was matched by an agent that knows one id only.
    itemOf(work) {
      const { kind, index } = partsOf(work)
      return itemOf(work, { movie: kind === 'movie' && index % 10 === 9 ? ['imdb'] : ALL, show: ALL, episode: ALL })
    },
    tellsDuration: false,
    isWrite: ({ query }) => /^(?:delete|add|edit|update|set)_/.test(query.get('cmd') ?? ''),
    [Symbol.asyncDispose]: () => tautulli.close(),
  }
}
