// Reads an account now and stores its rows, outside a run. A change of the stored rows deletes their checkpoint: the next
// run reads everything itself and draws no conclusion from absences in this read.
import type { AccountName, Feature, RefreshOptions, RefreshReport } from '@playhead/sdk'
import { fingerprint, type Item, rowKey } from '@playhead/sdk/items'
import type { SyncSettings } from '../contract.ts'
import type { EngineParts, FeatureRun } from '../feature-run.ts'
import { nameOf, readLabels } from '../pairs/pairs.ts'
import { shrinkLimit } from '../plan/read-checks.ts'
import { accountRun } from '../run/account-changes.ts'
import {
  distrustInventory,
  findInventory,
  findNewest,
  hideRows,
  type InventoryHead,
  inventoryKeys,
  inventoryPages,
  newestInventory,
  type StoredRow,
} from '../store/inventory.ts'
import { createHoldings } from './holdings.ts'
import { readableRun } from './live.ts'
import { inventoryOf, isOwned, readSide, type SideRead, storeInventory } from './read-side.ts'
import { type SideRows, storedItem } from './rows.ts'

const PAGE = 250

interface RefreshRequest extends AccountName, RefreshOptions {
  readonly feature: Feature
}

/** Implements `library.refresh`. */
export async function refreshAccount(
  engine: EngineParts,
  request: RefreshRequest,
  settings: SyncSettings,
  signal: AbortSignal,
): Promise<RefreshReport> {
  const { dryRun = false, approved = false, mode = 'replace' } = request
  const { run, head } = await scopeOf(engine, request, settings, signal)
  const side = run.sides.b
  using _hold = await engine.work.begin({
    kind: 'read',
    label: `A read of ${nameOf(side.provider, side.instance, await readLabels(engine.accounts))}`,
    accounts: [{ provider: side.provider, instance: side.instance }],
  })
  let read: SideRead | undefined
  try {
    read = await readSide(run, side, { fresh: true })
    const { missing, before, isDamaged, ...differences } = await compare(run, read, head)
    const report = { ...differences, readAtMs: read.atMs }
    const reason = refusalOf(read, head, { ...differences, before }, approved)
    if (reason !== undefined) return { ...report, outcome: 'refused', reason }
    if (dryRun) return { ...report, outcome: 'dry_run' }
    if (mode === 'merge')
      for (const text of missing) read.rows.add(JSON.parse(text) as Item, { skip: 'not_read' }, text)
    const checkpoint = isSameSet(run, head, read) ? head.checkpoint : null
    if (isDamaged) await distrustInventory(engine.db, head!.id)
    await storeInventory(run, side, { ...read, checkpoint })
    await engine.unchangedProofs.clear()
    return { ...report, outcome: 'stored' }
  } finally {
    read?.rows.release()
  }
}

/** A run with the scope of the displayed rows, or of everything. */
async function scopeOf(
  engine: EngineParts,
  request: RefreshRequest,
  settings: SyncSettings,
  signal: AbortSignal,
): Promise<{ readonly run: FeatureRun; readonly head: InventoryHead | undefined }> {
  const options = { planId: 'refresh', settings, cause: 'refresh', signal }
  const { provider, instance, feature } = request
  const plain = await readableRun(engine, request, options)
  const { support, uid } = plain.sides.b
  const byPlay =
    support.plays?.read === true
      ? [await accountRun(engine, { provider, instance, feature, plays: true }, options)]
      : []
  const runs = [...byPlay, plain].flatMap((run) => [
    run,
    { ...run, comparing: { ...run.comparing, kinds: undefined } } as FeatureRun,
  ])
  const newest = await findNewest(engine.db, uid, feature)
  const run = runs.find((one) => inventoryOf(one, one.sides.b).variant === newest?.variant) ?? runs[0]!
  return { run, head: await findInventory(engine.db, inventoryOf(run, run.sides.b)) }
}

