// Stores plays that were recorded at an account outside a run, and provides them to runs.
import {
  type Account,
  accountName,
  type ExpectedPlay,
  PlayheadError,
  type RecordedPlay,
  type Side,
} from '@playhead/sdk'
import { CLOCKS_MS } from '@playhead/sdk/items'
import { rowIn } from '../library/groups.ts'
import type { SideRead } from '../library/read-side.ts'
import { isOutside, type RecordedRows, type Viewing } from '../library/viewings.ts'
import type { Planned, PlanOp } from '../plan/planned.ts'
import { type NewRecordedRow, noteRecorded, recordedMark, recordedOf } from '../store/recorded.ts'
import type { Stage } from '../store/stage.ts'
import { knownAccount } from '../store/inventory.ts'
import { type EngineParts, type FeatureRun, other } from '../feature-run.ts'

/** Implements `library.recordPlays`. */
export async function recordPlays(engine: EngineParts, plays: readonly RecordedPlay[]): Promise<void> {
  const noted = plays.map((play) => ({ ...play, expectedUntilMs: null }))
  await notePlays(engine, noted)
}

/** Implements `library.expectPlays`. */
export async function expectPlays(engine: EngineParts, plays: readonly ExpectedPlay[]): Promise<void> {
  const noted = plays.map(({ untilMs, ...play }) => ({ ...play, watchedAtMs: null, expectedUntilMs: untilMs }))
  await notePlays(engine, noted)
}

type Noted = RecordedPlay & Pick<NewRecordedRow, 'expectedUntilMs'>

async function notePlays(engine: EngineParts, plays: readonly Noted[]): Promise<void> {
  if (plays.length === 0) return
  const accounts = new Map(
    (await engine.accounts.list()).map((account) => [accountName(account.provider, account.instance), account]),
  )
  const identities = new Map<string, string>()
  const rows: NewRecordedRow[] = []
  for (const { provider, instance, item, watchedAtMs, startedAtMs, endedAtMs, expectedUntilMs } of plays) {
    const account = accounts.get(accountName(provider, instance))
    if (account === undefined)
      throw new PlayheadError('PLH_NOT_FOUND', `There is no account ${accountName(provider, instance)}.`)
    if (![startedAtMs, endedAtMs, watchedAtMs ?? 0, expectedUntilMs ?? 0].every(Number.isSafeInteger))
      throw new PlayheadError('PLH_INVALID', 'The times of a play are whole milliseconds.')
    const { uid } = account
    const identity = identities.get(uid) ?? (await identityOf(engine, account))
    identities.set(uid, identity)
    rows.push({ uid, account: identity, item, watchedAtMs, startedAtMs, endedAtMs, byRun: false, expectedUntilMs })
  }
  await engine.db.transaction().execute((transaction) => noteRecorded(transaction, rows, engine.now()))
}

/** The account at the service; empty if it is not known. */
async function identityOf({ db, accounts }: EngineParts, { uid, fingerprint, provider, instance }: Account) {
  const known = await knownAccount(db, uid, fingerprint)
  return known ?? (await accounts.health(provider, instance).catch(() => undefined))?.account ?? ''
}

/** An input of the unchanged proof. */
export async function markOfRecorded({ engine, feature, sides }: FeatureRun): Promise<string | null> {
  return feature === 'history' ? recordedMark(engine.db, [sides.a.uid, sides.b.uid]) : null
}

/** Recorded plays of the accounts that were read: a profile may have reached another account when a play was recorded. */
export async function readRecorded(
  { engine, recordedMark: mark, sides, nowMs }: FeatureRun,
  reads: Readonly<Record<Side, Pick<SideRead, 'account'>>>,
): Promise<RecordedRows> {
  if (mark == null) return { a: [], b: [] }
  const of = async (side: Side) =>
    (await recordedOf(engine.db, sides[side].uid, nowMs)).filter(
      ({ account }) => account === '' || account === reads[side].account,
    )
  return { a: await of('a'), b: await of('b') }
}

/** The effect of a write on the recorded plays of its account. */
export interface RecordedChange {
  /** The copied play is known there too. */
  readonly copies?: readonly NewRecordedRow[]
  /** Recorded plays that a removal ends, so that the play can come back. */
  readonly gone?: readonly number[]
}

/** Undefined if the write concerns no recorded play. */
export function recordedChange(
  { sides }: FeatureRun,
  { groups, reads }: Pick<Planned, 'groups' | 'reads'>,
  op: Pick<PlanOp, 'group' | 'op' | 'side' | 'evidenceMs'>,
): RecordedChange | undefined {
  const viewings = groups.viewings(op.group)
  if (viewings.length === 0) return undefined
  const { side, evidenceMs: atMs } = op
  if (op.op === 'remove') {
    const gone = viewings.flatMap((viewing) => viewing[side].ids)
    return gone.length === 0 ? undefined : { gone }
  }
  const from = other(side)
  const index = rowIn(groups, from, op.group)
  if (index < 0 || atMs === undefined) return undefined
  const isCopied = (viewing: Viewing) =>
    isOutside(viewing, atMs) && viewing[from].times.some((time) => Math.abs(time - atMs) < CLOCKS_MS)
  const copied = viewings
    .filter(isCopied)
    .map(
      ({ startMs, endMs }): NewRecordedRow => ({
        uid: sides[side].uid,
        account: reads[side].account,
        item: reads[from].rows.item(index),
        watchedAtMs: atMs,
        startedAtMs: startMs,
        endedAtMs: endMs,
        byRun: true,
        expectedUntilMs: null,
      }),
    )
  return copied.length === 0 ? undefined : { copies: copied }
}

/** Part of the commit of a write that was made or, for an add, may have been made. */
export async function stageRecorded(stage: Stage, { copies, gone }: RecordedChange, atMs: number): Promise<void> {
  if (copies !== undefined) await stage.add({ t: 'recorded', plays: copies, atMs })
  if (gone !== undefined) await stage.add({ t: 'recorded-', ids: gone })
}
