// Checks of an account's lists: ordered entries, no change of another list, and no short list after a failure.
import type { Item } from '../../../items/item.ts'
import { kindOf } from '../../../items/kind.ts'
import { DEFAULT_PROFILE } from '../../../provider/profiles/profile-ids.ts'
import type { WriteOutcome } from '../../../provider/writes/contract.ts'
import { FEATURES } from '../../../provider/features.ts'
import type {
  List,
  ListItem,
  ListKind,
  ListKindSupport,
  ListOp,
  ListProvider,
  ListWriteItem,
} from '../../../provider/lists/lists.ts'
import { type CollectedRead, collectRead } from '../../../provider/reads/collect-read.ts'
import type { Bench, Check, Subject } from '../contract.ts'
import { all, endText, Failure, isSameItem, LeftOut, must, mustSaySignedOut, needsService } from './support.ts'

const group = 'lists'
const COUNT = 3
const FAULTS = [{ kind: 'status', status: 500 }, { kind: 'html' }, { kind: 'empty' }, { kind: 'truncate' }] as const

const kindsOf = ({ description }: Subject, ...ops: readonly ListOp[]) =>
  (Object.entries(description.lists ?? {}) as [ListKind, ListKindSupport][]).filter(([, { can }]) =>
    ops.every((op) => can.includes(op)),
  )

const has =
  (...ops: readonly ListOp[]) =>
  (subject: Subject): true | string =>
    kindsOf(subject).length === 0
      ? 'it has no lists'
      : kindsOf(subject, ...ops).length > 0 || `no list of it can ${ops.join(' and ')}`

const listsOf = ({ provider }: Bench) => provider as unknown as ListProvider

/** Runs the check for each kind of list that supports all of `ops`, at a fresh simulator. */
async function eachKind(
  subject: Subject,
  ops: readonly ListOp[],
  check: (bench: Bench, kind: ListKind, support: ListKindSupport) => Promise<void>,
): Promise<undefined> {
  for (const [kind, support] of kindsOf(subject, ...ops)) {
    await using bench = await subject.open()
    if (bench.simulator.isRecorded === true) throw new LeftOut('a recorded account takes no writes')
    try {
      await check(bench, kind, support)
    } catch (error) {
      throw error instanceof Failure ? new Failure(`${kind}: ${error.message}`) : error
    }
  }
}

/** More items than the list gets, of kinds that it accepts. */
async function itemsFor({ simulator, provider }: Bench, kind: ListKind, { kinds }: ListKindSupport) {
  const own = await simulator.listItems?.(0, kind, COUNT + 1)
  if (own !== undefined) return own
  const { features } = await provider.describe()
  for (const feature of FEATURES) {
    if (features[feature]?.read !== true) continue
    const fit = (await simulator.fresh(feature, COUNT * 4)).filter((item) => kinds.includes(kindOf(item)))
    if (fit.length >= COUNT) return fit
  }
  throw new LeftOut(`its stand-in has no items for a list of ${kinds.join(', ')}`)
}

interface Filled {
  readonly list: List
  readonly items: readonly [Item, Item, Item]
}

