// Mappings of playlists in plans of several services. A list that does not exist yet is created by the first run.
import {
  type AccountName,
  isSameAccount,
  joinedSetup,
  type List,
  type ProviderDescription,
  type Replacement,
  type SetupChange,
  type SetupPart,
  type SetupProposal,
  type SetupRefusal,
  setupStateOf,
  type SetupWish,
} from '@playhead/sdk'
import { pairIdOf } from '../pairs.ts'
import type { Parts } from '../parts.ts'
import { type Endpoint, LIST_KINDS, type Mapping, type PlaylistsConfig } from '../settings.ts'
import { createIds, usersOf } from './changes.ts'
import { factsOf, supportOf } from './lists.ts'
import { checkMapping, isMirror, resolveMapping } from './mappings.ts'
import { toName, uniqueName } from './names.ts'
import { conflict } from './refusals.ts'

/** Lists of one account that a plan takes. */
const MAX_LISTS = 20
const ENDS = ['source_endpoint', 'target_endpoints'] as const

type ListWish = Extract<SetupWish, { readonly kind: 'playlists' }>
/** The values of a new mapping, with the endpoints that it needs. */
type NewMapping = Mapping & { readonly endpoints: readonly Endpoint[] }

interface SetupParts {
  readonly parts: Parts
  isRunning(mappingId: string): boolean
  /** Updates the pairs and states of mappings that were added, changed or removed. */
  follow(ids: readonly string[]): Promise<void>
}

export function createPlaylistSetup({ parts, isRunning, follow }: SetupParts): SetupPart {
  const stateOf = (change: SetupChange, config: PlaylistsConfig) => {
    const current = config.mappings.find(({ id }) => id === change.id)
    const state = setupStateOf(change, current ?? null, ENDS)
    return state === 'before' && change.before === null && !fits(change.after as unknown as NewMapping, config)
      ? 'other'
      : state
  }
  return {
    async meet(wishes) {
      const asked = wishes.filter((wish) => wish.kind === 'playlists')
      if (asked.length === 0) return joinedSetup([])
      const plan = createPlan(parts.config(), await parts.accounts.providers())
      const found: SetupProposal[] = []
      for (const wish of asked) found.push(await meetOne(parts, plan, wish))
      return joinedSetup(found)
    },
    async replace(replacement) {
      const plan = createPlan(parts.config(), await parts.accounts.providers())
      const { mappings } = parts.config()
      return joinedSetup(mappings.filter(({ enabled }) => enabled).map((one) => replaceOne(one, replacement, plan)))
    },
    states: async (changes) => changes.map((change) => stateOf(change, parts.config())),
    async apply(changes) {
      const ids = changes.map(({ id }) => id)
      const running = changes.find(({ id, after }) => after === null && isRunning(id))
      if (running !== undefined)
        throw conflict('pair_running', 'The mapping is being run; wait for the run to end.', { mapping_id: running.id })
      // The maker of the plan asked about persons.
      await parts.change((config) => ({ change: changed(changes, config, stateOf), value: undefined }), true)
      await follow(ids)
    },
  }
}

type Plan = ReturnType<typeof createPlan>

/** Ids and endpoints of one plan: mappings of one list share its endpoint. */
function createPlan(config: PlaylistsConfig, providers: readonly ProviderDescription[]) {
  const ids = createIds(config)
  const made: Endpoint[] = []
  const find = (account: AccountName, isThis: (endpoint: Endpoint) => boolean) =>
    [...config.endpoints, ...made].find((one) => isSameAccount(one, account) && isThis(one))
  const add = (endpoint: Endpoint) => {
    made.push(endpoint)
    return endpoint
  }
  return {
    config,
    /** The endpoint of a list that the account has. */
    existing(account: AccountName, list: List): Endpoint {
      const facts = factsOf(list, supportOf(describe(account), list.kind))
      return (
        find(account, ({ playlist_id: id }) => id === facts.playlist_id) ??
        add({ ...NO_FACTS, ...facts, ...account, id: ids.endpoint(), name: nameOf(list.title) })
      )
    },
    /** The endpoint of a list with this title, which the first run creates. Undefined: the account creates none. */
    planned(account: AccountName, title: string, wanted: Endpoint['playlist_type']): Endpoint | undefined {
      const known = find(account, (one) => one.playlist_name === title && one.can_add)
      if (known !== undefined) return known
      const description = describe(account)
      const kind = [wanted, ...LIST_KINDS].find((one) => supportOf(description, one)?.can.includes('create') === true)
      const support = kind === undefined ? undefined : supportOf(description, kind)
      if (kind === undefined || support === undefined) return undefined
      const facts = { ...factsOf({ ...support, id: '', kind, title }, support), playlist_id: '' }
      const waiting = { warnings: ['pending_create'], item_count: 0, made_by_run: true }
      return add({ ...NO_FACTS, ...facts, ...waiting, ...account, id: ids.endpoint(), name: nameOf(title) })
    },
    mapping: (fields: Omit<Mapping, 'id'>): NewMapping => {
      const used = [fields.source_endpoint, ...fields.target_endpoints]
      return { ...fields, id: ids.mapping(), endpoints: made.filter(({ id }) => used.includes(id)) }
    },
    endpoint: (id: string) => [...config.endpoints, ...made].find((one) => one.id === id),
  }

  function describe({ provider }: AccountName) {
    return providers.find(({ id }) => id === provider)
  }
}

