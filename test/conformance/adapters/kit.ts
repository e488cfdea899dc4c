// A stand for the conformance kit: two accounts, and a stock of works that are handed out once each.
import type { Feature, Item, ItemKind } from '@playhead/sdk'
import type { Adapter, FlowScript, Person, Simulator } from '@playhead/sdk/testing/conformance'
import { connect, hostClient, providerOf } from '../../stands/client.ts'
import { type Flow, stateOf } from '../../stands/flows.ts'
import { type Account, type Settings, type Stand, type StandOptions, withMark } from '../../stands/stand.ts'
import { episodesOf, partsOf, SPECIALS, SPECIALS_NAME, type WorkName } from '../../stands/works.ts'

const SHOWS = 32
/** The last shows are left for people to drop. */
const DROPPED = 28
const SECRET = /_token$|secret|api_key|session_id/
const PLAYED = ['movie', 'episode'] as const
const DAY_MS = 86_400_000

export const KINDS = {
  works: ['movie', 'show'],
  played: PLAYED,
  all: ['movie', 'episode', 'show', 'season'],
} as const satisfies Readonly<Record<string, readonly ItemKind[]>>

export interface KitOptions<Server> extends Pick<Adapter, 'leaveOut'> {
  readonly start: (options: StandOptions) => Promise<Stand<Server>>
  /** Default of history and progress: films and episodes. */
  readonly kinds: { readonly [feature in Feature]?: readonly ItemKind[] }
  /** Whether the provider can be given the work by ids that all share. Default: by any. */
  readonly has?: (item: Item, work: WorkName) => boolean
  /** A show has one position or one entry: shows and episodes are of different shows. */
  readonly apart?: boolean
  /** Features whose episodes are not neighbours of each other. */
  readonly single?: readonly Feature[]
  /** The account cannot be compared with what is read. */
  readonly withoutRows?: boolean
  /** The service does not look at the works that it is sent: none is unknown to it. */
  readonly takesAny?: boolean
  /** Added to the settings of a profile. */
  readonly config?: Settings
  /** Settings with a credential that the service refuses. Absent: none is typed. */
  readonly wrong?: (settings: Settings) => Settings
  /** After each thing that people do at the service. */
  readonly between?: (server: Server) => void
  readonly more?: (stand: Stand<Server>, kit: Kit) => Partial<Simulator>
}

export interface Kit {
  readonly accounts: readonly [Account, Account]
  take(feature: Feature, count: number): readonly WorkName[]
  itemOf(work: WorkName): Item
  /** The item with what another provider would say about it. */
  fresh(feature: Feature, work: WorkName): Item
}

export function adapterOf<Server>({ leaveOut, ...options }: KitOptions<Server>): Adapter {
  return { ...(leaveOut === undefined ? {} : { leaveOut }), start: ({ size }) => simulatorOf(options, size) }
}

