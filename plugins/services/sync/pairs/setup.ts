// Pairs in plans of several services: proposes new pairs, and pairs with another account, and stores them in one write.
import {
  type AccountName,
  type Feature,
  FEATURES,
  isPlayheadError,
  isSameAccount,
  joinedSetup,
  type PairMode,
  type ProviderDescription,
  type Replacement,
  type SetupChange,
  type SetupEntry,
  type SetupPart,
  type SetupProposal,
  type SetupRefusal,
  setupStateOf,
  type SetupValues,
  type SetupWish,
} from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import { assertRemovable, type PairChanges } from './changes.ts'
import { endsOf, type Pair } from './pair.ts'
import { isSameWay, nameOf, type ServiceLabel } from './pairs.ts'

const ENDS = ['source', 'source_instance', 'target', 'target_instance'] as const
const ON = { enabled: true }
const OFF = { enabled: false }

type PairWish = Extract<SetupWish, { readonly kind: 'pair' }>

interface World {
  readonly providers: readonly ProviderDescription[]
  readonly labels: readonly ServiceLabel[]
}

interface SetupParts {
  readonly changes: PairChanges
  world(): Promise<World>
}

export function createPairSetup({ changes: deps, world }: SetupParts): SetupPart {
  const { pairs } = deps

  async function meetOne(wish: PairWish, { providers, labels }: World): Promise<SetupProposal> {
    const [source, target] = [wish.source, wish.target].map(({ provider }) => find(providers, provider))
    const isTwoWay = wish.mode === 'two_way' && source?.bidirectional === true && target?.bidirectional === true
    const mode: PairMode = isTwoWay ? 'two_way' : 'one_way'
    const ends = { source: wish.source, target: wish.target }
    const refuse = (reason: string, features?: readonly Feature[]): SetupRefusal => ({
      ...{ kind: 'pair', label: pairName(ends, mode, labels), ...ends, mode: wish.mode, reason },
      ...(features === undefined ? {} : { features }),
    })
    const own = pairs.list().filter(({ owner }) => owner === undefined)
    const once = wish.once === true ? { once: true as const } : {}
    const asked = { ...wireEnds(ends), mode }
    const same =
      own.find((pair) => isSameWay(pair, asked as Pair)) ??
      own.find(
        (pair) => wish.mode === 'two_way' && pair.enabled && joins(pair, wish.source) && joins(pair, wish.target),
      )
    if (same !== undefined)
      return same.enabled
        ? { changes: [], kept: [entryOf(same)], refused: [] }
        : { changes: [{ ...switched(same, true), ...once, pair: { id: same.id } }], kept: [], refused: [] }
    const features = wish.features.filter((feature) => canSync(feature, source, target, mode))
    const left = wish.features.filter((feature) => !features.includes(feature))
    const refused = [
      ...(wish.mode === mode ? [] : [refuse('one_way_only')]),
      ...(left.length === 0 ? [] : [refuse('unsupported', left)]),
    ]
    if (features.length === 0) return { changes: [], kept: [], refused }
    const pair = await pairs.checked({
      ...asked,
      name: pairName(ends, mode, labels),
      enabled: true,
      features: Object.fromEntries(features.map((feature) => [feature, { enabled: true, add: true, remove: false }])),
    })
    return { changes: [{ ...made(pair), ...once }], kept: [], refused }
  }

  async function replaceOne(old: Pair, { from, to }: Replacement, known: World): Promise<SetupProposal> {
    const moved = movedEnds(old, from, to)
    // A pair of these two accounts has no successor.
    if (isSameAccount(moved.source, moved.target)) return { changes: [switched(old, false)], kept: [], refused: [] }
    const entry = { ...entryOf(old), ...moved }
    const [source, target] = [moved.source, moved.target].map(({ provider }) => find(known.providers, provider))
    const on = FEATURES.filter((feature) => old.features[feature]?.enabled === true)
    const kept = on.filter((feature) => canSync(feature, source, target, old.mode))
    const lost = on.filter((feature) => !kept.includes(feature) && feature !== 'playlists')
    const refused: SetupRefusal[] = lost.length === 0 ? [] : [{ ...entry, features: lost, reason: 'unsupported' }]
    const cannot = (reason: string) => ({ changes: [], kept: [], refused: [{ ...entry, reason }] })
    const isOneWayOnly = old.mode === 'two_way' && !(source?.bidirectional === true && target?.bidirectional === true)
    if (isOneWayOnly) return cannot('one_way_only')
    if (kept.length === 0) return cannot('unsupported')
    const asked = { ...wireEnds(moved), mode: old.mode }
    const same = pairs.list().find((pair) => pair.owner === undefined && isSameWay(pair, asked as Pair))
    if (same !== undefined) {
      const pair = { id: same.id, replaces: old.id }
      const stop = { ...switched(old, false), pair }
      return same.enabled
        ? { changes: [stop], kept: [entryOf(same)], refused }
        : { changes: [{ ...switched(same, true), pair }, stop], kept: [], refused }
    }
    try {
      const next = await pairs.checked({
        ...asked,
        name: renamed(old.name, from, to, known.labels) ?? pairName(moved, old.mode, known.labels),
        enabled: true,
        features: Object.fromEntries(kept.map((name) => [name, movedOptions(old.features[name]!, from, to)])),
        providers: withoutProvider(old.providers, from),
      })
      const change = { ...made(next), pair: { id: next.id, replaces: old.id } }
      return { changes: [change, switched(old, false)], kept: [], refused }
    } catch (error) {
      if (!isPlayheadError(error, 'PLH_CONFIG_INVALID')) throw error
      return cannot('invalid')
    }
  }

  return {
    async meet(wishes) {
      const known = await world()
      const own = wishes.filter((wish) => wish.kind === 'pair')
      return joinedSetup(await Promise.all(own.map((wish) => meetOne(wish, known))))
    },
    async replace(replacement) {
      const known = await world()
      const used = pairs
        .list()
        .filter((pair) => pair.owner === undefined && pair.enabled && joins(pair, replacement.from))
      return joinedSetup(await Promise.all(used.map((pair) => replaceOne(pair, replacement, known))))
    },
    states: async (changes) => changes.map((change) => pairState(change, pairs.list())),
    async apply(changes) {
      const before = pairs.list()
      const left = new Set(changed(changes, before).map(({ id }) => id))
      for (const pair of before) if (!left.has(pair.id)) await assertRemovable(pair, deps)
      await pairs.store((list) => changed(changes, list))
      // Also those that an earlier attempt removed.
      for (const { id, after } of changes) if (after === null && pairs.find(id) === undefined) await deps.purge(id)
      deps.changed('updated')
    },
  }
}

