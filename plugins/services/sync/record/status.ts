// The status of features, pairs, runs and accounts: pure functions of runs' records, unresolved items, the health of
// accounts, active runs, switches and the schedule. Its words, and which cause comes first, are in the SDK (`statusOf`).
import {
  type AccountHealth,
  type AccountName,
  accountName,
  type Feature,
  type Overview,
  statusOf,
  statusOfAll,
  type SyncCause,
  type SyncCauseKind,
  type SyncStatus,
} from '@playhead/sdk'
import type { FeatureReport } from '../contract.ts'
import { endsOf, type Pair } from '../pairs/pair.ts'
import { nameOf } from '../pairs/pairs.ts'
import type { RunBrief } from './brief.ts'
import { type Labels, reasonText } from './reason-text.ts'

/** Reasons that are about an account, or need a person. All others are failures. */
const KINDS: Readonly<Record<string, SyncCauseKind>> = {
  down: 'unreachable',
  unknown: 'unreachable',
  auth_failed: 'sign_in',
  not_configured: 'sign_in',
  account_changed: 'sign_in',
  unsupported: 'setting',
}
/** The items themselves are counted. */
const COUNTED = new Set(['held_mass_delete', 'changed_since_approval'])
const SHOWN_RUNS = 20
const NO_PAIRS = statusOf([{ kind: 'no_pairs', count: 0, text: 'There is no pair yet.' }])
const WORK = new Set(['undo', 'restore', 'clear', 'backup'])
/** Shown for a feature that ran in part, without a reason and without unsynced items. */
export const UNWRITTEN = 'Some of it could not be written. The next run tries again.'

type Reported = Pick<FeatureReport, 'feature' | 'reason' | 'about'> & {
  /** Null before the first run. */
  readonly status: FeatureReport['status'] | null
  /** Items that need the person, held ones included. */
  readonly open: number
  readonly held: number
}

/** Why a feature of a pair is not in sync, as of its last run. */
export function causesOfFeature(pairId: string, one: Reported, known: Labels): readonly SyncCause[] {
  const { feature, open, held } = one
  const of = { pair_id: pairId, feature }
  const [waiting, items] = [Math.min(held, open), Math.max(0, open - held)]
  return [
    ...(waiting > 0
      ? [{ kind: 'approval' as const, count: waiting, text: approvalText(feature, waiting), ...of }]
      : []),
    ...(items > 0 ? [{ kind: 'items' as const, count: items, text: itemsText(feature, items), ...of }] : []),
    ...reasonCauses(pairId, one, known),
  ]
}

function reasonCauses(pairId: string, { feature, status, reason, about = [], open }: Reported, known: Labels) {
  const cause = (kind: SyncCauseKind, text: string, count = 0): readonly SyncCause[] => [
    { kind, count, text, pair_id: pairId, feature },
  ]
  if (status === 'ok' || status === 'nothing_to_do') return []
  if (status === null) return cause('never_ran', `${capital(feature)}: not run yet.`)
  if (status === 'cancelled') return cause('cancelled', `${capital(feature)}: the run was cancelled.`)
  if (reason === undefined) return open > 0 ? [] : cause('failed', `${capital(feature)}: ${UNWRITTEN}`)
  if (COUNTED.has(reason) && status === 'partial') return []
  const kind = KINDS[reason]
  if ((kind === 'unreachable' || kind === 'sign_in') && about.length > 0)
    return about.map((account) => ofAccount(kind, account, known, reason))
  const text = `${capital(feature)}: ${reasonText({ reason, about }, known)}`
  return kind === 'sign_in' || kind === 'setting' ? cause(kind, text, 1) : cause('failed', text)
}

function ofAccount(kind: 'unreachable' | 'sign_in', account: AccountName, known: Labels, reason: string): SyncCause {
  const { provider, instance } = account
  const text = reasonText({ reason, about: [account] }, known) ?? ''
  const service = nameOf(provider, instance, known)
  return { kind, count: kind === 'sign_in' ? 1 : 0, text, provider, instance, service }
}

interface PairFacts {
  readonly id: string
  readonly enabled: boolean
  readonly running: boolean
  readonly accounts: readonly AccountName[]
  /** Only for features that are switched on. */
  readonly features: readonly SyncStatus[]
}

/** The facts of the present moment, for all pairs. */
export interface Present {
  /** The last known health by `accountName`; no service is asked for it. */
  readonly health: ReadonlyMap<string, AccountHealth['status']>
  /** A person paused the schedule. */
  readonly paused: boolean
}