const nameOf = (title: string) => toName(title) || 'List'
const NO_FACTS = { warnings: [], media_types: [] }
const PLAIN = { ruleset_id: '', membership: 'managed_only', order: 'ignore', enabled: true } as const

/** Each list of one account with the list of the same name at the other, which is created if there is none. */
async function meetOne(parts: Parts, plan: Plan, { source, target }: ListWish): Promise<SetupProposal> {
  const about = { kind: 'playlist', label: '', source, target }
  let lists: readonly (readonly List[])[]
  try {
    lists = await Promise.all([source, target].map((account) => parts.lists.all(account, parts.ctx.signal)))
  } catch (error) {
    parts.log.info({ err: error }, 'the lists for a plan could not be read')
    return { changes: [], kept: [], refused: [{ ...about, reason: 'unreadable' }] }
  }
  const [here, there] = lists.map((all) => all.filter(isOfPeople)) as [List[], List[]]
  const onlyThere = there.filter(({ title }) => !here.some((list) => list.title === title))
  const ways = [
    { from: source, to: target, lists: here, others: there },
    { from: target, to: source, lists: onlyThere, others: [] },
  ]
  return joinedSetup(
    ways.flatMap(({ from, to, lists: all, others }) => [
      ...all.slice(0, MAX_LISTS).map((list): SetupProposal => {
        const left = { ...about, label: list.title, source: from, target: to }
        const same = others.find(({ title }) => title === list.title)
        const ends = plan.existing(from, list)
        const end = same === undefined ? plan.planned(to, list.title, list.kind) : plan.existing(to, same)
        if (end === undefined) return { changes: [], kept: [], refused: [{ ...left, reason: 'no_lists' }] }
        const known = plan.config.mappings.find(
          (one) =>
            (one.source_endpoint === ends.id && one.target_endpoints.includes(end.id)) ||
            (one.source_endpoint === end.id && one.target_endpoints.includes(ends.id)),
        )
        if (known !== undefined) return { changes: [], kept: [{ ...left, id: known.id }], refused: [] }
        const fields = { name: nameOf(list.title), source_endpoint: ends.id, target_endpoints: [end.id], ...PLAIN }
        return { changes: [made(plan.mapping(fields), from, to)], kept: [], refused: [] }
      }),
      ...(all.length <= MAX_LISTS
        ? []
        : [{ changes: [], kept: [], refused: [{ ...about, source: from, target: to, reason: 'too_many' }] }]),
    ]),
  )
}

/** A list that people fill themselves, and that takes items. */
function isOfPeople({ kind, readOnly, can }: List): boolean {
  return kind !== 'status' && kind !== 'collection' && readOnly === undefined && can.includes('add')
}

