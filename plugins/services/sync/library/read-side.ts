// Reads one side of a pair: the provider's stream, completed from the stored inventory if the provider sends only changes.
import { ahead, defined, PlayheadError, type Shape, untilAborted, withTimeLimit } from '@playhead/sdk'
import { type Item, rowKey, type TextNumbers } from '@playhead/sdk/items'
import { addsUp, type ReadEnd, type Unreadable } from '@playhead/sdk/provider'
import {
  findInventory,
  type InventoryHead,
  inventoryPages,
  type InventoryOf,
  replaceInventory,
  WHOLE,
} from '../store/inventory.ts'
import { hashOf } from '../store/state.ts'
import { chunksOf } from '../store/steps.ts'
import { malformed, shapesOf, type Shaping } from './reading.ts'
import { GONE, createSideRows, isUsable, type SideRows, storedItem } from './rows.ts'
import { numbersOf } from './token-numbers.ts'
import { createOwnWrites } from './own-writes.ts'
import { type FeatureRun, libraries, type SideContext } from '../feature-run.ts'

export interface SideRead {
  readonly rows: SideRows
  /** The read contains every requested row of the account, and this was verified. */
  readonly complete: boolean
  /** All rows were read, not only changes. */
  readonly whole: boolean
  readonly reason?: string
  readonly account: string
  readonly checkpoint: string | null
  readonly atMs: number
  /** Every missing row that is not marked as gone is known to be removed. */
  readonly provesAbsence: boolean
  /** Rows that cannot be identified, at most 200. */
  readonly unreadable: readonly Unreadable[]
  /** A read of changes reports all unreadable rows again. */
  readonly repeatsUnreadable: boolean
}

/** The account has exactly the stored rows. */
export interface UnchangedRead extends Omit<SideRead, 'rows'> {
  readonly head: InventoryHead
  /** Reads the stored rows. */
  load(): Promise<SideRead>
}

// A provider that sends nothing for this long has stalled.
const STALL_MS = 10 * 60_000
/** More than any account has, so a longer list has no end. MAX_TEXT counts characters. */
export const MAX_ROWS = 2_000_000
const MAX_TEXT = 512 * 1024 * 1024
const BATCH = 250
const NOT_OWNED = new Set<string | undefined>(['transient', GONE])
const PROGRESS_EVERY = 1_000

interface ReadSideOptions {
  /** Reads all rows, even if a read of changes would suffice. */
  readonly fresh?: boolean
  /** For rows that will be grouped. */
  readonly numbers?: TextNumbers
}

export async function readSide(run: FeatureRun, side: SideContext, options: ReadSideOptions = {}): Promise<SideRead> {
  return await loadRead(await fetchSide(run, side, options))
}

export async function loadRead(read: SideRead | UnchangedRead): Promise<SideRead> {
  return 'load' in read ? await read.load() : read
}

/** Throws what the provider throws, and `PLH_UPSTREAM_INVALID` for a malformed stream. */
export async function fetchSide(
  run: FeatureRun,
  side: SideContext,
  { fresh = false, numbers }: ReadSideOptions = {},
): Promise<SideRead | UnchangedRead> {
  const head = fresh ? undefined : await usableInventory(run, side)
  // In a first run, and if changes alone cannot be read.
  const isAhead = numbers !== undefined && head?.checkpoint == null && mayBeWritten(run, side)
  const create = () => createSideRows(numbers === undefined ? undefined : numbersOf(run, numbers, side.side))
  const first = await readOnce(run, side, head, create, isAhead)
  // The stored rows belong to another account, so changes cannot be applied to them; read everything.
  return first ?? (await readOnce(run, side, undefined, create))!
}

/**
 * Stores the read for display and for the next read.
 * @param own the writes to the account, if they are loaded
 */
export async function storeInventory(
  run: FeatureRun,
  side: SideContext,
  read: SideRead,
  own = createOwnWrites(run, { [side.side]: read }),
): Promise<void> {
  if (!read.complete) return
  const of = inventoryOf(run, side)
  const { rows } = read
  const owned: number[] = []
  let gone = 0
  for (let index = 0; index < rows.size; index += 1) {
    if (isOwned(rows, index)) owned.push(index)
    else if (rows.skip(index) === GONE) gone += 1
  }
  // A read of changes may omit unreadable and gone rows, so the next read has to be whole.
  const hasUnreadable = read.unreadable.length > 0 && !read.repeatsUnreadable && side.support.observedDeletes !== false
  await replaceInventory(run.engine.db, of, {
    account: read.account,
    fingerprint: side.account.fingerprint,
    checkpoint: hasUnreadable || gone > 0 ? null : read.checkpoint,
    readAtMs: read.atMs,
    size: owned.length,
    digest: owned.length === rows.size ? rows.digest() : null,
    json: (index) => rows.json(owned[index]!),
    mark: (index) => rows.fingerprint(owned[index]!),
    keyOf: (text) => rowKey(JSON.parse(text) as Item, run.plays),
    written: async (text, sinceMs) => (await own.bringing(side.side, JSON.parse(text) as Item, sinceMs))?.lackedAtMs,
  })
}