async function simulatorOf<Server>(
  {
    start,
    kinds,
    single = [],
    withoutRows = false,
    takesAny = false,
    wrong,
    between,
    more,
    ...options
  }: KitOptions<Server>,
  size: number,
): Promise<Simulator> {
  const movies = Math.ceil(size * 1.1) + 20
  const stand = await start({ movies, shows: SHOWS, moreShows: [SPECIALS] })
  const accounts = [await stand.account(), await stand.account()] as const
  const itemOf = (work: WorkName): Item => ({ ...stand.itemOf(work)! })
  const stock = stockOf(stand, movies, options)
  const take = (feature: Feature, count: number) => stock(kinds[feature] ?? PLAYED, count)
  const fresh = (feature: Feature, work: WorkName) => freshItem(feature, itemOf(work), partsOf(work).runtimeMs)
  const neighbours = episodesOf(SPECIALS_NAME).filter((name) => partsOf(name).season > 0)
  const nextTime = pastTimes()
  const seeded: Record<string, WorkName[]> = {}
  const seededOf = (person: Person, feature: Feature) => (seeded[`${person} ${feature}`] ??= [])
  const config = { ...stand.settings, ...options.config }
  const secrets = new Set<string>()
  const next = () => between?.(stand.server)
  let dropped = DROPPED

  const simulator: Simulator = {
    services: stand.upstreams,
    config,
    async signIn(host, instance, person) {
      const settings = await accounts[person].signIn()
      for (const [name, value] of Object.entries(settings))
        if (SECRET.test(name) && typeof value === 'string' && value !== '') secrets.add(value)
      await connect(host, stand.provider, instance, { ...config, ...settings })
    },
    async signInWrongly(host, instance) {
      const payload = wrong?.(stand.settings) ?? {}
      await host.inject({ method: 'POST', url: `/api/${stand.section}/save?instance=${instance}`, payload })
    },
    async seed(person, feature, count) {
      for (const work of take(feature, count)) {
        await accounts[person].put(feature, { work, atMs: nextTime(), rating: 7, percent: 25 })
        seededOf(person, feature).push(work)
      }
      next()
    },
    async takeOff(person, feature) {
      const work = seededOf(person, feature).shift()
      if (work !== undefined) await accounts[person].remove!(feature, work)
      next()
    },
    fresh: (feature, count) => take(feature, count).map((work) => fresh(feature, work)),
    episodes: (feature, count) =>
      single.includes(feature) ? [] : neighbours.splice(0, count).map((work) => fresh(feature, work)),
    async rows(person, feature) {
      const marks = await accounts[person].marks(feature)
      return marks.map(({ work, ...mark }) =>
        withMark(feature, itemOf(work), mark, stand.tellsDuration ? partsOf(work).runtimeMs : undefined),
      )
    },
    unknown: (feature) => freshItem(feature, UNKNOWN),
    count: async (person, feature) => (await accounts[person].marks(feature)).length,
    drop(person) {
      const work = `show/${dropped++}`
      const drop = (isDropped: boolean) => {
        accounts[person].drop!(work, isDropped)
        next()
      }
      drop(true)
      return { item: itemOf(work), resume: () => drop(false) }
    },
    secrets: () => [...secrets],
    expire: (person) => accounts[person].expire!(),
    revoke: (person) => accounts[person].revoke!(),
    isRefresh: (request) => stand.isRefresh!(request),
    isWrite: (request) => stand.isWrite(request),
    flows: (stand.flows ?? []).map((flow) => scriptOf(flow, stand.provider)),
    close: async () => stand[Symbol.asyncDispose](),
  }
  const [{ remove, drop, expire, revoke }] = accounts
  const absent = Object.entries({
    signInWrongly: wrong,
    unknown: takesAny ? undefined : simulator.unknown,
    takeOff: remove,
    drop,
    expire,
    revoke,
    isRefresh: stand.isRefresh,
    rows: withoutRows ? undefined : true,
  }).flatMap(([name, can]) => (can === undefined ? [name] : []))
  const present = Object.fromEntries(Object.entries(simulator).filter(([name]) => !absent.includes(name)))
  return { ...(present as unknown as Simulator), ...more?.(stand, { accounts, take, itemOf, fresh }) }
}

/** As a service that knows no such film would see it. */
const UNKNOWN: Item = { type: 'movie', title: 'Never made', year: 1999, ids: { imdb: 'tt9990001', tmdb: '999000001' } }

export function freshItem(feature: Feature, item: Item, durationMs = 6_000_000): Item {
  const atMs = Math.floor((Date.now() - 5 * DAY_MS) / 60_000) * 60_000
  return withMark(feature, item, { atMs, rating: 7, percent: 25 }, durationMs)
}

