// Lists at two accounts, people who edit them, and services with different id support. The tests use film numbers; the policy
// sees only entries with ids.
import type {
  DirectInput,
  ListEntry,
  ListPlan,
  MappingOutcome,
  MappingPlan,
  MassDeleteGuard,
  NextState,
  PartitionInput,
  PartitionRules,
  ReadList,
} from '@playhead/sdk'
import { formatKey, type Ids, type Item, keyOf } from '@playhead/sdk/items'
import { createPlaylistPolicy } from '../../../../plugins/features/playlists/policy.ts'

export const policy = createPlaylistPolicy()
export const START_MS = Date.UTC(2026, 5, 1)
export const HOUR_MS = 3_600_000
export const FREE: MassDeleteGuard = { min: 3, ratio: 1, approved: true }
export const STRICT: MassDeleteGuard = { min: 3, ratio: 0.1, approved: false }
export const NEVER: NextState = { managed: [], refused: [], last: null }

/** The ids of a film that an account shows: one bit each for tmdb, imdb, tvdb. */
export type Shown = number

interface Shelf {
  readonly film: number
  readonly entry: string
}

export interface FakeList {
  readonly id: string
  shelves: Shelf[]
  duplicates: boolean
  /** The service assigns entry ids. */
  entryIds: boolean
  canAdd: boolean
  canRemove: boolean
  canMove: boolean
  /** Films whose entries the service shows without any identity. */
  hides: Set<number>
  /** Films that the service refuses, with the reason. */
  refuses: Map<number, string>
  /** Whether the n-th write of a run is lost, and whether the service executed it nevertheless. */
  luck: (n: number) => 'done' | 'lost' | 'lost_but_done'
  /** Number of writes so far. */
  calls: number
  shows: (film: number) => Shown
}

let lastEntry = 0

export function listOf(id: string, films: readonly number[], more: Partial<FakeList> = {}): FakeList {
  return {
    id,
    shelves: films.map(shelf),
    duplicates: false,
    entryIds: true,
    canAdd: true,
    canRemove: true,
    canMove: true,
    refuses: new Map(),
    hides: new Set(),
    luck: () => 'done',
    calls: 0,
    shows: () => 7,
    ...more,
  }
}

export function shelf(film: number): Shelf {
  lastEntry += 1
  return { film, entry: `e${lastEntry}` }
}

export const filmsIn = ({ shelves }: Pick<FakeList, 'shelves'>): readonly number[] => shelves.map(({ film }) => film)
export const setOf = (list: Pick<FakeList, 'shelves'>): ReadonlySet<number> => new Set(filmsIn(list))
export const sorted = (films: Iterable<number>): readonly number[] => [...films].sort((a, b) => a - b)

/** Ids of a film as an account shows them; none for 0. */
function idsOf(film: number, shown: Shown): Ids {
  const n = film + 100
  return {
    ...(shown & 1 ? { tmdb: `${n}` } : {}),
    ...(shown & 2 ? { imdb: `tt${n}` } : {}),
    ...(shown & 4 ? { tvdb: `${n + 1_000}` } : {}),
  }
}

export function itemOf(film: number, shown: Shown = 7): Item {
  return { type: 'movie', title: `Film ${film}`, year: 2_000, ids: idsOf(film, shown) }
}

/** The film that a service finds for an item; undefined without ids. */
export function filmOf({ ids }: Item): number | undefined {
  const id = ids.tmdb ?? ids.imdb?.slice(2) ?? (ids.tvdb === undefined ? undefined : `${Number(ids.tvdb) - 1_000}`)
  return id === undefined ? undefined : Number(id) - 100
}

export function read(list: FakeList): ReadList {
  const seen = new Map<string, number>()
  const readable = list.shelves.filter(({ film }) => !list.hides.has(film))
  const entries = readable.map(({ film, entry }): ListEntry => {
    const item = itemOf(film, list.shows(film))
    const key = keyOf(item)
    if (!key.ok) throw new Error(key.reason)
    const name = formatKey(key.value)
    const copy = (seen.get(name) ?? 0) + 1
    seen.set(name, copy)
    return {
      key: copy === 1 ? name : `${name}#${copy}`,
      item: list.entryIds ? { ...item, native: { list_item_id: entry } } : item,
    }
  })
  const { id, duplicates, canAdd, canRemove, canMove } = list
  const unreadable = list.shelves.length - readable.length
  return { id, entries, unreadable, kinds: ['movie'], duplicates, canAdd, canRemove, canMove }
}