/** A new list, or the first writable one, with three of the items of its kinds. */
async function filled(
  bench: Bench,
  kind: ListKind,
  support: ListKindSupport,
  { title = 'Weekend', items }: { readonly title?: string; readonly items?: readonly Item[] } = {},
): Promise<Filled> {
  const api = listsOf(bench)
  const isNew = support.can.includes('create')
  const offered = items ?? (await itemsFor(bench, kind, support))
  const first = offered[0] as Item
  const list = isNew
    ? await api.createList(DEFAULT_PROFILE, { kind, title, kinds: support.kinds, first })
    : (await api.lists(DEFAULT_PROFILE)).find((one) => one.kind === kind && one.can.includes('add'))
  if (list === undefined) throw new LeftOut(`its stand-in has no list of the kind ${kind} that takes anything`)
  const wanted = offered.filter((item) => list.kinds.includes(kindOf(item))).slice(0, COUNT)
  must(wanted.length === COUNT, `its stand-in has only ${wanted.length} items of ${list.kinds.join(', ')}`)
  // Some services create no list without an entry.
  const begun = isNew ? (await entriesOf(bench, list)).rows.length : 0
  // Services may store the items of one batch in any order.
  const batches = list.ordered ? wanted.slice(begun).map((item) => [item]) : [wanted.slice(begun)]
  for (const batch of batches) {
    const outcomes = await write(bench, list, 'add', batch, support)
    must(
      outcomes.every(({ outcome }) => outcome === 'applied'),
      `what is added is told as ${outcomes.map(({ outcome, reason = '' }) => `${outcome} ${reason}`).join(', ')}`,
    )
  }
  return { list: await found(bench, list), items: wanted as unknown as Filled['items'] }
}

async function found(bench: Bench, { id, kind }: List): Promise<List> {
  const list = (await listsOf(bench).lists(DEFAULT_PROFILE)).find((one) => one.id === id && one.kind === kind)
  must(list !== undefined, 'the list is not among those of the account')
  return list
}

const entriesOf = (bench: Bench, list: List): Promise<CollectedRead<ListItem>> =>
  collectRead(listsOf(bench).readList(DEFAULT_PROFILE, { list }))

async function write(
  bench: Bench,
  list: List,
  op: 'add' | 'remove' | 'move',
  items: readonly (Item | Omit<ListWriteItem, 'key'>)[],
  { losses, exclusive = [] }: ListKindSupport,
): Promise<readonly WriteOutcome[]> {
  const { outcomes } = await listsOf(bench).writeList(DEFAULT_PROFILE, {
    list,
    op,
    items: items.map((item, index) => ({ key: `k${index}`, ...('item' in item ? item : { item }) })),
    confirm: [...(losses?.[op] ?? []), ...exclusive],
  })
  must(outcomes.length === items.length, `${items.length} items have ${outcomes.length} outcomes`)
  return outcomes
}

/** The list has exactly these items, in this order if it is ordered. */
async function mustHold(bench: Bench, list: List, items: readonly Item[], what: string): Promise<readonly ListItem[]> {
  const { rows, end } = await entriesOf(bench, list)
  must(end.complete, `${what}: the read is ${endText(end)}`)
  must(rows.length === items.length, `${what}: ${rows.length} entries are read, not ${items.length}`)
  for (const [index, item] of items.entries()) {
    const at = rows.findIndex((row) => isSameItem(row, item))
    must(at >= 0, `${what}: ${JSON.stringify(item.ids)} is not in the list`)
    must(!list.ordered || at === index, `${what}: entry ${index + 1} stands at ${at + 1}`)
  }
  return rows
}

