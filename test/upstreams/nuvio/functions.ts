// The functions of the service. A function is selected by its name and argument names, as PostgREST does.
import type { UpstreamReply } from '../base/index.ts'
import { pollLogin, startLogin } from './auth.ts'
import { ok, raise, Refusal, VOID } from './replies.ts'
import { type Account, drop, keyOf, put, type Row, type State, TABLE_NAMES, tableOf, type TableName } from './state.ts'

export interface Call {
  readonly state: State
  readonly args: Row
  /** Throws for an anonymous session. */
  readonly account: () => Account
}

interface Fn {
  readonly names: readonly string[]
  readonly has?: (state: State) => boolean
  readonly run: (call: Call) => UpstreamReply
}

const LIBRARY_MOST = 500
const PROGRESS_MOST_WITHOUT_SINCE = 200
const DELTA_MOST = 1_000
const COUNTED = { library: 'library_items', watched: 'watched_items', progress: 'watch_progress' } as const
const MOVE_MS = 15_000
const LATER_MS = 30_000
const COMPLETE = 0.9
const LEAST_COMPLETE_MS = 60_000
const DAY_MS = 86_400_000

const single = ({ abilities }: State) => abilities.singleRows
const deltas = ({ abilities }: State) => abilities.deltas

const FUNCTIONS: Readonly<Record<string, Fn>> = {
  health_ping: { names: [], run: () => ok(true) },
  start_tv_login_session: {
    names: ['p_device_nonce', 'p_redirect_base_url', 'p_device_name'],
    run: ({ state, args }) => startLogin(state, args),
  },
  poll_tv_login_session: { names: ['p_code', 'p_device_nonce'], run: ({ state, args }) => pollLogin(state, args) },
  sync_pull_profiles: {
    names: [],
    run: ({ account }) => ok(account().people.map((person) => personRow(account(), person))),
  },
  get_sync_overview: {
    names: [],
    has: ({ abilities }) => abilities.overview,
    run: ({ account }) => ok(overview(account())),
  },

  sync_pull_library: { names: ['p_profile_id', 'p_limit', 'p_offset'], run: pullLibrary },
  sync_push_library_items: { names: ['p_profile_id', 'p_items'], has: single, run: (call) => pushLibrary(call, false) },
  sync_push_library: { names: ['p_profile_id', 'p_items'], run: (call) => pushLibrary(call, true) },
  sync_delete_library_items: {
    names: ['p_profile_id', 'p_keys'],
    has: single,
    run: (call) => remove(call, 'library', (key) => keyOf('library', key as Row)),
  },
  sync_get_library_delta_cursor: { names: ['p_profile_id'], has: deltas, run: (call) => cursor(call, 'library') },
  sync_pull_library_delta: {
    names: ['p_profile_id', 'p_since_event_id', 'p_limit'],
    has: deltas,
    run: (call) => delta(call, 'library'),
  },

  sync_pull_watched_items: { names: ['p_profile_id', 'p_page', 'p_page_size'], run: pullWatched },
  sync_push_watched_items: { names: ['p_profile_id', 'p_items'], run: pushWatched },
  sync_delete_watched_items: {
    names: ['p_profile_id', 'p_keys'],
    run: (call) => remove(call, 'watched', (key) => keyOf('watched', key as Row)),
  },
  sync_get_watched_items_delta_cursor: { names: ['p_profile_id'], has: deltas, run: (call) => cursor(call, 'watched') },
  sync_pull_watched_items_delta: {
    names: ['p_profile_id', 'p_since_event_id', 'p_limit'],
    has: deltas,
    run: (call) => delta(call, 'watched'),
  },

  sync_pull_watch_progress: { names: ['p_profile_id', 'p_since_last_watched', 'p_limit'], run: pullProgress },
  sync_push_watch_progress: { names: ['p_profile_id', 'p_entries'], run: pushProgress },
  sync_delete_watch_progress: { names: ['p_profile_id', 'p_keys'], run: (call) => remove(call, 'progress', String) },
  sync_get_watch_progress_delta_cursor: {
    names: ['p_profile_id'],
    has: deltas,
    run: (call) => cursor(call, 'progress'),
  },
  sync_pull_watch_progress_delta: {
    names: ['p_profile_id', 'p_since_event_id', 'p_limit'],
    has: deltas,
    run: (call) => delta(call, 'progress'),
  },
}
const WRITES = /^sync_(?:push|delete)_/

export function callFunction(name: string, call: Call): UpstreamReply {
  const { state, args } = call
  const fn = FUNCTIONS[name]
  const given = Object.keys(args)
  const origin = args['p_origin_client_id']
  const takesOrigin = WRITES.test(name) && state.abilities.origin
  const named = given.filter((one) => !(takesOrigin && one === 'p_origin_client_id'))
  const isKnown =
    fn !== undefined &&
    fn.has?.(state) !== false &&
    named.length === fn.names.length &&
    named.every((one) => fn.names.includes(one))
  if (!isKnown) {
    throw new Refusal(
      404,
      'PGRST202',
      `Could not find the function public.${name}(${given.toSorted().join(', ')}) in the schema cache`,
    )
  }
  if (origin !== undefined && !/^[\w-]{16,96}$/.test(String(origin))) throw new Refusal(400, '22023', 'invalid origin')
  if (origin !== undefined) state.origins.add(String(origin))
  return fn.run(call)
}

function personRow({ id, name: owner }: Account, { index, name, locked }: Account['people'][number]) {
  return {
    id: `${owner}-profile-${index}`,
    user_id: id,
    profile_index: index,
    name,
    avatar_color_hex: '#1E88E5',
    uses_primary_addons: index > 1,
    uses_primary_plugins: false,
    avatar_id: null,
    pin_enabled: locked,
    pin_locked_until: null,
  }
}

