// Entries of `GET /api/attention` as problems: what Playhead itself, its plugins and accounts outside of pairs need. Checks ask
// the accounts, so their last result is used for a while.
import {
  accountName,
  type Attention,
  type AttentionList,
  orWhenAborted,
  type Problem,
  type ProblemCause,
  type ProblemFilter,
  problemId,
  type ProblemSource,
  type StatusService,
  usableLimit,
} from '@playhead/sdk'

interface ServiceProblemDependencies {
  readonly attention: () => Pick<AttentionList, 'open'> | undefined
  readonly status: () => Pick<StatusService, 'overview'> | undefined
  readonly now: () => number
}

const FRESH_MS = 10_000
/** A late check is shown with the next request. */
const WAIT_MS = 1_500
/** The sources of the sync and the analyzer list these item by item. */
const LISTED_ELSEWHERE = new Set([
  'held_removals',
  'unresolved',
  'run_failed',
  'not_synced',
  'synced_in_part',
  'analyzer_problems',
])
const OF_ACCOUNT = new Set(['sign_in', 'unreachable'])

const CAUSES = {
  accounts: {
    title: 'Accounts',
    text: 'An account that no pair uses, or a sign-in that expires soon.',
    action: 'sign_in',
  },
  vendors: {
    title: 'Changes at services',
    text: 'A service announced a change that concerns you, or no longer answers as its plugin expects.',
    action: 'open',
  },
  service: { title: 'Playhead itself', text: 'Something in Playhead is not working.', action: 'open' },
} as const satisfies Readonly<Record<string, Pick<ProblemCause, 'title' | 'text' | 'action'>>>
const CODES = Object.keys(CAUSES) as readonly (keyof typeof CAUSES)[]

interface ServiceProblems extends Omit<ProblemSource, 'ignore' | 'restore' | 'retry'> {
  /** False while a check takes long: some problems may be missing. */
  isComplete(): boolean
}

export function createServiceProblems({ attention, status, now }: ServiceProblemDependencies): ServiceProblems {
  let known: readonly Attention[] = []
  let isComplete = true
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  async function read(): Promise<void> {
    const found = await attention()?.open()
    known = found?.items ?? []
    isComplete = found?.isComplete ?? true
    readAtMs = now()
  }

  async function items(): Promise<readonly Attention[]> {
    if (now() - readAtMs > FRESH_MS) {
      reading ??= read().finally(() => (reading = undefined))
      using limit = usableLimit(WAIT_MS)
      const isRead = await orWhenAborted(
        reading.then(() => true),
        limit.signal,
        false,
      )
      if (!isRead) isComplete = false
    }
    const shown = known.filter(({ kind }) => !LISTED_ELSEWHERE.has(kind))
    if (!shown.some(({ kind }) => OF_ACCOUNT.has(kind))) return shown
    const listed = await listedAccounts()
    return shown.filter(
      ({ kind, provider = '', instance = '' }) =>
        !(OF_ACCOUNT.has(kind) && listed.has(accountName(provider, instance))),
    )
  }

  /** Accounts whose sign-in or reachability the status names. */
  async function listedAccounts(): Promise<ReadonlySet<string>> {
    const overview = await status()?.overview()
    return new Set(
      (overview?.status.causes ?? []).flatMap(({ provider, instance }) =>
        provider === undefined || instance === undefined ? [] : [accountName(provider, instance)],
      ),
    )
  }

  async function found(filter: ProblemFilter): Promise<readonly Attention[]> {
    if (filter.ignored || filter.run_id !== undefined || filter.feature !== undefined) return []
    return (await items()).filter(
      ({ pair_id, provider, instance }) =>
        (filter.pair_id === undefined || pair_id === filter.pair_id) &&
        (filter.provider === undefined || provider === filter.provider) &&
        (filter.instance === undefined || instance === filter.instance),
    )
  }

  return {
    isComplete: () => isComplete,
    async revision() {
      return JSON.stringify([await items(), isComplete])
    },
    async causes(filter) {
      const all = await found(filter)
      return CODES.flatMap((code): readonly ProblemCause[] => {
        const own = all.filter((one) => codeOf(one) === code)
        if (own.length === 0) return []
        const severity = (['error', 'warning'] as const).find((each) => own.some((one) => one.severity === each))
        const counts = { rows: own.length, need_you: 0, can_ignore: false, can_retry: false }
        const only = own.length === 1 ? { only: problemOf(own[0]!) } : {}
        return [{ code, ...CAUSES[code], ...counts, ...only, severity: severity ?? 'info' }]
      })
    },
    async list(code, filter, { offset, limit }) {
      const own = (await found(filter)).filter((one) => codeOf(one) === code)
      return own.slice(offset, offset + limit).map(problemOf)
    },
  }
}

function codeOf({ kind, provider }: Attention): keyof typeof CAUSES {
  if (kind.startsWith('vendor_')) return 'vendors'
  return provider === undefined ? 'service' : 'accounts'
}

function problemOf({
  id,
  plugin,
  kind,
  title,
  detail,
  since,
  pair_id,
  provider,
  instance,
  link,
  action,
}: Attention): Problem {
  return {
    id: problemId([plugin ?? '', id]).slice(0, 1_400),
    ...{ title, text: detail, need_you: 0 },
    ...(since === undefined ? {} : { since }),
    ...(pair_id === undefined ? {} : { pair_id }),
    accounts: provider === undefined || instance === undefined ? [] : [{ provider, instance }],
    actions: [
      ...(action === undefined ? [] : actionOf(kind, action)),
      ...(link === undefined ? [] : [{ kind: 'open_at', label: 'Read more', url: link } as const]),
    ],
  }
}

function actionOf(kind: string, { label, path, call }: NonNullable<Attention['action']>): Problem['actions'] {
  if (path !== undefined) return [{ kind: kind.startsWith('sign_in') ? 'sign_in' : 'open', label, path }]
  // A call with a body is a decision, which its own source lists.
  return call === undefined || call.body !== undefined
    ? []
    : [{ kind: 'try_again', label, call: { method: call.method, path: call.path } }]
}
