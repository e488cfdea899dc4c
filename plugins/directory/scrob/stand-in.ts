// A stand-in of a Scrob server: the part of its API that the plugin uses. Times are UTC without a zone; a time with an offset loses the
// offset; a title is made when TMDB has it; names of lists are not unique; a wrong key is a visitor where visitors may look.
import type { ReceivedRequest, Reply } from '@playhead/sdk/testing'
import { type FaultyServer, startFaultyServer } from '@playhead/sdk/testing/conformance'

export interface MediaRow {
  readonly id: number
  readonly type: 'movie' | 'series' | 'episode' | 'person'
  tmdb_id: number | null
  readonly title: string
  readonly release_date: string | null
  show?: Show
  season_number: number | null
  episode_number: number | null
  readonly tvdb_sourced: boolean
}
export interface Show {
  readonly tmdb: number | null
  readonly tvdb: number | null
  readonly title: string
}
export interface EventRow {
  readonly id: number
  readonly media: MediaRow
  watched_at: string | null
}
export interface RatingRow {
  readonly media: MediaRow
  readonly season_number: number | null
  readonly episode_order: string | null
  rating: number | null
  review: string | null
  rated_at: string
}
export interface ListRow {
  readonly id: number
  name: string
  privacy: 'private' | 'public'
  readonly items: ListItemRow[]
}
export interface ListItemRow {
  readonly id: number
  readonly media: MediaRow
  readonly season_number: number | null
  added_at: string
  notes: string | null
}
export interface Owner {
  readonly id: number
  readonly username: string
  apiKey: string
  isPrivate: boolean
  events: EventRow[]
  ratings: RatingRow[]
  lists: ListRow[]
}

export interface Scrob extends FaultyServer {
  readonly owners: readonly Owner[]
  readonly media: MediaRow[]
  /** What TMDB has, as `movie/603`, `series/1438` and `episode/1438/1x2`. Undefined: everything. */
  tmdb: ((key: string) => boolean) | undefined
  /** The title that the server has, or a new one. */
  movie(tmdb: number | null, title?: string): MediaRow
  series(tmdb: number | null, title?: string): MediaRow
  episode(show: Show, season: number, episode: number, more?: Partial<MediaRow>): MediaRow
  /** @param at UTC without a zone */
  watch(owner: Owner, media: MediaRow, at: string | null): EventRow
  rate(owner: Owner, media: MediaRow, rating: number | null, at: string, more?: Partial<RatingRow>): RatingRow
  list(owner: Owner, media: MediaRow, at: string, more?: Partial<ListItemRow>): ListItemRow
}

interface Body {
  readonly tmdb_id?: number
  readonly media_type?: string
  readonly watched_at?: string | null
  readonly series_tmdb_id?: number
  readonly season_number?: number | null
  readonly episode_number?: number
  readonly rating?: number
  readonly review?: string | null
}

/** As Python prints a time. */
const naive = (date: Date) => date.toISOString().replace('Z', '000').replace(/\.0+$/, '')
const page = { 'content-type': 'text/html' }