function overview(account: Account) {
  const counts: Record<string, Record<string, number>> = { profiles: {} }
  for (const name of TABLE_NAMES) {
    counts[COUNTED[name]] = Object.fromEntries(
      [1, 2, 3, 4, 5, 6].flatMap((profile) => {
        const { size } = tableOf(account, profile, name).rows
        return size === 0 ? [] : [[String(profile), size]]
      }),
    )
  }
  return counts
}

function profileOf({ args, account }: Call): number {
  const { people } = account()
  const index = args['p_profile_id']
  const isThere = people.length === 0 ? index === 1 : people.some((person) => person.index === index)
  return isThere ? (index as number) : raise('Invalid profile id')
}

function rowsOf(call: Call, name: TableName): Row[] {
  return [...tableOf(call.account(), profileOf(call), name).rows.values()]
}

function pullLibrary(call: Call): UpstreamReply {
  const limit = Math.min(Number(call.args['p_limit']), LIBRARY_MOST, call.state.abilities.mostRows)
  const offset = Number(call.args['p_offset'])
  return ok(
    rowsOf(call, 'library')
      .toSorted((a, b) => Number(b['added_at']) - Number(a['added_at']))
      .slice(offset, offset + limit),
  )
}

function pullWatched(call: Call): UpstreamReply {
  const size = Math.min(Number(call.args['p_page_size']), call.state.abilities.mostRows)
  const from = (Number(call.args['p_page']) - 1) * size
  return ok(
    rowsOf(call, 'watched')
      .toSorted((a, b) => Number(b['watched_at']) - Number(a['watched_at']))
      .slice(from, from + size),
  )
}

function pullProgress(call: Call): UpstreamReply {
  const since = call.args['p_since_last_watched']
  const rows = rowsOf(call, 'progress').toSorted((a, b) => Number(b['last_watched']) - Number(a['last_watched']))
  const limit = Math.min(Number(call.args['p_limit']), call.state.abilities.mostRows)
  if (since === null) return ok(rows.slice(0, Math.min(limit, PROGRESS_MOST_WITHOUT_SINCE)))
  return ok(rows.filter((row) => Number(row['last_watched']) > Number(since)).slice(0, limit))
}

function pushLibrary(call: Call, isReplacement: boolean): UpstreamReply {
  const { state, args, account } = call
  const profile = profileOf(call)
  const items = checked(args['p_items'])
  if (isReplacement) {
    const kept = new Set(items.map((row) => keyOf('library', row)))
    for (const key of [...tableOf(account(), profile, 'library').rows.keys()])
      if (!kept.has(key)) drop(state, account(), profile, 'library', key)
  }
  for (const row of items) put(state, account(), profile, 'library', row)
  return VOID
}

function pushWatched(call: Call): UpstreamReply {
  const { state, args, account } = call
  const profile = profileOf(call)
  for (const row of checked(args['p_items'])) put(state, account(), profile, 'watched', row)
  return VOID
}

function pushProgress(call: Call): UpstreamReply {
  const { state, args, account } = call
  const profile = profileOf(call)
  for (const row of checked(args['p_entries'])) {
    const {
      content_id,
      content_type,
      season,
      episode,
      position,
      duration,
      last_watched: at,
    } = row as Record<string, any>
    const stored = tableOf(account(), profile, 'progress').rows.get(keyOf('progress', row)) as
      | Record<string, any>
      | undefined
    const isComplete = duration >= LEAST_COMPLETE_MS && position >= duration * COMPLETE
    const crosses = isComplete && stored !== undefined && stored['position'] < duration * COMPLETE
    const moves =
      stored === undefined ||
      Math.abs(position - stored['position']) >= MOVE_MS ||
      at >= stored['last_watched'] + LATER_MS
    if (moves || crosses) put(state, account(), profile, 'progress', { ...row, progress_key: keyOf('progress', row) })
    if (!isComplete) continue
    const isPlausible = at >= Date.UTC(2000, 0, 1) && at <= state.nowMs() + DAY_MS
    const watched = {
      content_id,
      content_type,
      title: '',
      season,
      episode,
      watched_at: isPlausible ? at : state.nowMs(),
    }
    put(state, account(), profile, 'watched', watched)
  }
  return VOID
}

function remove(call: Call, name: TableName, keyFor: (key: unknown) => string): UpstreamReply {
  const profile = profileOf(call)
  for (const key of call.args['p_keys'] as unknown[]) drop(call.state, call.account(), profile, name, keyFor(key))
  return VOID
}

function cursor(call: Call, name: TableName): UpstreamReply {
  return ok(tableOf(call.account(), profileOf(call), name).events.at(-1)?.id ?? 0)
}

function delta(call: Call, name: TableName): UpstreamReply {
  const { p_since_event_id: since, p_limit: limit } = call.args
  const events = tableOf(call.account(), profileOf(call), name).events.filter(({ id }) => id > Number(since))
  return ok(
    events
      .slice(0, Math.min(Number(limit), DELTA_MOST))
      .map(({ id, operation, row }) => ({ event_id: id, operation, ...row })),
  )
}

/** A call is one transaction, so a bad row rejects all rows. */
function checked(rows: unknown): Row[] {
  const list = rows as Row[]
  for (const { content_id: id, content_type: type } of list) {
    if (typeof id !== 'string' || (type !== 'movie' && type !== 'series' && type !== 'channel'))
      throw new Refusal(400, '22023', 'invalid row')
    if (id.startsWith('tt666')) throw new Refusal(422, '22023', 'this one is refused')
  }
  return list
}
