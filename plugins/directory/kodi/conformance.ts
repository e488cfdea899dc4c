// Plays two Kodi boxes for the conformance kit, one for each person.
import type { Feature, Item } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { type EpisodeVideo, type KodiBox, startKodi, type Title, type Video } from './stand-in.ts'

type Marked = 'history' | 'progress' | 'ratings'
type Work = { readonly kind: 'movie' | 'show' | 'episode'; readonly id: number; readonly item: Item }

const KINDS = {
  history: ['movie', 'episode'],
  progress: ['movie', 'episode'],
  ratings: ['movie', 'show', 'episode'],
} as const
const ZONE = 'America/New_York'
const RESERVE = 30
const SPARE = 40
const SECONDS = { movie: 5_400, episode: 2_700 }
const AT_MS = Date.parse('2025-03-04T02:06:07Z')

const localOf = (iso: string) =>
  Temporal.Instant.from(iso).toZonedDateTimeISO(ZONE).toPlainDateTime().toString().slice(0, 19).replace('T', ' ')
const utcOf = (local: string) =>
  Temporal.PlainDateTime.from(local.replace(' ', 'T')).toZonedDateTime(ZONE).toInstant().toString()

/** Both boxes have the same films and shows. Names and ids are as different scrapers leave them. */
function fill(boxes: readonly KodiBox[], size: number) {
  const pools: Record<Marked, Work[]> = { history: [], progress: [], ratings: [] }
  const reserves: Record<Marked, Work[]> = { history: [], progress: [], ratings: [] }
  let number = 0
  const each = <Made extends Title>(make: (box: KodiBox) => Made): Made => boxes.map(make)[0]!

  function movie(): Work {
    const n = ++number
    const [imdb, tmdb] = [`tt${1_000_000 + n}`, String(500_000 + n)]
    const uniqueid: Record<string, string> = n % 3 === 0 ? { unknown: imdb } : n % 3 === 1 ? { imdb, tmdb } : { imdb }
    const { id, title } = each((box) => box.addMovie({ uniqueid, imdbnumber: imdb, year: 1999 }))
    const ids = n % 3 === 1 ? { imdb, tmdb } : { imdb }
    return { kind: 'movie', id, item: { type: 'movie', ids, title, year: 1999 } }
  }
  function show(): Work {
    const n = ++number
    const uniqueid = { tvdb: String(70_000 + n), imdb: `tt${3_000_000 + n}` }
    const { id, title } = each((box) => box.addShow({ uniqueid, year: 2001 }))
    return { kind: 'show', id, item: { type: 'show', ids: uniqueid, title, year: 2001 } }
  }
  function episode(of: Work, season: number, count: number): Work {
    const n = ++number
    const ids = n % 2 === 0 ? { tvdb: String(4_000_000 + n) } : {}
    const at = { tvshowid: of.id, season, episode: count }
    const { id, title } = each((box) => box.addEpisode({ ...at, uniqueid: ids as Record<string, string> }))
    const show = { show_ids: of.item.ids, series_title: of.item.title!, series_year: 2001 }
    return { kind: 'episode', id, item: { type: 'episode', ids, title, season, episode: count, ...show } }
  }

  for (const feature of ['history', 'progress', 'ratings'] as const) {
    let series = show()
    let count = 0
    for (let index = 0; index < size + SPARE; index += 1) {
      const kind = KINDS[feature][index % KINDS[feature].length]
      if (kind === 'movie') pools[feature].push(movie())
      else if (kind === 'show') pools[feature].push(show())
      else {
        if (count === 20) [series, count] = [show(), 0]
        count += 1
        // The specials first.
        pools[feature].push(episode(series, count <= 4 ? 0 : 1, count))
      }
    }
    const long = show()
    for (let index = 1; index <= RESERVE; index += 1) reserves[feature].push(episode(long, 2, index))
  }
  return { pools, reserves }
}