/** The list after those changes whose state is still `before`. */
function changed(changes: readonly SetupChange[], list: readonly Pair[]): readonly Pair[] {
  let now = [...list]
  for (const change of changes) {
    if (pairState(change, now) !== 'before') continue
    const { id, before, after, once } = change
    if (after === null) now = now.filter((pair) => pair.id !== id)
    else if (before !== null) now = now.map((pair) => (pair.id === id ? { ...pair, ...after } : pair))
    else now.splice(once === true ? 0 : now.length, 0, after as unknown as Pair)
  }
  return now
}

function pairState(change: SetupChange, list: readonly Pair[]) {
  const current = list.find(({ id }) => id === change.id)
  const state = setupStateOf(change, (current as unknown as SetupValues | undefined) ?? null, ENDS)
  const isTaken =
    change.before === null &&
    list.some((pair) => pair.owner === undefined && isSameWay(pair, change.after as unknown as Pair))
  return state === 'before' && isTaken ? 'other' : state
}

function find(providers: readonly ProviderDescription[], id: string): ProviderDescription | undefined {
  return providers.find((one) => one.id === id)
}

function canSync(
  feature: Feature,
  source: ProviderDescription | undefined,
  target: ProviderDescription | undefined,
  mode: Pair['mode'],
): boolean {
  const [a, b] = [source?.features[feature], target?.features[feature]]
  const writes = (one: typeof a) => one?.add === true || one?.update === true
  return a?.read === true && b?.read === true && writes(b) && (mode === 'one_way' || writes(a))
}

function joins(pair: Pair, account: AccountName): boolean {
  return Object.values(endsOf(pair)).some((end) => isSameAccount(end, account))
}

interface Ends {
  readonly source: AccountName
  readonly target: AccountName
}

function movedEnds(pair: Pair, from: AccountName, to: AccountName): Ends {
  const { a, b } = endsOf(pair)
  return { source: isSameAccount(a, from) ? to : a, target: isSameAccount(b, from) ? to : b }
}

function wireEnds({ source, target }: Ends) {
  return {
    ...{ source: source.provider, source_instance: source.instance },
    ...{ target: target.provider, target_instance: target.instance },
  }
}

function pairName({ source, target }: Ends, mode: Pair['mode'], labels: readonly ServiceLabel[]): string {
  const [a, b] = [source, target].map(({ provider, instance }) => nameOf(provider, instance, labels))
  return mode === 'two_way' ? `${a} and ${b}` : `${a} → ${b}`
}

/** The name of a pair with the other account; undefined if it does not name the old one. */
function renamed(name: string, from: AccountName, to: AccountName, labels: readonly ServiceLabel[]) {
  const [old, next] = [from, to].map(({ provider, instance }) => nameOf(provider, instance, labels))
  return name.includes(old!) ? name.replaceAll(old!, () => next!) : undefined
}

/** Options of a feature without what is particular to the old account. */
function movedOptions(options: object, from: AccountName, to: AccountName): Record<string, unknown> {
  const { mappings: _ofLists, libraries, source_of_truth: winner, ...rest } = options as Record<string, unknown>
  const chosen = isRecord(libraries) ? withoutProvider(libraries, from) : undefined
  return {
    ...rest,
    ...(winner === undefined ? {} : { source_of_truth: winner === from.provider ? to.provider : winner }),
    ...(chosen === undefined || Object.keys(chosen).length === 0 ? {} : { libraries: chosen }),
  }
}

function withoutProvider(byProvider: Pair['providers'], { provider }: AccountName): Record<string, never> {
  const left = Object.entries(byProvider ?? {}).filter(([name]) => name.split('@')[0]!.toUpperCase() !== provider)
  return Object.fromEntries(left) as Record<string, never>
}

function entryOf(pair: Pair): SetupEntry {
  const { a, b } = endsOf(pair)
  const features = FEATURES.filter((feature) => pair.features[feature]?.enabled === true)
  return { kind: 'pair', id: pair.id, label: pair.name, source: a, target: b, mode: pair.mode, features }
}

function made(pair: Pair): SetupChange {
  return {
    ...entryOf(pair),
    action: 'make',
    before: null,
    after: pair as unknown as SetupValues,
    pair: { id: pair.id },
  }
}

function switched(pair: Pair, isOn: boolean): SetupChange {
  const action = isOn ? ('start' as const) : ('stop' as const)
  return { ...entryOf(pair), action, before: isOn ? OFF : ON, after: isOn ? ON : OFF }
}