function scriptOf(flow: Flow, provider: string): FlowScript {
  const { method, secure, cancel, approve, deny, expire } = flow
  type Host = Parameters<FlowScript['start']>[0]
  const clientOf = (host: Host) => hostClient(host, provider, secure)
  return {
    method,
    start: async (host, instance) => ({ code: await flow.start(clientOf(host), instance) }),
    poll: (host, instance) => stateOf(flow, clientOf(host), instance),
    ...(cancel === undefined
      ? {}
      : {
          cancel: async (host: Host, instance: string) =>
            cancel === 'disconnect'
              ? providerOf(host, provider).disconnect(instance)
              : cancel(clientOf(host), instance),
        }),
    approve: async (code) => void (await approve(code)),
    ...(deny === undefined ? {} : { deny: async (code: string) => void (await deny(code)) }),
    ...(expire === undefined ? {} : { expire: async (code: string) => void (await expire(code)) }),
  }
}

/** Later times for later items: minutes that all lie in the past. */
function pastTimes(): () => number {
  let turn = 0
  return () => Math.floor(Date.now() / 60_000) * 60_000 - 30 * DAY_MS + 60_000 * turn++
}

/** More of a kind than any check of a few rows needs; large accounts are films from there on. */
const TURNS = 60

/** Works that the service knows. */
function stockOf<Server>(
  { itemOf }: Stand<Server>,
  movies: number,
  { has = hasIds, apart = false }: Pick<KitOptions<Server>, 'has' | 'apart'>,
): (kinds: readonly ItemKind[], count: number) => readonly WorkName[] {
  const isKnown = (work: WorkName) => {
    const item = itemOf(work)
    return item !== undefined && has(item, work)
  }
  const named = (kind: 'movie' | 'show', count: number) =>
    Array.from({ length: count }, (_, index) => `${kind}/${index}`).filter(isKnown)
  const shows = named('show', DROPPED)
  const ofShow = (show: WorkName, seasons: number, most: number) =>
    Map.groupBy(episodesOf(show), (name) => partsOf(name).season)
      .values()
      .take(seasons)
      .flatMap((names) => names.filter(isKnown).slice(0, most))
      .toArray()
  const numbered = apart ? shows.filter((_, index) => index % 2 === 1) : shows
  return mixedStock<WorkName>({
    movie: named('movie', movies),
    show: apart ? shows.filter((_, index) => index % 2 === 0) : shows,
    season: shows.flatMap((show) => {
      const numbers = new Set(episodesOf(show).map((name) => partsOf(name).season))
      return [...numbers].slice(0, 2).map((number) => show.replace('show', 'season') + `/${number}`)
    }),
    // Specials first, and then the first of each season.
    episode: apart
      ? [SPECIALS_NAME, ...numbered].flatMap((show) => ofShow(show, 1, 1))
      : [...ofShow(SPECIALS_NAME, 1, 2), ...numbered.flatMap((show) => ofShow(show, 3, 2))],
  })
}

/** Hands things out in turns of the kinds, each once. The first thing after a turn of all is again of the first kind. */
export function mixedStock<Thing>(
  stocks: Readonly<Partial<Record<ItemKind, readonly Thing[]>>>,
): (kinds: readonly ItemKind[], count: number) => readonly Thing[] {
  const next: Record<string, number> = {}
  let turn = 0
  const takeOne = (kinds: readonly ItemKind[]): Thing => {
    const wanted = turn < TURNS ? kinds[turn % kinds.length]! : kinds[0]!
    turn += 1
    for (const kind of [wanted, ...kinds]) {
      const thing = stocks[kind]?.[next[kind] ?? 0]
      if (thing === undefined) continue
      next[kind] = (next[kind] ?? 0) + 1
      return thing
    }
    throw new RangeError('the stand-in has no more items')
  }
  return (kinds, count) => Array.from({ length: count }, () => takeOne(kinds))
}

function hasIds({ ids, show_ids: showIds = {} }: Item): boolean {
  return Object.keys(ids).length + Object.keys(showIds).length > 0
}
