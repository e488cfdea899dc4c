// Multiplexes all streams of a page, or of all pages of the browser, over one connection, because browsers open at most six
// connections to a host. `GET /api/stream` takes the addresses; each stream continues after its last event when others are
// added.

/** Callbacks of a subscriber. */
export interface Follower {
  readonly address: string
  /** Event names that the subscriber handles. */
  readonly names: readonly string[]
  onEvent(event: string, id: string, text: string): void
  onState(state: 'open' | 'interrupted'): void
  /**
   * Id of the last event that the subscriber has: it gets all later ones, also those from before it subscribed. For streams
   * of one topic of which it handles all events. Undefined: it begins with the events of the route.
   */
  readonly since?: (() => number | undefined) | undefined
}

interface HubOptions {
  /** Converts a path of the service to its address in the browser. */
  readonly at: (path: string) => string
  readonly onReachable: (isReachable: boolean) => void
  /** Called after an error status (expired session, restart). Resolves when a retry is allowed. */
  readonly mayRetry: () => Promise<void>
}

export interface StreamHub {
  /** Returns a function that unsubscribes. */
  follow(follower: Follower): () => void
}

const SHARED = '/api/stream'
/** Parts of a page that appear together are subscribed in one request. */
const TOGETHER_MS = 15
/** Keeps a stream open for the next page, which may need the same stream. */
const LINGER_MS = 2_000
const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 30_000
/** Routes that are not shared streams are opened separately. */
const NOT_SHARED: readonly number[] = [404, 405]

interface Followed {
  readonly followers: Set<Follower>
  lastId: string
  /** Has its own connection. */
  isAlone: boolean
  source?: EventSource | undefined
}

