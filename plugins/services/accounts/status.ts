// Overall status: which accounts work and are used, and whether a run would have work.
import {
  type AccountHealth,
  type Logger,
  orWhenAborted,
  type PairState,
  type ProfileUsage,
  usableLimit,
} from '@playhead/sdk'
import { wireToken, type Directory, type LiveProvider } from './directory.ts'
import type { Pairs, Usages } from './usages.ts'
import { answerWithin, isWorking, targetOf, type Probes } from './probes.ts'
import { representative, toProbe } from './representative.ts'
import type { Attempt } from './computed.ts'

export interface Status {
  /** Body of `GET /api/status`. */
  readonly body: Readonly<Record<string, unknown>>
  /** False if a part did not respond in time. */
  readonly isComplete: boolean
}

interface StatusOptions {
  readonly directory: Pick<Directory, 'live'>
  readonly pairs: Pairs
  readonly usages: Pick<Usages, 'of'>
  readonly probes: Pick<Probes, 'ask' | 'last'>
  readonly log: Logger
  readonly now: () => number
  readonly debug: () => boolean
  /** Timeout of the whole status. */
  readonly limitMs: number
}

/** Facts about one profile. */
interface Row {
  readonly id: string
  readonly configured: boolean
  readonly used: boolean
  readonly users: readonly User[]
  readonly connected: boolean
  readonly probed: boolean
  readonly health: AccountHealth | undefined
  readonly checkedAtMs: number | undefined
  readonly stale: boolean
}

type User = 'pair' | 'watcher'
const NOT_PROBED = { probed: false, connected: false, health: undefined, checkedAtMs: undefined, stale: false }

const USERS: Readonly<Record<string, User>> = { sync_pair: 'pair', watcher: 'watcher' }
// Names a local folder.
const HIDDEN_EXTRAS = new Set(['root_dir'])
const HINTS: Readonly<Record<string, string>> = {
  '': 'Not used',
  pair: 'Used in pairs',
  watcher: 'Used by the watcher',
  'pair,watcher': 'Used in pairs and by the watcher',
}

export async function computeStatus(options: StatusOptions, { fresh, elapsedMs, signal }: Attempt): Promise<Status> {
  const { directory, pairs, log, now, debug, limitMs } = options
  using limit = usableLimit(Math.max(0, limitMs - elapsedMs), signal)
  const [providers, known] = await Promise.all([
    orWhenAborted(directory.live(), limit.signal, []),
    orWhenAborted(
      pairs().catch((error: unknown) => {
        log.warn({ err: error }, 'the pairs could not be read')
        return undefined
      }),
      limit.signal,
      undefined,
    ),
  ])
  const reports = await Promise.all(
    providers.map(async (provider) => ({
      provider,
      rows: await rowsOf(options, provider, known ?? [], fresh, limit.signal),
    })),
  )
  const shown = reports.filter(({ rows }) => rows.some(({ configured, probed }) => configured || probed))
  const connections = reports.map(({ provider: { about }, rows }) => [
    `${wireToken(about.token)}_connected`,
    speaker(rows)?.connected === true,
  ])
  const body = {
    ...Object.fromEntries(connections),
    debug: debug(),
    can_run: (known ?? []).some((pair) => canRun(pair, providers)),
    ts: toSeconds(now()),
    providers: Object.fromEntries(shown.map(({ provider, rows }) => [provider.about.id, reportOf(provider, rows)])),
  }
  const isInTime = !limit.signal.aborted && reports.every(({ rows }) => rows.every(({ stale }) => !stale))
  return { body, isComplete: known !== undefined && isInTime }
}

