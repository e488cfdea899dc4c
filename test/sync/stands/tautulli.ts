// Accounts of the stand-in for Tautulli: the log of one person.
import { type LibraryItem, startTautulli } from '../../upstreams/tautulli.ts'
import { lineOf, type Mark, type Stand, type StandOptions } from './contract.ts'
import { USERNAMES } from './trakt.ts'
import { catalogueNames, partsOf, SIZE, type WorkName } from './works.ts'

const FIRST_USER = 9_001

export async function tautulliStand({ limits: _limits, ...options }: StandOptions = {}): Promise<Stand> {
  const tautulli = await startTautulli({ ...SIZE, ...options, users: USERNAMES.map((_, index) => FIRST_USER + index) })
  let used = 0
  const itemOf = (work: WorkName): LibraryItem => {
    const { kind, index, season, number } = partsOf(work)
    return kind === 'movie' ? tautulli.movie(index) : tautulli.episode(index, season, number)
  }
  return {
    provider: 'STATSA',
    section: 'statsA',
    account() {
      const user = FIRST_USER + used++
      // Read-only: plays are added directly to the stand-in.
      const played: Mark[] = []
      return {
        settings: { server_url: tautulli.url, api_key: tautulli.apiKey, history: { user_id: String(user) } },
        tellsDuration: false,
        // Every tenth film was matched by an agent that provides a single id.
        namesOf: (work) =>
          catalogueNames(
            work,
            partsOf(work).kind === 'movie' && partsOf(work).index % 10 === 9 ? ['imdb'] : ['tmdb', 'imdb', 'tvdb'],
          ),
        put(_feature, mark) {
          tautulli.play(itemOf(mark.work), { atMs: mark.atMs, user })
          played.push(mark)
        },
        holds: (feature) => played.map((mark) => lineOf(feature, mark)),
        writes: () => tautulli.count(({ query }) => /^(?:delete|add|edit|update|set)_/.test(query.get('cmd') ?? '')),
      }
    },
    count: () => tautulli.count(),
    [Symbol.asyncDispose]: () => tautulli.close(),
  }
}
