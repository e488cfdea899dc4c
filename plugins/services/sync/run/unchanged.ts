// The unchanged proof of a pair and feature: a run without remaining work stores a hash of its inputs and its result. A later
// run with the same inputs returns that result without matching. Proofs survive a restart.
import { defined, type Side } from '@playhead/sdk'
import { findInventory, findNewest, type InventoryHead, touchInventory } from '../store/inventory.ts'
import { hashOf } from '../store/state.ts'
import { accountKeys, tombstoneMark } from '../store/tombstones.ts'
import type { UnchangedProof } from '../store/unchanged-proofs.ts'
import { type Committed, countOps } from './commit.ts'
import type { Planned } from '../plan/planned.ts'
import { inventoryOf, storeInventory, type UnchangedRead, type SideRead } from '../library/read-side.ts'
import { type FeatureRun, SIDES } from '../feature-run.ts'

type Reads = Readonly<Record<Side, SideRead | UnchangedRead>>

/** Runs of a plan or of selected titles leave work to later runs, and an approval does not apply to the next run. */
function isOfPart({ order: { request }, approved }: FeatureRun): boolean {
  return request.plan_id !== undefined || request.titles !== undefined || approved.size > 0
}

/** The proof, if its inputs are those of this run. */
export async function findUnchangedProof(
  run: FeatureRun,
  reads: Reads,
  scope: string,
): Promise<UnchangedProof | undefined> {
  const { engine, pair, feature, state } = run
  const proof = await engine.unchangedProofs.get(pair.id, feature)
  if (proof === undefined || state === null || run.dryRun || isOfPart(run)) return undefined
  if (state.runs + 1 >= proof.untilRun || run.nowMs >= proof.untilMs || !state.armed) return undefined
  const [a, b] = [await matchingHead(run, 'a', reads.a), await matchingHead(run, 'b', reads.b)]
  if (a === undefined || b === undefined) return undefined
  return (await inputsHash(run, scope, { a, b }, reads)) === proof.of ? proof : undefined
}

/** Records that the same rows were read again. */
export async function touchInventories(run: FeatureRun, reads: Reads): Promise<void> {
  for (const side of SIDES) {
    const read = reads[side]
    const { fingerprint } = run.sides[side].account
    if (!('load' in read)) await storeInventory(run, run.sides[side], read)
    else {
      const { account, checkpoint, atMs: readAtMs, head } = read
      await touchInventory(run.engine.db, head.id, { account, fingerprint, checkpoint, readAtMs, size: head.count })
    }
  }
}

/** After the commit: stores the result of this run if the same inputs can only lead to it again. */
export async function proveUnchanged(
  planned: Planned,
  scope: string,
  { counts, settled, isStill, unresolved, notInLibrary }: Committed,
): Promise<UnchangedProof | undefined> {
  const { run, reads, groups, checks } = planned
  if (run.dryRun || isOfPart(run)) return undefined
  if (SIDES.some((side) => !reads[side].complete || checks[side].shrunk || checks[side].implausible !== null))
    return undefined
  const [a, b] = [await storedHead(run, 'a'), await storedHead(run, 'b')]
  if (a === undefined || b === undefined) return undefined
  const read = { a: a.count, b: b.count }
  const of = await inputsHash(run, scope, { a, b }, reads)
  // Each row of either side has a counterpart with an equal value.
  if (settled === groups.count && read.a === settled && read.b === settled)
    return { of, ...NO_END, counts: countOps([]), unresolved: 0, read }
  // The same decisions would follow again; a first run decides differently.
  const waits = isStill && run.state !== null ? validUntil(planned) : undefined
  return waits === undefined ? undefined : { of, ...waits, counts, unresolved, notInLibrary, read }
}

const NO_END = { untilRun: Number.POSITIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY }
/** Reasons that depend on rows and settings alone. */
const LASTING = new Set<string | null>([
  'one_way',
  'settled',
  'not_understood',
  'add_disabled',
  'remove_disabled',
  'read_only',
  'unsupported_type',
  'missing_ids',
  'not_anime',
  'exact_play_unknown',
  'manual_add',
  'manual_block',
  'ambiguous_identity',
  'never_linked',
])
/** The revision of the mapping is among the inputs. */
const isLasting = (reason: string | null) => LASTING.has(reason) || reason?.startsWith('anime_') === true
const RETRIED = new Set<string | null>(['backoff', 'quarantined'])

/** How long all skipped operations stay skipped; undefined if unknown. */
function validUntil({ run, ops, unresolved }: Planned): Pick<UnchangedProof, 'untilRun' | 'untilMs'> | undefined {
  if (
    ops.some(
      ({ state, reason }) =>
        !(state === 'filtered' && isLasting(reason)) && !(state === 'deferred' && RETRIED.has(reason)),
    )
  )
    return undefined
  const cooldownMs = run.order.settings.blackbox.cooldown_days * 86_400_000
  let { untilRun, untilMs } = NO_END
  for (const { skip_until_run: skipUntilRun, quarantined_at: quarantinedAt } of unresolved.values()) {
    if (skipUntilRun > (run.state?.runs ?? 0) + 1) untilRun = Math.min(untilRun, skipUntilRun)
    if (quarantinedAt !== null) untilMs = Math.min(untilMs, quarantinedAt + cooldownMs)
  }
  return { untilRun, untilMs }
}

/** The stored inventory that equals the read. */
async function matchingHead(
  run: FeatureRun,
  side: Side,
  read: SideRead | UnchangedRead,
): Promise<InventoryHead | undefined> {
  if (!read.complete) return undefined
  if ('load' in read) return read.head.digest === null ? undefined : read.head
  const head = await storedHead(run, side)
  if (head === undefined || head.count !== read.rows.size) return undefined
  return read.rows.digest() === head.digest ? head : undefined
}

/** Only an inventory with every row of its read has a digest. */
async function storedHead(run: FeatureRun, side: Side): Promise<InventoryHead | undefined> {
  const head = await findInventory(run.engine.db, inventoryOf(run, run.sides[side]))
  return head === undefined || head.digest === null ? undefined : head
}

/** All inputs of a run except the state of the pair. */
async function inputsHash(
  run: FeatureRun,
  scope: string,
  heads: Readonly<Record<Side, InventoryHead>>,
  reads: Reads,
): Promise<string> {
  const { engine, order, pair, feature, comparing, options } = run
  const sides = []
  for (const side of SIDES) {
    const { provider, instance, uid, account, health, support } = run.sides[side]
    const history =
      feature === 'watchlist' || feature === 'progress' ? await findNewest(engine.db, uid, 'history') : undefined
    sides.push({
      provider,
      instance,
      uid,
      fingerprint: account.fingerprint,
      support,
      plays: health.plays ?? null,
      set: nameOf(heads[side]),
      unreadable: reads[side].unreadable,
      // Watchlist and progress also depend on the history.
      history: history === undefined ? null : nameOf(history),
      // A new tombstone may apply to a row that is present.
      tombstones: await tombstoneMark(engine.db, accountKeys(run.sides[side], reads[side].account), feature),
      policy: run.policyMarks?.[side] ?? null,
    })
  }
  return hashOf({
    sides,
    scope,
    options,
    mode: pair.mode,
    variant: comparing.variant,
    identity: comparing.identity,
    settings: order.settings,
    mirror: run.mirror ?? null,
    code: order.code ?? null,
    ...defined({ mapping: run.mapping?.revision, recorded: run.recordedMark ?? undefined }),
  })
}

function nameOf({ id, generation }: InventoryHead): string {
  return `${id}.${generation}`
}