/** Applies a plan as a provider does. */
export function write(list: FakeList, plan: ListPlan): MappingOutcome {
  const readable = list.shelves.filter(({ film }) => !list.hides.has(film))
  const before = new Map(read(list).entries.map(({ key }, index) => [key, readable[index]!]))
  const done = { adds: [] as string[], removes: [] as string[] }
  const refused: { key: string; reason: string }[] = []
  const placed = new Map(before)
  let n = 0
  const attempt = (does: () => void, tell: () => void) => {
    list.calls += 1
    const luck = list.luck(n++)
    if (luck !== 'lost') does()
    if (luck === 'done') tell()
  }
  for (const { key } of plan.removes) {
    const gone = before.get(key)
    if (gone === undefined) throw new Error(`${key} is not in the list`)
    attempt(
      () => (list.shelves = list.shelves.filter((one) => one !== gone)),
      () => done.removes.push(key),
    )
  }
  for (const { key, item } of plan.adds) {
    if (before.has(key)) throw new Error(`${key} is the key of an entry`)
    const film = filmOf(item)
    if (film === undefined) throw new Error('written by title alone')
    const reason = list.refuses.get(film)
    if (reason !== undefined) {
      list.calls += 1
      refused.push({ key, reason })
      continue
    }
    attempt(
      () => {
        if (!list.duplicates && list.shelves.some((one) => one.film === film)) return
        const one = shelf(film)
        list.shelves = [...list.shelves, one]
        placed.set(key, one)
      },
      () => done.adds.push(key),
    )
  }
  if (plan.order !== null) {
    if (new Set(plan.order).size < plan.order.length) throw new Error('a key twice in the order')
    list.calls += plan.moves
    const inOrder = plan.order.flatMap((key) => placed.get(key) ?? []).filter((one) => list.shelves.includes(one))
    list.shelves = [...inOrder, ...list.shelves.filter((one) => !inOrder.includes(one))]
  }
  return { list: list.id, done, refused }
}

export interface World {
  readonly source: FakeList
  readonly targets: readonly FakeList[]
  state: NextState
  nowMs: number
  guard: MassDeleteGuard
  /** The list is read again after the writes. */
  readsAfter: boolean
}

export function worldOf(source: FakeList, targets: readonly FakeList[], more: Partial<World> = {}): World {
  return { source, targets, state: NEVER, nowMs: START_MS, guard: FREE, readsAfter: true, ...more }
}

export type Mapping = Pick<DirectInput, 'membership' | 'order'> | PartitionRules

export function inputOf(world: World, mapping: Mapping): DirectInput | PartitionInput {
  const { state, nowMs, guard, source, targets } = world
  const common = { ...state, within: 'anywhere' as const, nowMs, guard, source: read(source) }
  if ('direction' in mapping) return { ...common, targets: targets.map(read), rules: mapping }
  return { ...common, target: read(targets[0]!), ...mapping }
}

export function planFor(input: DirectInput | PartitionInput): Promise<MappingPlan> {
  return 'target' in input ? policy.planDirect(input) : policy.planPartition(input)
}

/** One run: plan, write, read again, store. Returns the plan. */
export async function run(world: World, mapping: Mapping): Promise<MappingPlan> {
  const input = inputOf(world, mapping)
  const plan = await planFor(input)
  const lists = [world.source, ...world.targets]
  const plans = [plan.source, ...plan.targets]
  const outcomes = plan.refused === null ? lists.map((list, index) => write(list, plans[index]!)) : []
  const after = world.readsAfter && plan.refused === null ? lists.map(read) : []
  world.state = await policy.next(input, plan, outcomes, after)
  return plan
}

export const sizeOf = ({ source, targets }: MappingPlan): number =>
  [source, ...targets].reduce((sum, { adds, removes, moves }) => sum + adds.length + removes.length + moves, 0)

/** A plan as film numbers. */
export function outline(plan: MappingPlan): unknown {
  const lists = [plan.source, ...plan.targets].map(({ list, adds, removes, moves, blocked, leftOut }) => ({
    list,
    adds: adds.map(({ item }) => filmOf(item)),
    removes: removes.map(({ item }) => filmOf(item)),
    moves,
    blocked,
    leftOut: leftOut.map(({ item, reason }) => `${item.title}: ${reason}`),
  }))
  return { refused: plan.refused, warnings: plan.warnings, lists }
}