export const lists: readonly Check[] = [
  {
    id: 'lists.entries',
    group,
    title: 'what is added to a list is in it, in its order; what is removed is gone, and nothing else',
    points: 3,
    applies: has('add'),
    run: (subject) =>
      eachKind(subject, ['add'], async (bench, kind, support) => {
        const { list, items } = await filled(bench, kind, support)
        const [one, , three] = items
        const rows = await mustHold(bench, list, items, 'after adding')
        if (list.count !== undefined) must(list.count === COUNT, `the list is told to have ${list.count} entries`)
        if (!support.can.includes('remove')) return
        const second = rows.find((row) => isSameItem(row, items[1])) as ListItem
        const outcomes = await write(bench, list, 'remove', [{ item: second, current: second }], support)
        must(outcomes[0]?.outcome === 'applied', `what is removed is told as ${outcomes[0]?.outcome}`)
        await mustHold(bench, list, [one, three], 'after removing')
      }),
  },
  {
    id: 'lists.moved',
    group,
    title: 'an entry that is moved stands where it was moved to, and the others keep their order',
    points: 2,
    applies: has('add', 'move'),
    run: (subject) =>
      eachKind(subject, ['add', 'move'], async (bench, kind, support) => {
        const { list, items } = await filled(bench, kind, support)
        const [one, two, three] = items
        const rows = await mustHold(bench, list, items, 'before the move')
        const outcomes = await write(bench, list, 'move', [{ item: rows[2] as ListItem, after: null }], support)
        must(outcomes[0]?.outcome === 'applied', `the move is told as ${outcomes[0]?.outcome}`)
        await mustHold(bench, list, [three, one, two], 'after the move')
      }),
  },
  {
    id: 'lists.own',
    group,
    title: 'a list is renamed, cleared and deleted, and no other with it',
    points: 3,
    applies: has('create'),
    run: (subject) =>
      eachKind(subject, ['create'], async (bench, kind, support) => {
        const api = listsOf(bench)
        const { can, losses } = support
        // The lists share two entries.
        const shared = await itemsFor(bench, kind, support)
        const kept = await filled(bench, kind, support, { title: 'Kept', items: shared })
        const { list, items } = await filled(bench, kind, support, { title: 'Weekend', items: shared.slice(1) })
        must(list.id !== kept.list.id, 'two lists have one id')
        const others = () => mustHold(bench, kept.list, kept.items, 'the other list')
        let now = list
        if (can.includes('rename')) {
          await api.renameList(DEFAULT_PROFILE, now, 'Weekdays')
          now = await found(bench, now)
          must(now.title === 'Weekdays', `the list that was renamed is told as ${JSON.stringify(now.title)}`)
        }
        must((await found(bench, kept.list)).title === 'Kept', 'the other list has another title')
        if (can.includes('clear')) {
          await api.clearList(DEFAULT_PROFILE, { list: now, count: items.length, confirm: losses?.clear ?? [] })
          const left = await api.lists(DEFAULT_PROFILE)
          // Some services delete an empty list.
          const same = left.find(({ id }) => id === now.id)
          if (same !== undefined) await mustHold(bench, same, [], 'the list that was cleared')
          await others()
        }
        const left = (await api.lists(DEFAULT_PROFILE)).find(({ id }) => id === now.id)
        if (can.includes('delete') && left !== undefined) {
          const { rows } = await entriesOf(bench, left)
          await api.deleteList(DEFAULT_PROFILE, { list: left, count: rows.length, confirm: losses?.delete ?? [] })
          const after = await api.lists(DEFAULT_PROFILE)
          must(!after.some(({ id }) => id === now.id), 'the list that was deleted is still there')
        }
        await others()
      }),
  },
  {
    id: 'lists.failing',
    group,
    title: 'a failing service is never reported as one without lists, nor a list as shorter than it is',
    points: 3,
    applies: all(has(), needsService),
    run: (subject) =>
      eachKind(subject, ['add'], async (bench, kind, support) => {
        const { list } = await filled(bench, kind, support)
        for (const fault of FAULTS) {
          bench.fault(fault)
          const told = await listsOf(bench)
            .lists(DEFAULT_PROFILE)
            .catch(() => undefined)
          const read = await entriesOf(bench, list).catch(() => undefined)
          bench.clearFaults()
          must(
            told === undefined || told.some(({ id }) => id === list.id),
            `${fault.kind}: it tells ${told?.length} lists, and not the one that is there`,
          )
          must(
            read?.end.complete !== true,
            `${fault.kind}: the read is complete, with ${read?.rows.length} of ${COUNT}`,
          )
        }
      }),
  },
  {
    id: 'lists.unconfigured',
    group,
    title: 'without a sign-in it says so, and does not say that there are no lists',
    applies: all(has(), ({ can }) => !can.local || 'it works without a sign-in'),
    async run(subject) {
      await mustSaySignedOut(subject, (bench) => listsOf(bench).lists(DEFAULT_PROFILE))
      return undefined
    },
  },
]