/** Whether the account has the row. */
export function isOwned(rows: SideRows, index: number): boolean {
  return !NOT_OWNED.has(rows.skip(index))
}

export function countOwned(rows: SideRows): number {
  let count = 0
  for (let index = 0; index < rows.size; index += 1) if (isOwned(rows, index)) count += 1
  return count
}

async function readOnce(
  run: FeatureRun,
  side: SideContext,
  head: InventoryHead | undefined,
  create: () => SideRows,
  beforeWrites = false,
): Promise<SideRead | UnchangedRead | undefined> {
  const { feature, signal, plays } = run
  const chosen = libraries(run, side)
  const stream = await run.engine.reading.read(
    {
      provider: side.provider,
      instance: side.instance,
      request: {
        feature,
        ...(plays ? { plays } : {}),
        ...(chosen.length > 0 ? { libraries: chosen } : {}),
        ...defined({ kinds: run.comparing.kinds }),
        ...(head?.checkpoint == null ? {} : { since: head.checkpoint }),
        ...(beforeWrites ? { beforeWrites } : {}),
      },
      shaping: shapingOf(run, side),
    },
    signal,
  )
  const rows = create()
  let total: number | undefined
  let given = 0
  let reported = 0
  let end: (ReadEnd & { readonly unreadable: readonly Unreadable[] }) | undefined
  const report = (final: boolean) =>
    run.listener.event({
      ...{ type: 'snapshot:progress', dst: side.provider, instance: side.instance, feature, done: given },
      ...defined({ total }),
      ...(final ? { ok: true, final } : {}),
    })
  for await (const part of untilStalled(stream, signal)) {
    if (part.type === 'end') {
      end = part.end
      continue
    }
    total = part.total ?? total
    given += part.given
    for (const [index, text] of part.texts.entries()) rows.add(JSON.parse(text) as Item, part.shapes[index]!, text)
    // Discard the whole list: it is too long, or endless.
    if (given > (run.engine.maxRows ?? MAX_ROWS) || rows.textLength > MAX_TEXT) throw tooManyRows(side)
    if (given - reported >= PROGRESS_EVERY) {
      reported = given
      report(false)
    }
  }
  if (end === undefined) throw malformed(side.provider, 'no end')
  report(true)
  const done = {
    account: end.account,
    checkpoint: end.checkpoint ?? null,
    atMs: run.engine.now(),
    unreadable: end.unreadable,
    whole: end.semantics === 'present',
    repeatsUnreadable: end.repeatsUnreadable === true,
    provesAbsence: end.provesAbsence === true,
  }
  if (end.semantics === 'present') {
    // A row whose absence proves nothing counts as present, without a value.
    for (const item of end.gone ?? []) if (isUsable(item)) rows.add(item, { skip: GONE })
    return { ...done, rows, ...proofOf(end, total, given) }
  }
  if (head === undefined) throw malformed(side.provider, `"${end.semantics}" without a checkpoint in the request`)
  if (end.account !== head.account) {
    rows.release()
    return undefined
  }
  if (end.semantics === 'delta' && end.deleted === undefined) {
    return { ...done, rows, complete: false, reason: 'no_deletions' }
  }
  if (end.semantics === 'unchanged' && given > 0) throw malformed(side.provider, '"unchanged" with rows')
  const merged = {
    ...done,
    checkpoint: end.checkpoint ?? head.checkpoint,
    complete: end.complete,
    ...(end.complete ? {} : { reason: end.reason ?? 'incomplete' }),
  }
  const load = async (): Promise<SideRead> => {
    const whole = create()
    const isSound = await overlay(run, side, head, { changed: rows, deleted: end.deleted ?? [], whole })
    rows.release()
    if (isSound) return { ...merged, rows: whole }
    whole.release()
    return (await readOnce(run, side, undefined, create)) as SideRead
  }
  return end.semantics === 'unchanged' && end.complete ? { ...merged, head, load } : await load()
}

function mayBeWritten({ dryRun, pair }: FeatureRun, { side, support }: SideContext): boolean {
  const isTarget = side === 'b' || pair.mode === 'two_way'
  return isTarget && !dryRun && (support.add || support.update || support.remove)
}

/** Whether a whole read proves that it has every row, or why not. */
export function proofOf(end: ReadEnd, total: number | undefined, given: number): Pick<SideRead, 'complete' | 'reason'> {
  const adds = addsUp(total, given, end)
  if (end.complete && adds) return { complete: true }
  return { complete: false, reason: end.reason ?? (adds ? 'incomplete' : 'total_mismatch') }
}

