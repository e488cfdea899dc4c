// A stand-in of Jellystat and of the media server that it watches. Jellystat answers as the real one does, also where that surprises:
// counts are texts, a database that fails reads like an empty log, sittings of an hour are joined, and rows that it imported have the
// time of their beginning.
import type { ReceivedRequest, Reply } from '@playhead/sdk/testing'
import { type FaultyServer, startFaultyServer } from '@playhead/sdk/testing/conformance'

const HOUR_MS = 3_600_000
const TICKS_A_SECOND = 10_000_000

export interface MediaItem {
  readonly id: string
  readonly type: 'Movie' | 'Series' | 'Episode' | 'Audio'
  name: string
  providerIds: Record<string, string>
  year?: number
  /** Seconds. */
  length?: number
  readonly series?: string
  readonly season?: number
  readonly episode?: number
  readonly lastEpisode?: number
}
export interface LogEntry {
  readonly id: string
  readonly userId: string
  readonly item: MediaItem
  seconds: number
  /** Epoch milliseconds: when it was stopped, or begun if it was imported. */
  atMs: number
  readonly imported: boolean
}

export interface Jellystat extends AsyncDisposable {
  readonly stats: FaultyServer
  readonly media: FaultyServer
  apiKey: string
  mediaKey: string
  readonly serverId: string
  /** Names by id. */
  readonly users: Map<string, string>
  readonly items: Map<string, MediaItem>
  log: LogEntry[]
  /** The database of Jellystat fails. */
  isBroken: boolean
  /** `endless`: the same page again and again. `everybody`: the rows of all users. */
  fault: 'endless' | 'everybody' | undefined
  addItem(item: Omit<MediaItem, 'id' | 'name'> & { readonly name?: string }): MediaItem
  /** A person watches until this time. */
  watch(userId: string, item: MediaItem, atMs: number, seconds?: number): void
  /** As from a backup of Playback Reporting. */
  bring(userId: string, item: MediaItem, atMs: number, seconds: number): void
  close(): Promise<void>
}

export async function startJellystat(): Promise<Jellystat> {
  const json = (value: unknown): Reply => ({ json: value })
  const failed: Reply = { json: { pages: 0, results: [] } }
  let last = 0

  const stats = await startFaultyServer((request): Reply => {
    const key = request.headers['x-api-token']
    const area = /^\/(?:api|stats|auth|sync|backup)\//.test(request.path)
    // The page, for every other path.
    if (!area) return { headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Jellystat</title>' }
    if (key === undefined)
      return { status: 401, json: { message: 'Authentication failed. No token or API key provided.' } }
    if (key !== self.apiKey) return { status: 403, json: { message: 'Invalid API key' } }
    if (request.path === '/stats/getAllUserActivity') return json(self.isBroken ? [] : [...self.users].map(activity))
    if (request.path === '/api/getUserHistory' && request.method === 'POST') return history(request)
    return { status: 404, json: { error: 'Not Found' } }
  })

  function activity([id, name]: [string, string]) {
    const own = self.log.filter(({ userId }) => userId === id)
    return {
      UserId: id,
      UserName: name,
      LastWatched: own.at(-1)?.item.name ?? null,
      TotalPlays: String(own.length),
      TotalWatchTime: own.length === 0 ? null : String(own.reduce((sum, { seconds }) => sum + seconds, 0)),
    }
  }

  function history(request: ReceivedRequest): Reply {
    const { userid } = request.json() as { readonly userid?: string }
    if (userid === undefined) return { status: 400, body: 'No User ID provided' }
    if (self.isBroken) return failed
    const size = Number(request.query.get('size') ?? 50)
    const page = Number(request.query.get('page') ?? 1)
    const own = self.log
      .filter(({ userId }) => self.fault === 'everybody' || userId === userid)
      .toSorted((a, b) => b.atMs - a.atMs)
    const results = own
      .slice(...(self.fault === 'endless' ? [0, size] : [(page - 1) * size, page * size]))
      .map(({ id, userId, item, seconds, atMs, imported }) => ({
        Id: id,
        IsPaused: false,
        UserId: userId,
        NowPlayingItemId: item.series ?? item.id,
        NowPlayingItemName: item.name,
        EpisodeId: item.series === undefined ? null : item.id,
        SeriesName: item.series === undefined ? null : self.items.get(item.series)?.name,
        PlaybackDuration: seconds,
        ActivityDateInserted: new Date(atMs).toISOString(),
        MediaStreams: [{ Codec: 'hevc', Type: 'Video' }],
        imported,
      }))
    const pages = self.fault === 'endless' ? page + 1 : Math.ceil(own.length / size)
    return json({ current_page: page, pages, size, desc: true, results })
  }

  const media = await startFaultyServer(({ path, query, headers }): Reply => {
    if (path === '/System/Info/Public')
      return json({ Id: self.serverId, ServerName: 'Living room', Version: '10.10.3' })
    if (headers.authorization !== `MediaBrowser Token="${self.mediaKey}"`) return { status: 401 }
    if (path !== '/Items') return { status: 404 }
    const ids = (query.get('Ids') ?? '').split(',')
    const found = ids.flatMap((id) => self.items.get(id) ?? [])
    return json({ Items: found.map(shown), TotalRecordCount: found.length, StartIndex: 0 })
  })

  function shown(item: MediaItem) {
    return {
      Id: item.id,
      Type: item.type,
      Name: item.name,
      ProviderIds: item.providerIds,
      ...(item.year === undefined ? {} : { ProductionYear: item.year }),
      ...(item.length === undefined ? {} : { RunTimeTicks: item.length * TICKS_A_SECOND }),
      ...(item.series === undefined ? {} : { SeriesId: item.series, SeriesName: self.items.get(item.series)?.name }),
      ...(item.season === undefined ? {} : { ParentIndexNumber: item.season }),
      ...(item.episode === undefined ? {} : { IndexNumber: item.episode }),
      ...(item.lastEpisode === undefined ? {} : { IndexNumberEnd: item.lastEpisode }),
    }
  }

  const self: Jellystat = {
    stats,
    media,
    apiKey: 'f3b1c2d4-the-key-of-jellystat',
    mediaKey: '0123456789abcdef-of-jellyfin',
    serverId: '5f1e2d3c4b5a69788796a5b4c3d2e1f0',
    users: new Map(),
    items: new Map(),
    log: [],
    isBroken: false,
    fault: undefined,
    addItem(item) {
      const id = (++last).toString(16).padStart(32, '0')
      const made = { name: `${item.type} ${last}`, ...item, id }
      self.items.set(id, made)
      return made
    },
    watch(userId, item, atMs, seconds = item.length ?? 3_000) {
      const recent = self.log.find(
        (one) =>
          one.userId === userId &&
          one.item.id === item.id &&
          !one.imported &&
          atMs - one.atMs >= 0 &&
          atMs - one.atMs < HOUR_MS &&
          one.seconds + seconds <= (item.length ?? Infinity),
      )
      if (recent === undefined) self.log.push({ id: crypto.randomUUID(), userId, item, seconds, atMs, imported: false })
      else Object.assign(recent, { seconds: recent.seconds + seconds, atMs })
    },
    bring(userId, item, atMs, seconds) {
      self.log.push({ id: String(++last), userId, item, seconds, atMs, imported: true })
    },
    async close() {
      await stats.close()
      await media.close()
    },
    [Symbol.asyncDispose]: () => self.close(),
  }
  return self
}