function replaceOne(mapping: Mapping, { from, to }: Replacement, plan: Plan): SetupProposal {
  const ids = [mapping.source_endpoint, ...mapping.target_endpoints]
  const ends = ids.flatMap((id) => plan.config.endpoints.find((one) => one.id === id) ?? [])
  const old = ends.filter((end) => isSameAccount(end, from))
  if (old.length === 0 || ends.length < ids.length) return joinedSetup([])
  const accountOf = (id: string) => {
    const { provider = '', instance = '' } = plan.endpoint(id) ?? {}
    return { provider, instance }
  }
  const [source, target] = [mapping.source_endpoint, mapping.target_endpoints[0]!].map((id) => {
    const account = accountOf(id)
    return isSameAccount(account, from) ? to : account
  }) as [AccountName, AccountName]
  const entry = { kind: 'playlist', label: mapping.name, source, target }
  const cannot = (reason: string): SetupProposal => {
    const refused: SetupRefusal[] = [{ ...entry, reason }]
    return { changes: [], kept: [], refused }
  }
  // Between lists of these two accounts there is nothing left to sync.
  if (isSameAccount(source, target)) return { changes: [switched(mapping, entry)], kept: [], refused: [] }
  // The new list begins empty, and a mirror of it would empty the targets.
  if (old.some(({ id }) => id === mapping.source_endpoint) && mirrors(mapping, plan.config))
    return cannot('mirror_source')
  const successors = new Map<string, string>()
  const copies: SetupChange[] = []
  for (const end of old) {
    const next = plan.planned(to, end.playlist_name || end.name, end.playlist_type)
    if (next === undefined) return cannot('no_lists')
    successors.set(end.id, next.id)
    const name = uniqueName(end.name, 'copy', [])
    const fields = { ...PLAIN, name, source_endpoint: end.id, target_endpoints: [next.id] }
    const copy = plan.mapping({ ...fields, membership: 'add_only' })
    copies.push({ ...made(copy, from, to), once: true })
  }
  const movedTo = (id: string) => successors.get(id) ?? id
  const { id: _id, ...kept } = mapping
  const next = plan.mapping({
    ...kept,
    source_endpoint: movedTo(mapping.source_endpoint),
    target_endpoints: mapping.target_endpoints.map(movedTo),
  })
  const change = { ...made(next, source, target), pair: { id: pairIdOf(next.id), replaces: pairIdOf(mapping.id) } }
  return { changes: [...copies, change, switched(mapping, entry)], kept: [], refused: [] }
}

function mirrors(mapping: Mapping, config: PlaylistsConfig): boolean {
  try {
    return isMirror(mapping, resolveMapping(mapping, config).ruleset)
  } catch {
    return true
  }
}

function made(mapping: NewMapping, source: AccountName, target: AccountName): SetupChange {
  return {
    ...{ kind: 'playlist', id: mapping.id, label: mapping.name, source: accountOf(source), target: accountOf(target) },
    ...{ action: 'make', before: null, after: mapping, pair: { id: pairIdOf(mapping.id) } },
  }
}

function accountOf({ provider, instance }: AccountName): AccountName {
  return { provider, instance }
}

function switched({ id }: Mapping, entry: Omit<SetupRefusal, 'reason'>): SetupChange {
  return { ...entry, id, action: 'stop', before: { enabled: true }, after: { enabled: false } }
}

/** Whether the mapping can be added: its ids are free, or its endpoints exist already, and it is valid. */
function fits({ endpoints, ...mapping }: NewMapping, config: PlaylistsConfig): boolean {
  const isTaken = endpoints.some((endpoint) =>
    config.endpoints.some((one) => one.id === endpoint.id && !isSameAccount(one, endpoint)),
  )
  if (isTaken) return false
  try {
    checkMapping(mapping, mapping.id, { ...config, endpoints: withEndpoints(config.endpoints, endpoints) })
    return true
  } catch {
    return false
  }
}

function withEndpoints(all: readonly Endpoint[], added: readonly Endpoint[]): Endpoint[] {
  return [...all, ...added.filter(({ id }) => !all.some((one) => one.id === id))]
}

function changed(
  changes: readonly SetupChange[],
  config: PlaylistsConfig,
  stateOf: (change: SetupChange, config: PlaylistsConfig) => string,
): object {
  let now = config
  for (const change of changes) {
    if (stateOf(change, now) !== 'before') continue
    const { endpoints = [], ...mapping } = (change.after ?? change.before) as unknown as NewMapping
    if (change.before === null)
      now = { ...now, endpoints: withEndpoints(now.endpoints, endpoints), mappings: [...now.mappings, mapping] }
    else if (change.after === null) {
      const mappings = now.mappings.filter(({ id }) => id !== change.id)
      const isUnused = ({ id }: Endpoint) =>
        endpoints.some((one) => one.id === id) && usersOf(id, { ...now, mappings }).length === 0
      now = { ...now, mappings, endpoints: now.endpoints.filter((endpoint) => !isUnused(endpoint)) }
    } else
      now = { ...now, mappings: now.mappings.map((one) => (one.id === change.id ? { ...one, ...change.after } : one)) }
  }
  return { endpoints: now.endpoints, mappings: now.mappings, last_ids: createIds(now).last }
}