const adapter: Adapter = {
  async start({ size }) {
    const boxes = [
      await startKodi({ zone: ZONE, password: 'the-password-of-ann', uuid: 'b0c5-000a' }),
      await startKodi({ zone: ZONE, password: 'the-password-of-bob', uuid: 'b0c5-000b' }),
    ] as const
    const passwords = boxes.map(({ password }) => password)
    const { pools, reserves } = fill(boxes, size)
    const byKind = (kind: Work['kind'], box: KodiBox): ReadonlyMap<number, Title> =>
      ({ movie: box.movies, show: box.shows, episode: box.episodes })[kind] as ReadonlyMap<number, Title>
    const works = Object.values(pools).flat().concat(Object.values(reserves).flat())
    let minutes = 0

    function valued(feature: Marked, { kind, item }: Work): Item {
      const at = new Date(AT_MS + ++minutes * 60_000).toISOString().replace('.000', '')
      if (feature === 'ratings') return { ...item, rating: 7 }
      if (feature === 'history') return { ...item, watched_at: at }
      const seconds = SECONDS[kind as keyof typeof SECONDS]
      return { ...item, progress_ms: 600_000, duration_ms: seconds * 1_000, progress_at: at }
    }
    function mark(person: Person, feature: Marked, work: Work): void {
      const title = byKind(work.kind, boxes[person]).get(work.id)!
      const { watched_at: at, progress_at: stopped, progress_ms: position = 0 } = valued(feature, work)
      if (feature === 'ratings') title.userrating = 7
      else if (feature === 'history')
        Object.assign(boxes[person].marksOf((title as Video).file), { playcount: 1, lastplayed: localOf(at!) })
      else
        Object.assign(boxes[person].marksOf((title as Video).file), {
          position: position / 1_000,
          total: (title as Video).runtime,
          lastplayed: localOf(stopped!),
        })
    }
    /** The row of a work, as the box has it. */
    function rowOf(person: Person, feature: Feature, { kind, id, item }: Work): Item | undefined {
      const title = byKind(kind, boxes[person]).get(id)!
      if (feature === 'ratings') return title.userrating === 0 ? undefined : { ...item, rating: title.userrating }
      if (kind === 'show') return undefined
      const { playcount, lastplayed, position, total } = boxes[person].marksOf((title as EpisodeVideo).file)
      const time = playcount > 0 && position > 0 ? undefined : utcOf(lastplayed || '1970-01-01 00:00:00')
      if (feature === 'history')
        return playcount === 0
          ? undefined
          : { ...item, watched: true, ...(time === undefined ? {} : { watched_at: time }) }
      return position === 0
        ? undefined
        : {
            ...item,
            progress_ms: position * 1_000,
            duration_ms: total * 1_000,
            ...(time === undefined ? {} : { progress_at: time }),
          }
    }
    const rows = (person: Person, feature: Feature) => works.flatMap((work) => rowOf(person, feature, work) ?? [])

    return {
      services: boxes,
      config: { page_size: 10 },
      async signIn(host, instance, person) {
        const payload = { server: boxes[person].url, username: 'kodi', password: passwords[person] }
        const { statusCode, body } = await host.inject({
          method: 'POST',
          url: `/api/kodi/login?instance=${instance}`,
          payload,
        })
        if (statusCode !== 200) throw new Error(`the sign-in was answered with ${statusCode}: ${body}`)
      },
      async signInWrongly(host, instance) {
        const payload = { server: boxes[0].url, username: 'kodi', password: 'not-the-password' }
        await host.inject({ method: 'POST', url: `/api/kodi/login?instance=${instance}`, payload })
      },
      seed(person, feature, count) {
        for (const work of pools[feature as Marked].splice(0, count)) mark(person, feature as Marked, work)
      },
      takeOff(person, feature) {
        const work = works.find((one) => rowOf(person, feature, one) !== undefined)!
        const title = byKind(work.kind, boxes[person]).get(work.id)!
        if (feature === 'ratings') title.userrating = 0
        else
          Object.assign(
            boxes[person].marksOf((title as Video).file),
            feature === 'history' ? { playcount: 0 } : { position: 0 },
          )
      },
      fresh: (feature, count) =>
        pools[feature as Marked].splice(0, count).map((work) => valued(feature as Marked, work)),
      episodes: (feature, count) =>
        reserves[feature as Marked].splice(0, count).map((work) => valued(feature as Marked, work)),
      unknown: (feature) =>
        valued(feature as Marked, { kind: 'movie', id: 0, item: { type: 'movie', ids: { imdb: 'tt9999999' } } }),
      count: (person, feature) => rows(person, feature).length,
      rows,
      play(person) {
        const [work] = pools.progress.splice(0, 1) as [Work]
        const positionMs = 1_234_567
        boxes[person].playing = { kind: work.kind as 'movie', id: work.id, positionMs, speed: 1 }
        return { item: work.item, positionMs, stop: () => void (boxes[person].playing = undefined) }
      },
      secrets: () => [...passwords, ...passwords.map((word) => btoa(`kodi:${word}`)), 'not-the-password'],
      revoke: (person) => void (boxes[person].password = `changed-${person}`),
      // One path for everything.
      isWrite: ({ body }) => body?.includes('"VideoLibrary.Set') === true,
      close: async () => {
        for (const box of boxes) await box.close()
      },
    }
  },
}

export default adapter