async function rowsOf(
  options: StatusOptions,
  provider: LiveProvider,
  pairs: readonly PairState[],
  fresh: boolean,
  limit: AbortSignal,
): Promise<readonly Row[]> {
  const { about, profiles } = provider
  const used = await Promise.all(
    profiles.map(async ({ id, configured }) => {
      const usages = options.usages.of(about.id, id, { pairs, profiles }).catch((error: unknown) => {
        options.log.warn({ err: error, provider: about.id, instance: id }, 'the usages of a profile are unknown')
        return []
      })
      const users = usersOf(await orWhenAborted(usages, limit, []))
      return { id, configured, users, used: users.length > 0 }
    }),
  )
  const chosen = toProbe(used, about.signIn.flow === 'local')
  return Promise.all(
    profiles.map(async (profile, index): Promise<Row> => {
      const facts = used[index] as (typeof used)[number]
      if (!chosen.has(profile.id)) return { ...facts, ...NOT_PROBED }
      const answer = await answerWithin(limit, options.probes, targetOf(provider, profile), fresh ? 'soon' : 'usual')
      return { ...facts, ...answer, probed: true, connected: isWorking(answer.health) }
    }),
  )
}

function reportOf({ about }: LiveProvider, rows: readonly Row[]): Readonly<Record<string, unknown>> {
  const rep = speaker(rows)
  const users = (['pair', 'watcher'] as const).filter((user) => rows.some((row) => row.users.includes(user)))
  // Extras come first, so that they cannot override the status fields.
  const extras = Object.entries(rep?.health?.extras ?? {}).filter(([name]) => !HIDDEN_EXTRAS.has(name))
  return {
    ...Object.fromEntries(extras),
    label: about.label,
    connected: rep?.connected === true,
    ...reasonOf(rep),
    instances: Object.fromEntries(rows.map((row) => [row.id, instanceOf(row)])),
    instances_summary: {
      ok: rows.filter(({ connected }) => connected).length,
      probed: rows.filter(({ probed }) => probed).length,
      total: rows.length,
      rep: rep?.id ?? 'default',
      used: rows.filter(({ used }) => used).map(({ id }) => id),
    },
    rep_instance: rep?.id ?? 'default',
    scope: users.length === 1 && users[0] === 'watcher' ? 'watcher' : 'pair',
    used_by: users,
    used_in_pairs: users.includes('pair'),
    used_in_watcher: users.includes('watcher'),
    usage_hint: HINTS[users.join(',')],
  }
}

function instanceOf(row: Row): Readonly<Record<string, unknown>> {
  const { configured, probed, connected, used, checkedAtMs, stale } = row
  return {
    configured,
    probed,
    ...(probed ? { connected } : {}),
    ...reasonOf(probed ? row : undefined),
    ...(used ? { used } : {}),
    ...(checkedAtMs === undefined ? {} : { checked_at: toSeconds(checkedAtMs) }),
    ...(stale ? { stale } : {}),
  }
}

function reasonOf(row: Row | undefined): Readonly<Record<string, unknown>> {
  if (row === undefined || row.connected) return row?.stale === true ? { stale: true } : {}
  const { reason = 'not configured', reasonCode = 'not_configured' } = row.health ?? {}
  return { reason, reason_code: reasonCode, ...(row.stale ? { stale: true } : {}) }
}

function speaker(rows: readonly Row[]): Row | undefined {
  const id = representative(rows)
  return rows.find((row) => row.id === id)
}

function usersOf(usages: readonly ProfileUsage[]): readonly User[] {
  return [
    ...new Set(
      usages.flatMap(({ feature, enabled }) => {
        const user = USERS[feature]
        return enabled && user !== undefined ? [user] : []
      }),
    ),
  ]
}

function canRun(pair: PairState, providers: readonly LiveProvider[]): boolean {
  const isConfigured = (provider: string, instance: string) =>
    providers.some(
      ({ about, profiles }) =>
        about.id === provider.toUpperCase() &&
        profiles.some(({ id, configured }) => configured && id === (instance || 'default')),
    )
  return (
    pair.enabled && isConfigured(pair.source, pair.source_instance) && isConfigured(pair.target, pair.target_instance)
  )
}

function toSeconds(atMs: number): number {
  return Math.floor(atMs / 1_000)
}