export function createStreamHub({ at, onReachable, mayRetry }: HubOptions): StreamHub {
  const all = new Map<string, Followed>()
  /** Last event id per topic that each follower received. */
  const positions = new Map<Follower, Map<string, number>>()
  /** Followers that named their last event. */
  const resumed = new WeakSet<Follower>()
  let shared: EventSource | undefined
  let attempts = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function plan(afterMs: number): void {
    clearTimeout(timer)
    timer = setTimeout(open, afterMs)
  }

  function open(): void {
    for (const [address, { followers, source }] of all) {
      if (followers.size > 0) continue
      source?.close()
      all.delete(address)
    }
    const wanted = [...all].filter(([, { isAlone }]) => !isAlone)
    shared?.close()
    shared = undefined

    if (wanted.length === 0) return
    const query = wanted.map(([address, { followers, lastId }]) => {
      // A new follower gets the initial events of the route, which the other followers already have.
      const after = [...followers].every((follower) => positions.get(follower)?.size) ? earliest(followers, lastId) : ''
      return `of=${encodeURIComponent(address)}&after=${encodeURIComponent(after)}`
    })
    shared = listen(`${SHARED}?${query.join('&')}`, {
      followed: wanted,
      nameOf: (address, name) => `${address} ${name}`,
      idOf: (address, id) => new URLSearchParams(id).get(String(wanted.findIndex(([one]) => one === address))) ?? '',
      onState(state) {
        for (const [, { followers }] of wanted) for (const { onState } of followers) onState(state)
      },
      again: open,
      stillWanted: (source) => source === shared,
    })
    shared.addEventListener('gap', ({ data }) => {
      for (const [, { followers }] of wanted) for (const { onEvent } of followers) onEvent('gap', '', String(data))
    })
  }

  /** The id after which a follower lacks events. */
  function earliest(followers: ReadonlySet<Follower>, lastId: string): string {
    const begun = [...followers].flatMap((follower) =>
      resumed.has(follower) ? (positions.get(follower)?.get('') ?? []) : [],
    )
    return begun.length === 0 ? lastId : String(Math.min(...begun, ...(lastId === '' ? [] : [Number(lastId)])))
  }

  function openAlone(address: string, followed: Followed): void {
    followed.isAlone = true
    followed.source?.close()
    followed.source = listen(address, {
      followed: [[address, followed]],
      nameOf: (_address, name) => name,
      idOf: (_address, id) => id,
      onState: (state) => {
        for (const { onState } of followed.followers) onState(state)
      },
      again: () => openAlone(address, followed),
      stillWanted: (source) => followed.source === source && all.get(address) === followed,
    })
  }

  interface Listening {
    readonly followed: readonly (readonly [address: string, followed: Followed])[]
    readonly nameOf: (address: string, name: string) => string
    readonly idOf: (address: string, id: string) => string
    readonly onState: (state: 'open' | 'interrupted') => void
    readonly again: () => void
    readonly stillWanted: (source: EventSource) => boolean
  }

  function listen(path: string, { followed, nameOf, idOf, onState, again, stillWanted }: Listening): EventSource {
    const source = new EventSource(at(path))
    source.addEventListener('open', () => {
      attempts = 0
      onReachable(true)
      onState('open')
    })
    source.addEventListener('error', () => {
      if (!stillWanted(source)) return
      onState('interrupted')
      // The browser retries by itself, except after an error status.
      if (source.readyState !== EventSource.CLOSED) return onReachable(false)
      setTimeout(
        async () => {
          await mayRetry()
          if (stillWanted(source)) again()
        },
        Math.min(FIRST_RETRY_MS * 2 ** attempts++, LAST_RETRY_MS),
      )
    })
    for (const [address, own] of followed) {
      for (const name of new Set([...own.followers].flatMap(({ names }) => names))) {
        source.addEventListener(nameOf(address, name), ({ data, lastEventId }) => {
          const id = idOf(address, lastEventId)
          if (id !== '') own.lastId = id
          for (const follower of own.followers)
            if (follower.names.includes(name) && isNew(follower, id)) follower.onEvent(name, id, String(data))
        })
      }
      source.addEventListener(nameOf(address, 'refused'), ({ data }) => {
        const { status = 0 } = JSON.parse(String(data)) as { status?: number }
        for (const { onState: tell } of own.followers) tell('interrupted')
        if (NOT_SHARED.includes(status)) openAlone(address, own)
        // The plugin of the route is being replaced or is turned off.
        else if (status >= 500) setTimeout(() => stillWanted(source) && plan(0), LAST_RETRY_MS)
      })
    }
    return source
  }

  /** `7`, or `WATCH:7,SYNC:9` for several topics. An event without an id always counts as new. */
  function isNew(follower: Follower, id: string): boolean {
    if (id === '') return true
    const had = positions.get(follower) ?? new Map<string, number>()
    positions.set(follower, had)
    let found = false
    for (const part of id.split(',')) {
      const colon = part.lastIndexOf(':')
      const topic = part.slice(0, Math.max(colon, 0))
      const position = Number(part.slice(colon + 1))
      if (position <= (had.get(topic) ?? -1)) continue
      had.set(topic, position)
      found = true
    }
    return found
  }

  return {
    follow(follower) {
      const known = all.get(follower.address)
      const followed: Followed = known ?? { followers: new Set(), lastId: '', isAlone: false }
      followed.followers.add(follower)
      const since = follower.since?.()
      if (since !== undefined) {
        resumed.add(follower)
        positions.set(follower, new Map([['', since]]))
      }
      all.set(follower.address, followed)
      if (!follower.address.startsWith('/api/') || followed.isAlone) openAlone(follower.address, followed)
      else plan(TOGETHER_MS)
      return () => {
        followed.followers.delete(follower)
        positions.delete(follower)
        if (followed.followers.size > 0) return
        if (followed.isAlone) {
          followed.source?.close()
          all.delete(follower.address)
          // Other streams continue undisturbed; an unused connection is closed after a while.
        } else if ([...all.values()].every(({ followers, isAlone }) => isAlone || followers.size === 0)) plan(LINGER_MS)
      }
    },
  }
}
