// Accounts of stand-ins for Plex: one server per account, because a server always has the same three people.
import { type Item, type Plex, startPlex } from '../../upstreams/plex.ts'
import { isPlainWrite, lineOf, type Stand, type StandOptions } from './contract.ts'
import { catalogueNames, episodeName, movieName, partsOf, showName, SIZE, type WorkName } from './works.ts'

export async function plexStand({ limits: _limits, ...options }: StandOptions = {}): Promise<Stand> {
  const kept = new AsyncDisposableStack()
  const houses: Plex[] = []
  const size = { ...SIZE, ...options }
  return {
    provider: 'MEDIAA',
    section: 'mediaA',
    async account() {
      const plex = kept.use(await startPlex({ ...size, cloudTitles: size.movies, house: houses.length }))
      houses.push(plex)
      return accountOf(plex)
    },
    count: () => houses.reduce((sum, { cloud, server }) => sum + cloud.count() + server.count(), 0),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

function accountOf(plex: Plex) {
  const { state, actions } = plex
  const owner = state.accounts.find(({ role }) => role === 'owner')!
  const tmdbOf = ({ guids }: { readonly guids: readonly string[] }) =>
    guids.find((guid) => guid.startsWith('tmdb://'))?.slice('tmdb://'.length)
  const parent = ({ parentKey }: Item) => state.items.get(parentKey ?? '')!
  const nameOf = (item: Item): WorkName =>
    item.type === 'movie'
      ? movieName(tmdbOf(item))
      : item.type === 'show'
        ? showName(tmdbOf(item))
        : item.type === 'season'
          ? `season of ${showName(tmdbOf(parent(item)))}`
          : episodeName(tmdbOf(parent(parent(item))), parent(item).index, item.index)
  const names = new Map(
    [...state.items.values()].filter(({ type }) => type !== 'season').map((item) => [item.ratingKey, nameOf(item)]),
  )
  const keys = new Map([...names].map(([key, name]) => [name, key]))
  const cloudName = ({ type, guids }: { readonly type: 'movie' | 'show'; readonly guids: readonly string[] }) =>
    (type === 'movie' ? movieName : showName)(tmdbOf({ guids }))
  const played = () =>
    [...(state.playStates.get(owner.id) ?? [])].flatMap(([key, data]) =>
      names.has(key) ? [{ work: names.get(key)!, data, item: state.items.get(key)! }] : [],
    )

  return {
    settings: { cloud_url: plex.cloud.url, server_url: plex.server.url, account_token: plex.accountToken('owner') },
    tellsDuration: true,
    namesOf: (work: WorkName) => catalogueNames(work, ['tmdb', 'imdb', 'tvdb']),
    put(feature, { work, atMs, rating = null, percent = 0 }) {
      const key = keys.get(work)!
      if (feature === 'watchlist')
        actions.addToWatchlist('owner', [...state.cloud.values()].find((item) => cloudName(item) === work)!.hex, atMs)
      if (feature === 'history') actions.watch('owner', key, atMs)
      if (feature === 'ratings') actions.rate('owner', key, rating, atMs)
      if (feature === 'progress') actions.setOffset('owner', key, (partsOf(work).runtimeMs * percent) / 100, atMs)
    },
    holds(feature) {
      switch (feature) {
        case 'watchlist':
          return [...(state.watchlists.get(owner.id)?.keys() ?? [])].map((hex) => cloudName(state.cloud.get(hex)!))
        case 'history':
          return played().flatMap(({ work, data: { viewCount, lastViewedAtMs = 0 } }) =>
            Array<string>(viewCount).fill(lineOf(feature, { work, atMs: lastViewedAtMs })),
          )
        case 'ratings':
          return played().flatMap(({ work, data: { userRating, lastRatedAtMs = 0 } }) =>
            userRating === undefined ? [] : [lineOf(feature, { work, rating: userRating, atMs: lastRatedAtMs })],
          )
        default:
          return played().flatMap(({ work, data: { viewOffsetMs, lastViewedAtMs = 0 }, item: { durationMs = 0 } }) =>
            viewOffsetMs === undefined
              ? []
              : [lineOf(feature, { work, percent: (viewOffsetMs / durationMs) * 100, atMs: lastViewedAtMs })],
          )
      }
    },
    // The server's own routes for marking and rating use GET.
    writes: () =>
      [plex.cloud, plex.server].reduce(
        (sum, host) => sum + host.count((request) => isPlainWrite(request) || /^\/:\//.test(request.path)),
        0,
      ),
  } satisfies Awaited<ReturnType<Stand['account']>>
}
