// Matching: entries and records of one item form a group. Entries match by shared tokens unless their ids contradict. A record also
// joins the entries that it knows, because two accounts may list an item under unrelated ids.
import type { ManagedItem, ReadList } from '@playhead/sdk'
import { idSlotsOf, type Reach, slotsContradict, slotsShareScheme, tokensOf } from '@playhead/sdk/items'
import type { Entry, Group, Known } from './groups.ts'
import { holdGroups } from './hold.ts'
import type { Pace } from './pace.ts'

/** A group during matching. */
interface Draft {
  source: Entry[]
  targets: Entry[]
  readonly records: ManagedItem[]
  readonly tokens: Set<string>
  /** Ids are compared by tokens: for an item that is no longer in a list only its tokens are known. */
  readonly slots: Map<string, string>
  into: Draft | undefined
}

/** Groups in the order of the source; groups of targets only follow in their order, then records without entries. */
export async function matchLists(
  source: ReadList,
  targets: readonly ReadList[],
  known: Known,
  pace: Pace,
): Promise<readonly Group[]> {
  const sources = await entriesOf(source, known.within, pace)
  const others: Entry[] = []
  for (const target of targets) others.push(...(await entriesOf(target, known.within, pace)))

  const index = new Map<string, Draft[]>()
  const draftOf = new Map<Entry, Draft>()
  const fromSource = new Set(sources)
  // Entries with many ids first, because they separate entries with few ids.
  const byIds = [...sources, ...others].sort((a, b) => b.tokens.length - a.tokens.length)
  for (const entry of byIds) {
    await pace()
    const draft = settle(index, entry.tokens)
    if (fromSource.has(entry)) draft.source.push(entry)
    else draft.targets.push(entry)
    draftOf.set(entry, draft)
  }

  const byId = new Map(
    others.flatMap((entry) => (entry.id === undefined ? [] : [[`${entry.list}\n${entry.id}`, entry] as const])),
  )
  const alone: Draft[] = []
  for (const record of known.managed) {
    await pace()
    const entry = record.entry === undefined ? undefined : byId.get(`${record.list}\n${record.entry}`)
    const draft = settleRecord(index, record, entry === undefined ? undefined : rootOf(draftOf.get(entry)!))
    draft.records.push(record)
    alone.push(draft)
  }

  const roots = new Set([...[...sources, ...others].map((entry) => rootOf(draftOf.get(entry)!)), ...alone.map(rootOf)])
  const placeOf = new Map([...sources, ...others].map((entry, place) => [entry, place]))
  const inOrder = (entries: Entry[]) => entries.sort((a, b) => placeOf.get(a)! - placeOf.get(b)!)
  const groups = [...roots].map(
    ({ source: mine, targets: theirs, records, tokens }): Group => ({
      source: inOrder(mine),
      targets: inOrder(theirs),
      records,
      tokens,
      held: undefined,
    }),
  )
  await holdGroups(groups, known, pace)
  return groups
}

async function entriesOf(list: ReadList, within: Reach, pace: Pace): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for (const { key, item } of list.entries) {
    await pace()
    entries.push({ list: list.id, key, item, tokens: tokensOf(item, { within }), id: item.native?.list_item_id })
  }
  return entries
}

/** The draft group of an entry. Drafts that share tokens with it are merged, unless their ids contradict. */
function settle(index: Map<string, Draft[]>, tokens: readonly string[]): Draft {
  const slots = idSlotsOf(tokens)
  const [first, ...more] = candidates(index, tokens).filter((draft) => !slotsContradict(draft.slots, slots))
  const draft = first ?? newDraft()
  learn(index, draft, tokens)
  for (const other of more) if (!slotsContradict(draft.slots, other.slots)) merge(index, draft, other)
  return draft
}

/** As `settle`. `place`: the group of the entry with the record's id, regardless of its current ids. */
function settleRecord(index: Map<string, Draft[]>, { tokens }: ManagedItem, place: Draft | undefined): Draft {
  const slots = idSlotsOf(tokens)
  const sharing = candidates(index, tokens)
  const fitting = sharing.filter((draft) => !slotsContradict(draft.slots, slots))
  // The service may reuse an id for another item, so ids of one scheme must not differ.
  if (place !== undefined && !sharing.includes(place) && !slotsShareScheme(place.slots, slots)) fitting.push(place)
  const [first, ...more] = fitting
  // The ids of the item were corrected since: the record stays, but its old ids are dropped.
  if (first === undefined && sharing[0] !== undefined) return sharing[0]
  const draft = first ?? newDraft()
  learn(index, draft, tokens)
  for (const other of more) if (!slotsContradict(draft.slots, other.slots)) merge(index, draft, other)
  return draft
}

/** Drafts with any of the tokens, sorted by the number of shared tokens. */
function candidates(index: ReadonlyMap<string, readonly Draft[]>, tokens: readonly string[]): readonly Draft[] {
  const shared = new Map<Draft, number>()
  for (const token of tokens) {
    for (const draft of new Set((index.get(token) ?? []).map(rootOf))) shared.set(draft, (shared.get(draft) ?? 0) + 1)
  }
  return [...shared].sort(([, a], [, b]) => b - a).map(([draft]) => draft)
}

function learn(index: Map<string, Draft[]>, draft: Draft, tokens: Iterable<string>): void {
  const fresh: string[] = []
  for (const token of tokens) {
    if (draft.tokens.has(token)) continue
    draft.tokens.add(token)
    fresh.push(token)
    const drafts = index.get(token)
    if (drafts === undefined) index.set(token, [draft])
    else drafts.push(draft)
  }
  for (const [slot, id] of idSlotsOf(fresh)) draft.slots.set(slot, id)
}

function merge(index: Map<string, Draft[]>, draft: Draft, other: Draft): void {
  draft.source.push(...other.source)
  draft.targets.push(...other.targets)
  draft.records.push(...other.records)
  other.into = draft
  learn(index, draft, other.tokens)
}

function newDraft(): Draft {
  return { source: [], targets: [], records: [], tokens: new Set(), slots: new Map(), into: undefined }
}

function rootOf(draft: Draft): Draft {
  let root = draft
  while (root.into !== undefined) root = root.into
  return root
}
