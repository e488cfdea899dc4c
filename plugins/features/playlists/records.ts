// Records: items that both sides have, or had.
import { defined, type ManagedItem } from '@playhead/sdk'
import type { Entry, Group } from './groups.ts'

interface RecordRules {
  /** Each copy of an item counts as a separate item. */
  readonly copies: boolean
  /** A record of an item that both sides had from the start outlives the entry of the source. */
  readonly keepsShared: boolean
  /** The mapping added the entry to the list. `keys`: its keys at the source, if there is no record yet. */
  readonly isAdded: (entry: Entry, group: Group, keys: readonly string[]) => boolean
}

/** The records of a group, updated to its current entries. */
export function recordsOf(group: Group, rules: RecordRules): readonly ManagedItem[] {
  const records = rules.copies ? ofCopies(group, rules) : ofItem(group, rules)
  return records.filter(({ added }) => added || group.source.length > 0 || rules.keepsShared)
}

/** The entry of each record: the one with its id, otherwise any remaining one, because services may change the id of an entry. */
export function entriesOfRecords({ records, targets }: Group): ReadonlyMap<Entry, ManagedItem> {
  const found = new Map<Entry, ManagedItem>()
  const rest: ManagedItem[] = []
  for (const record of records) {
    const entry = targets.find(({ list, id }) => id !== undefined && id === record.entry && list === record.list)
    if (entry === undefined || found.has(entry)) rest.push(record)
    else found.set(entry, record)
  }
  // The mapping adds at the end, so copies of the person come first.
  for (const entry of targets.toReversed()) {
    const place = found.has(entry) ? -1 : rest.findLastIndex(({ list }) => list === entry.list)
    if (place >= 0) found.set(entry, ...(rest.splice(place, 1) as [ManagedItem]))
  }
  return found
}

function ofItem(group: Group, { isAdded }: RecordRules): readonly ManagedItem[] {
  const { source, targets, records } = group
  const [old] = records
  const isMatched = source.length > 0 && targets.length > 0
  if (!isMatched && (old === undefined || source.length + targets.length === 0)) return []
  const entry = targets.find(({ list }) => list === old?.list) ?? targets[0]
  const keys = source.map((one) => one.key)
  const isMine = targets.some((one) => isAdded(one, group, old === undefined ? keys : []))
  const added = isMine || records.some((record) => record.added)
  const key = keys[0] ?? old!.key
  return [entry === undefined ? { ...old!, key, tokens: [...group.tokens], added } : recordOf(group, key, entry, added)]
}

function ofCopies(group: Group, { isAdded }: RecordRules): readonly ManagedItem[] {
  const { source, targets, records } = group
  const found = entriesOfRecords(group)
  const paired = pairedEntries(group, source.length, found)
  const keys = new Map(paired.map((entry, copy) => [entry, source[copy]!.key]))
  const present = targets.flatMap((entry) => {
    const old = found.get(entry)
    const key = keys.get(entry) ?? old?.key
    const added = old?.added === true || isAdded(entry, group, old === undefined && key !== undefined ? [key] : [])
    return key === undefined ? [] : [recordOf(group, key, entry, added)]
  })
  const known = new Set(found.values())
  const missing = source.slice(paired.length)
  const lost = records.filter((record) => !known.has(record)).slice(0, missing.length)
  return [...present, ...lost.map((old, copy) => ({ ...old, key: missing[copy]!.key, tokens: [...group.tokens] }))]
}

/** The entries that represent copies of the source, in the order of the list; those with a record come first. */
function pairedEntries({ targets }: Group, copies: number, records: ReadonlyMap<Entry, ManagedItem>): readonly Entry[] {
  const known = targets.filter((entry) => records.has(entry))
  const others = targets.filter((entry) => !records.has(entry))
  const paired = new Set([...known, ...others].slice(0, copies))
  return targets.filter((entry) => paired.has(entry))
}

function recordOf({ tokens }: Group, key: string, { list, id }: Entry, added: boolean): ManagedItem {
  return { key, tokens: [...tokens], ...defined({ entry: id }), list, added }
}