export function statusOfPair(pair: PairFacts, { health, paused }: Present, known: Labels): SyncStatus {
  const of = { count: 0, pair_id: pair.id }
  const running: readonly SyncCause[] = pair.running ? [{ kind: 'running', text: 'A run is in progress.', ...of }] : []
  if (!pair.enabled || pair.features.length === 0)
    return statusOf([...running, { kind: 'off', text: pair.enabled ? 'Nothing is selected to sync.' : 'Off.', ...of }])
  return statusOf([
    ...running,
    ...pair.features.flatMap(({ causes }) => causes),
    ...pair.accounts.flatMap((account) => healthCause(account, health, known)),
    ...(paused ? [{ kind: 'schedule_paused' as const, count: 0, text: 'The schedule is paused.' }] : []),
  ])
}

interface OverviewFacts {
  readonly pairs: readonly Pair[]
  /** By id of the pair. */
  readonly statuses: ReadonlyMap<string, SyncStatus>
  /** Newest first. */
  readonly briefs: readonly RunBrief[]
}

export function statusOfWhole(pairs: readonly SyncStatus[]): SyncStatus {
  return pairs.length === 0 ? NO_PAIRS : statusOfAll(pairs)
}

export function overviewOf({ pairs, statuses, briefs }: OverviewFacts, { health }: Present, known: Labels): Overview {
  const shown = pairs.map((pair) => ({ pair, status: statuses.get(pair.id) ?? NO_PAIRS }))
  const uses = shown.flatMap(({ pair, status }) => Object.values(endsOf(pair)).map((account) => ({ account, status })))
  const byAccount = Map.groupBy(uses, ({ account }) => accountName(account.provider, account.instance))
  const ran = briefs.flatMap((brief) => {
    const status = statusOfRun(brief, known)
    return status === null ? [] : [{ run_id: brief.run_id, status }]
  })
  return {
    status: statusOfWhole(shown.map(({ status }) => status)),
    pairs: shown.map(({ pair: { id, name }, status }) => ({ id, name, status })),
    accounts: [...byAccount.values()].map((own) => {
      const { account } = own[0]!
      const status = statusOfAccount(
        account,
        own.map((use) => use.status),
        health,
        known,
      )
      return { ...account, name: nameOf(account.provider, account.instance, known), status }
    }),
    runs: ran.slice(0, SHOWN_RUNS),
  }
}

/** @param pairs the statuses of the pairs that use the account */
function statusOfAccount(
  account: AccountName,
  pairs: readonly SyncStatus[],
  health: Present['health'],
  known: Labels,
): SyncStatus {
  const own = healthCause(account, health, known)
  // Another account of a pair, which is out of reach, says nothing about this one.
  const isOwn = ({ provider, instance }: SyncCause) =>
    provider === undefined || (provider === account.provider && instance === account.instance)
  return statusOf([...own, ...statusOfAll(pairs).causes.filter(isOwn)])
}

function healthCause(account: AccountName, health: Present['health'], known: Labels): readonly SyncCause[] {
  const status = health.get(accountName(account.provider, account.instance))
  return status === 'down'
    ? [ofAccount('unreachable', account, known, 'down')]
    : status === 'auth_failed' || status === 'not_configured'
      ? [ofAccount('sign_in', account, known, status)]
      : []
}

/** The status that a run left; null for runs that sync nothing, such as a dry run or an undo. */
export function statusOfRun(brief: RunBrief, known: Labels): SyncStatus | null {
  if (brief.dry_run || WORK.has(brief.source)) return null
  const cause = (kind: SyncCauseKind, text: string): SyncCause => ({ kind, count: 0, text })
  if (brief.running) return statusOf([cause('running', 'The run is in progress.')])
  const causes = brief.pairs.flatMap(({ pair_id, features }) =>
    features.flatMap((report) => causesOfFeature(pair_id, openInReport(report), known)),
  )
  const isExplained = causes.some(({ kind }) => kind !== 'items' && kind !== 'approval')
  return statusOf([
    ...causes,
    ...(brief.result === 'cancelled' ? [cause('cancelled', 'The run was cancelled.')] : []),
    ...(brief.result === 'failed' && (brief.reason !== null || !isExplained)
      ? [cause('failed', reasonText({ reason: brief.reason ?? 'internal' }, known) ?? '')]
      : []),
  ])
}

/** The report of a run that wrote, with the items that need the person. Playlists report held ones apart. */
export function openInReport<Report extends FeatureReport>(report: Report): Report & Reported {
  const { feature, unresolved, held, not_in_library: missing = 0 } = report
  const all = feature === 'playlists' ? unresolved + held : Math.max(unresolved, held)
  return { ...report, open: Math.max(0, all - missing) }
}

function approvalText(feature: Feature, count: number): string {
  return `${capital(feature)}: ${count} ${count === 1 ? 'change needs' : 'changes need'} your approval.`
}

function itemsText(feature: Feature, count: number): string {
  return `${capital(feature)}: ${count} ${count === 1 ? 'item' : 'items'} could not be matched or written.`
}

export function capital(feature: string): string {
  return feature.charAt(0).toUpperCase() + feature.slice(1)
}