export async function startScrob(names: readonly string[] = ['ann', 'bob']): Promise<Scrob> {
  let ids = 100
  const media: MediaRow[] = []
  const shows = new Map<number, Show>()
  const owners = names.map(
    (username, index): Owner => ({
      id: 7 + index,
      username,
      apiKey: `the-key-of-${username}-0a1b2c3d`,
      isPrivate: true,
      events: [],
      ratings: [],
      lists: [{ id: 20 + index, name: 'Watchlist', privacy: 'public', items: [] }],
    }),
  )

  const server = await startFaultyServer((request): Reply => {
    const { path, headers } = request
    // A page of the frontend, or its sign-in.
    if (!path.startsWith('/api/proxy/')) return { headers: page, body: '<!DOCTYPE html><title>Scrob</title>' }
    const route = path.slice('/api/proxy/'.length)
    const key = headers['x-api-key']
    if (route === 'auth/has-users') return { json: { has_users: true } }
    if (key === undefined) return { status: 302, headers: { location: '/login' } }
    const owner = owners.find(({ apiKey }) => apiKey === key)
    const list = /^lists\/(\d+)$/.exec(route)
    if (request.method === 'GET' && list !== null) return oneList(owner, Number(list[1]))
    if (owner === undefined) return refused(401, 'Could not validate credentials')
    return answer(owner, route, request) ?? refused(404, 'Not Found')
  })

  function answer(owner: Owner, route: string, request: ReceivedRequest): Reply | undefined {
    const { method, query } = request
    const sent = () => request.json() as Body
    switch (`${method} ${route.replace(/\/\d+/g, '/#')}`) {
      case 'GET profile/search':
        return { json: { results: search(owner, query.get('q') ?? '') } }
      case 'GET history':
        return history(owner, Number(query.get('page') ?? 1), Number(query.get('page_size') ?? 20))
      case 'POST history':
        return watched(owner, sent())
      case 'DELETE history/event/#': {
        const at = owner.events.findIndex(({ id }) => id === Number(route.split('/').at(-1)))
        if (at === -1) return refused(404, 'Event not found')
        owner.events.splice(at, 1)
        return { json: { status: 'ok' } }
      }
      case 'GET ratings':
        return {
          json: {
            results: owner.ratings
              .toSorted((a, b) => b.rated_at.localeCompare(a.rated_at))
              .map((row) => shownRating(owner, row)),
          },
        }
      case 'POST ratings':
        return rated(owner, sent())
      case 'DELETE ratings':
        return unrated(owner, query)
      case 'GET lists':
        return { json: { lists: owner.lists.map(({ id, name, items }) => ({ id, name, item_count: items.length })) } }
      case 'POST lists/#/items':
        return listed(owner, Number(route.split('/')[1]), sent())
      case 'DELETE lists/#/items/#': {
        const [, listId, , itemId] = route.split('/')
        const items = owner.lists.find(({ id }) => id === Number(listId))?.items ?? []
        const at = items.findIndex(({ id }) => id === Number(itemId))
        if (at === -1) return refused(404, 'Item not found')
        items.splice(at, 1)
        return { json: { message: 'Item removed' } }
      }
      default:
        return undefined
    }
  }

  const refused = (status: number, detail: string): Reply => ({ status, json: { detail } })

  function search(owner: Owner, words: string): object[] {
    const found = owners.filter(
      (one) => one.username.includes(words.toLowerCase()) && (one === owner || !one.isPrivate),
    )
    return found.map((one) => ({
      ...{ id: one.id, username: one.username, display_name: one.username, is_self: one === owner },
      ...{ follower_count: 0, total_rated: one.ratings.length },
    }))
  }

  function history(owner: Owner, number: number, size: number): Reply {
    if (!(size >= 1 && size <= 100 && number >= 1))
      return { status: 422, json: { detail: [{ loc: ['query', 'page_size'], msg: 'out of range' }] } }
    const rows = owner.events.toSorted((a, b) => {
      if (a.watched_at === null || b.watched_at === null)
        return Number(a.watched_at === null) - Number(b.watched_at === null) || b.id - a.id
      return b.watched_at.localeCompare(a.watched_at) || b.id - a.id
    })
    const results = rows
      .slice((number - 1) * size, number * size)
      .map((row) => ({
        ...{ id: row.id, media: shownMedia(row.media), user_id: owner.id, watched_at: row.watched_at },
        ...{ progress_seconds: null, progress_percent: 1, completed: true, play_count: 1 },
      }))
    return {
      json: {
        ...{ page: number, page_size: size, total_results: rows.length },
        ...{ total_pages: Math.max(1, Math.ceil(rows.length / size)), results },
      },
    }
  }

  function shownMedia({ show, ...row }: MediaRow): object {
    const series =
      show === undefined ? {} : { show_tmdb_id: show.tmdb, show_tvdb_id: show.tvdb, show_title: show.title }
    return { ...row, ...series, overview: null, poster_path: null, user_rating: null, genres: [] }
  }

  function shownRating(owner: Owner, { media: of, ...row }: RatingRow): object {
    const { id, tmdb_id, type, title, release_date } = of
    return { id: 1, media: { id, tmdb_id, type, title, poster_path: null, release_date }, user_id: owner.id, ...row }
  }

  function shownItem({ media: of, season_number: season, ...row }: ListItemRow, listId: number): object {
    return {
      ...{ ...row, list_id: listId, sort_order: 0 },
      media: { ...shownMedia(of), season_number: season ?? of.season_number },
    }
  }

  function oneList(owner: Owner | undefined, id: number): Reply {
    const holder = owners.findLast(({ lists }) => lists.some((one) => one.id === id))
    const found = holder?.lists.find((one) => one.id === id)
    if (found === undefined) return refused(404, 'List not found')
    if (owner !== holder && found.privacy !== 'public') return refused(403, 'This list is private')
    return {
      json: {
        ...{ id, name: found.name, item_count: found.items.length },
        ...{ items: found.items.map((item) => shownItem(item, id)), is_owner: owner === holder },
      },
    }
  }

  /** A title that the server has, or that TMDB has. */
  function titleOf(type: 'movie' | 'series', tmdb: number): MediaRow | undefined {
    const known = media.find((one) => one.type === type && one.tmdb_id === tmdb)
    if (known !== undefined) return known
    if (scrob.tmdb?.(`${type}/${tmdb}`) === false) return undefined
    return type === 'movie' ? scrob.movie(tmdb) : scrob.series(tmdb)
  }

  function episodeOf({ tmdb_id: own, series_tmdb_id: series, season_number: season, episode_number: number }: Body) {
    if (series === undefined || season == null || number === undefined) return undefined
    const known =
      media.find(
        (one) =>
          one.type === 'episode' &&
          one.show?.tmdb === series &&
          one.season_number === season &&
          one.episode_number === number,
      ) ?? media.find((one) => one.type === 'episode' && one.tmdb_id === own)
    if (known !== undefined) {
      // One that was made without its show gets it now.
      if (known.show === undefined)
        Object.assign(known, { show: showOf(series), season_number: season, episode_number: number })
      return known
    }
    if (scrob.tmdb?.(`episode/${series}/${season}x${number}`) === false) return undefined
    return scrob.episode(showOf(series), season, number)
  }

  function showOf(tmdb: number): Show {
    const show = shows.get(tmdb) ?? { tmdb, tvdb: null, title: `Show ${tmdb}` }
    shows.set(tmdb, show)
    return show
  }

  function watched(owner: Owner, body: Body): Reply {
    const { media_type: type, tmdb_id: tmdb, watched_at: at } = body
    if (tmdb === undefined || type === undefined) return { status: 422, json: { detail: [{ msg: 'Field required' }] } }
    const found = type === 'movie' ? titleOf('movie', tmdb) : episodeOf(body)
    if (found === undefined) return refused(404, 'TMDB Media not found: 404')
    // The zone is cut off; without the field it is now.
    const time = at === undefined ? naive(new Date()) : at === null ? null : at.replace(/(?:Z|[+-]\d{2}:\d{2})$/, '')
    scrob.watch(owner, found, time)
    return { json: { status: 'ok', message: `Marked ${found.title} as watched` } }
  }

  const ratingOf = (owner: Owner, of: MediaRow, season: number | null) =>
    owner.ratings.find((row) => row.media === of && row.season_number === season && row.episode_order === null)

  function rated(owner: Owner, { media_type: type, tmdb_id: tmdb, ...body }: Body): Reply {
    const { rating = 0, review = null, season_number: season = null } = body
    if (!(rating >= 0 && rating <= 10)) return { status: 422, json: { detail: [{ msg: 'out of range' }] } }
    if (type !== 'movie' && type !== 'series') return refused(400, `Invalid media_type: ${type}`)
    const found = titleOf(type, tmdb!)
    if (found === undefined) return refused(404, 'TMDB Media not found: 404')
    const row = ratingOf(owner, found, season) ?? scrob.rate(owner, found, rating, '', { season_number: season })
    // Everything that is not sent is lost.
    Object.assign(row, { rating, review, rated_at: naive(new Date()) })
    return { json: shownRating(owner, row) }
  }

  function unrated(owner: Owner, query: URLSearchParams): Reply {
    const found = media.find(
      (one) => one.type === query.get('media_type') && one.tmdb_id === Number(query.get('tmdb_id')),
    )
    if (found === undefined) return refused(404, 'Media not found')
    const season = query.get('season_number')
    const row = ratingOf(owner, found, season === null ? null : Number(season))
    if (row === undefined) return refused(404, 'Rating not found')
    owner.ratings = owner.ratings.filter((one) => one !== row)
    return { json: { status: 'deleted' } }
  }

  function listed(owner: Owner, listId: number, { media_type: type, tmdb_id: tmdb }: Body): Reply {
    const list = owner.lists.find(({ id }) => id === listId)
    if (list === undefined) return refused(404, 'List not found')
    const found = type === 'movie' || type === 'series' ? titleOf(type, tmdb!) : undefined
    if (found === undefined) return refused(404, 'Media not found: 404')
    if (list.items.some((item) => item.media === found && item.season_number === null))
      return refused(409, 'Item already in list')
    const item = { id: ++ids, media: found, season_number: null, added_at: naive(new Date()), notes: null }
    list.items.push(item)
    return { status: 201, json: shownItem(item, listId) }
  }

  function add(row: Omit<MediaRow, 'id'>): MediaRow {
    const made = { id: ++ids, ...row }
    media.push(made)
    return made
  }
  const none = { season_number: null, episode_number: null, tvdb_sourced: false }

  const scrob: Scrob = {
    ...server,
    owners,
    media,
    tmdb: undefined,
    movie: (tmdb, title = `Movie ${tmdb}`) =>
      media.find((one) => tmdb !== null && one.type === 'movie' && one.tmdb_id === tmdb) ??
      add({ type: 'movie', tmdb_id: tmdb, title, release_date: '1999-03-31', ...none }),
    series: (tmdb, title = `Show ${tmdb}`) =>
      media.find((one) => tmdb !== null && one.type === 'series' && one.tmdb_id === tmdb) ??
      add({ type: 'series', tmdb_id: tmdb, title, release_date: '2002-06-02', ...none }),
    episode(show, season, episode, more = {}) {
      if (show.tmdb !== null) shows.set(show.tmdb, show)
      return add({
        ...{ type: 'episode', tmdb_id: 2_000_000 + ++ids, title: `Episode ${episode}`, release_date: null },
        ...{ show, season_number: season, episode_number: episode, tvdb_sourced: false },
        ...more,
      })
    },
    watch(owner, of, at) {
      const row = { id: ++ids, media: of, watched_at: at }
      owner.events.push(row)
      return row
    },
    rate(owner, of, rating, at, more = {}) {
      const row: RatingRow = {
        ...{ media: of, rating, rated_at: at, review: null, season_number: null, episode_order: null },
        ...more,
      }
      owner.ratings.push(row)
      return row
    },
    list(owner, of, at, more = {}) {
      const item = { id: ++ids, media: of, season_number: null, added_at: at, notes: null, ...more }
      owner.lists[0]!.items.push(item)
      return item
    },
  }
  return scrob
}