interface Overlay {
  readonly changed: SideRows
  readonly deleted: readonly Item[]
  readonly whole: SideRows
}

/** Adds the stored rows, with changes and deletions applied. False if stored rows or changes are damaged. */
async function overlay(
  run: FeatureRun,
  side: SideContext,
  head: InventoryHead,
  { changed, deleted, whole }: Overlay,
): Promise<boolean> {
  if (!deleted.every(isUsable)) return false
  const addAll = async (rows: readonly { readonly item: Item; readonly text: string }[]) => {
    const items = rows.map(({ item }) => item)
    const shapes = await shapedFor(run, side, items)
    for (const [index, { item, text }] of rows.entries()) whole.add(item, shapes[index]!, text)
  }
  const keys = new Set<string>()
  const natives = new Set<string>()
  const note = (item: Item) => {
    const native = nativeOf(item, run.plays)
    if (native !== undefined) natives.add(native)
    keys.add(rowKey(item, run.plays))
  }
  for (const item of deleted) note(item)
  for (let index = 0; index < changed.size; index += 1) {
    // Keep only the key here and parse the item again below, so that memory never holds all items.
    note(changed.item(index))
  }
  const isReplaced = (item: Item): boolean => {
    const native = nativeOf(item, run.plays)
    // A play with its own id is identified by that id alone.
    const known = native !== undefined && natives.has(native)
    return known || (keys.has(rowKey(item, run.plays)) && !(run.plays && native !== undefined && natives.size > 0))
  }
  for await (const page of inventoryPages(run.engine.db, head)) {
    const rows = page.map(({ item: text }) => ({ item: storedItem(text), text }))
    if (!rows.every((row): row is typeof row & { readonly item: Item } => row.item !== undefined)) return false
    await addAll(keys.size === 0 ? rows : rows.filter(({ item }) => !isReplaced(item)))
  }
  for (const some of chunksOf([...Array(changed.size).keys()], BATCH))
    await addAll(some.map((index) => ({ item: changed.item(index), text: changed.json(index) })))
  return true
}

async function usableInventory(run: FeatureRun, side: SideContext): Promise<InventoryHead | undefined> {
  const head = await findInventory(run.engine.db, inventoryOf(run, side))
  if (head?.checkpoint == null || head.fingerprint !== side.account.fingerprint) return undefined
  return side.health.account !== undefined && side.health.account !== head.account ? undefined : head
}

export function inventoryOf(run: FeatureRun, side: SideContext): InventoryOf {
  const chosen = libraries(run, side)
  const { kinds } = run.comparing
  const whole = !run.plays && chosen.length === 0 && kinds === undefined
  return {
    uid: side.uid,
    provider: side.provider,
    instance: side.instance,
    feature: run.feature,
    variant: whole
      ? WHOLE
      : hashOf({ plays: run.plays, chosen, kinds: kinds === undefined ? null : [...kinds].sort() }),
  }
}

/** The rows as the feature sees them, in order. */
export function shapedFor(run: FeatureRun, side: SideContext, items: readonly Item[]): Promise<readonly Shape[]> {
  return shapesOf(run.engine.use, items, shapingOf(run, side))
}

function shapingOf({ options, pair, nowMs, playsAllowed, sides, feature }: FeatureRun, { side }: SideContext): Shaping {
  const support = { a: sides.a.support, b: sides.b.support }
  return { feature, input: { options, mode: pair.mode, support, playsAllowed, side, nowMs } }
}

/** Throws `PLH_UPSTREAM_TIMEOUT` if no part arrives for a long time. */
export function untilStalled<Part>(stream: AsyncIterable<Part>, signal: AbortSignal): AsyncGenerator<Part> {
  const iterator = stream[Symbol.asyncIterator]()
  const stalled = () => new PlayheadError('PLH_UPSTREAM_TIMEOUT', 'The provider sent no rows for ten minutes.')
  return ahead({
    [Symbol.asyncIterator]: () => ({
      // A stalled provider must not block the cancellation of a run.
      next: () => withTimeLimit(untilAborted(iterator.next(), signal), STALL_MS, stalled),
      // Not awaited: a stalled provider does not answer this call either.
      async return(value) {
        void Promise.resolve(iterator.return?.()).catch(() => {})
        return { done: true, value }
      },
    }),
  })
}

function nativeOf({ native }: Item, plays: boolean): string | undefined {
  if (plays) return native?.event_id === undefined ? undefined : `event ${native.event_id}`
  return native?.item_id === undefined
    ? native?.list_item_id === undefined
      ? undefined
      : `list ${native.list_item_id}`
    : `item ${native.item_id}`
}

export function tooManyRows({ provider }: Pick<SideContext, 'provider'>): PlayheadError {
  return new PlayheadError('PLH_UPSTREAM_INVALID', `${provider} sent too many rows: the list seems to have no end.`, {
    wire: 'too_many_rows',
  })
}