function refusalOf(
  read: SideRead,
  head: InventoryHead | undefined,
  { before, count, removed }: { readonly before: number; readonly count: number; readonly removed: number },
  approved: boolean,
): string | undefined {
  if (!read.complete) return read.reason ?? 'incomplete'
  if (approved || head === undefined || head.readAtMs === null) return undefined
  if (head.account !== read.account) return 'account_changed'
  if (before > 0 && count === 0) return 'empty_read'
  return removed > shrinkLimit(before) ? 'shrunk_read' : undefined
}

interface Differences extends Pick<RefreshReport, 'count' | 'added' | 'removed' | 'changed'> {
  /** Number of displayed rows so far. */
  readonly before: number
  /** Texts of displayed rows that the read lacks. */
  readonly missing: readonly string[]
  /** Some displayed rows cannot be parsed; they count as absent. */
  readonly isDamaged: boolean
}

/** Compares with the displayed rows. Rows with equal keys are the same row; duplicates are counted. */
async function compare(run: FeatureRun, { rows }: SideRead, head: InventoryHead | undefined): Promise<Differences> {
  const { plays } = run
  const left = new Map<string, number[]>()
  let count = 0
  for (let index = 0; index < rows.size; index += 1) {
    if (!isOwned(rows, index)) continue
    count += 1
    left.getOrInsertComputed(rowKey(rows.item(index), plays), () => []).push(index)
  }
  let before = 0
  let changed = 0
  let isDamaged = false
  const missing: string[] = []
  for await (const page of shownRows(run, head)) {
    for (const row of page) {
      const item = storedItem(row.item)
      isDamaged ||= item === undefined
      if (item === undefined) continue
      before += 1
      const text = JSON.stringify(item)
      const own = left.get(rowKey(item, plays))
      if (own === undefined || own.length === 0) missing.push(text)
      else if (!takeSame(rows, own, text)) {
        own.pop()
        changed += 1
      }
    }
  }
  const removed = missing.length
  return { count, before, added: count - before + removed, removed, changed, missing, isDamaged }
}

async function* shownRows(
  { engine: { db }, feature, sides: { b } }: FeatureRun,
  head: InventoryHead | undefined,
): AsyncGenerator<readonly StoredRow[]> {
  if (head === undefined || head.readAtMs === null) return
  const newest = await findNewest(db, b.uid, feature)
  if (newest?.id === head.id) yield* createHoldings(db).stored(PAGE, b.provider, b.instance, feature)
  else yield* inventoryPages(db, head)
}

function takeSame(rows: SideRows, own: number[], text: string): boolean {
  const mark = fingerprint(text)
  const place = own.findIndex((index) => rows.fingerprint(index) === mark && rows.json(index) === text)
  if (place === -1) return false
  own.splice(place, 1)
  return true
}

/** The read has exactly the stored rows of the same account, so the next run may continue from the checkpoint. */
function isSameSet(
  { sides }: FeatureRun,
  head: InventoryHead | undefined,
  { account, rows }: SideRead,
): head is InventoryHead {
  return (
    head !== undefined &&
    head.digest !== null &&
    head.account === account &&
    head.fingerprint === sides.b.account.fingerprint &&
    head.count === rows.size &&
    head.digest === rows.digest()
  )
}

interface ForgetRequest extends AccountName {
  readonly feature: Feature
  readonly keys: readonly string[]
}

/** Implements `library.forgetRows`. The account's next read is a full one and brings back all rows that still exist. */
export async function forgetRows(
  engine: EngineParts,
  { provider, instance, feature, keys }: ForgetRequest,
): Promise<number> {
  using _hold = await engine.work.begin({
    kind: 'change',
    label: `A correction of ${nameOf(provider, instance, await readLabels(engine.accounts))}`,
    accounts: [{ provider, instance }],
  })
  const head = await newestInventory(engine.db, provider, instance, feature)
  if (head === undefined) return 0
  const known = [...(await inventoryKeys(engine.db, head, keys))]
  if (known.length > 0) await hideRows(engine.db, head.uid, feature, known)
  return known.length
}
