// The findings of the rules in one pass: stored compactly, sorted when they are first shown.
import type { AccountName, Feature, Finding, ProblemKind, Severity } from '@playhead/sdk'
import type { RowTable } from './rows.ts'
import { accountText } from './wire.ts'

export interface Kind extends ProblemKind {
  readonly rule: string
  readonly hasFix: boolean
}

export interface Stored {
  readonly kind: Kind
  readonly severity: Severity
  /** -1 if the finding concerns no row. */
  readonly row: number
  readonly account: AccountName | null
  readonly feature: Feature | null
  readonly message: string
  /** JSON of further fields. */
  readonly fields: string | undefined
}

export interface Filters {
  readonly type?: string
  readonly severity?: Severity
  readonly category?: string
  readonly provider?: string
  readonly feature?: string
  /**
   * Rows that are wrong or doubtful. A row that another account lacks is left to the sync, which lists what it could not write.
   */
  readonly isDoubtful?: boolean
}

export interface Summary {
  readonly total: number
  readonly by_severity: Readonly<Record<Severity, number>>
  readonly by_category: Readonly<Record<string, number>>
  readonly by_type: Readonly<Record<string, number>>
}

/** More findings of one rule are counted and not listed. */
const MAX_LISTED = 100_000
/** Limit for messages and fields of a rule's listed findings, in characters, because the thread's memory is limited. */
const MAX_CHARACTERS = 32_000_000
/** A rule with more findings is broken. */
const MAX_FINDINGS = 2_000_000
const MAX_FIELDS = 4_096
const MAX_MESSAGE = 500
const SEVERITIES: readonly Severity[] = ['error', 'warn', 'info']

export class TooMany extends Error {}
export class Nonsense extends Error {}

export interface Place {
  readonly account: AccountName | null
  readonly feature: Feature | null
  rowOf(key: string): number
}

/** Validates a finding of a rule. Throws Nonsense. */
function check(finding: unknown, kinds: ReadonlyMap<string, Kind>): { readonly kind: Kind; readonly finding: Finding } {
  if (typeof finding !== 'object' || finding === null) throw new Nonsense('a finding is no object')
  const { type, key, severity, message, feature, account } = finding as Partial<Record<keyof Finding, unknown>>
  const kind = typeof type === 'string' ? kinds.get(type) : undefined
  if (kind === undefined)
    throw new Nonsense(`a finding has the type ${JSON.stringify(type) ?? 'undefined'}, which the rule does not declare`)
  if (key !== undefined && typeof key !== 'string') throw new Nonsense('the key of a finding is no text')
  if (severity !== undefined && !SEVERITIES.includes(severity as Severity))
    throw new Nonsense('the severity of a finding is unknown')
  if (message !== undefined && typeof message !== 'string') throw new Nonsense('the message of a finding is no text')
  if (feature !== undefined && typeof feature !== 'string') throw new Nonsense('the feature of a finding is no text')
  if (
    account !== undefined &&
    (typeof account !== 'object' ||
      account === null ||
      typeof (account as AccountName).provider !== 'string' ||
      typeof (account as AccountName).instance !== 'string')
  )
    throw new Nonsense('the account of a finding is none')
  return { kind, finding: finding as Finding }
}

export interface Findings {
  /** Throws Nonsense, or TooMany. */
  take(found: Iterable<unknown>, kinds: ReadonlyMap<string, Kind>, place: Place, onEach: () => void): void
  readonly all: readonly Stored[]
  /** Forgets the findings of a rule. */
  drop(rule: string): void
  counts(): ReadonlyMap<string, number>
}

export function createFindings(): Findings {
  let all: Stored[] = []
  const perRule = new Map<string, number>()
  const perKind = new Map<string, Map<string, number>>()
  const sizes = new Map<string, number>()
  return {
    get all() {
      return all
    },
    take(found, kinds, place, onEach) {
      for (const given of found) {
        onEach()
        const { kind, finding } = check(given, kinds)
        const count = (perRule.get(kind.rule) ?? 0) + 1
        if (count > MAX_FINDINGS) throw new TooMany(`more than ${MAX_FINDINGS} findings`)
        perRule.set(kind.rule, count)
        const severity = finding.severity ?? kind.severity
        const counted = `${kind.type} ${severity}`
        const ofRule = perKind.get(kind.rule) ?? new Map<string, number>()
        perKind.set(kind.rule, ofRule.set(counted, (ofRule.get(counted) ?? 0) + 1))
        const size = sizes.get(kind.rule) ?? 0
        if (count > MAX_LISTED || size > MAX_CHARACTERS) continue
        const row = finding.key === undefined ? -1 : place.rowOf(finding.key)
        if (finding.key !== undefined && row < 0) throw new Nonsense('a finding names a row that is not on its page')
        const fields = finding.fields === undefined ? undefined : fieldsOf(finding.fields)
        const message = (finding.message ?? kind.meaning).slice(0, MAX_MESSAGE)
        sizes.set(kind.rule, size + (fields?.length ?? 0) + (finding.message === undefined ? 0 : message.length))
        all.push({
          kind,
          severity,
          row,
          account: finding.account ?? place.account,
          feature: finding.feature ?? place.feature,
          message,
          fields,
        })
      }
    },
    drop(rule) {
      all = all.filter(({ kind }) => kind.rule !== rule)
      perRule.delete(rule)
      sizes.delete(rule)
      perKind.delete(rule)
    },
    counts: () => new Map([...perKind.values()].flatMap((counts) => [...counts])),
  }
}

function fieldsOf(fields: unknown): string {
  let text: string | undefined
  try {
    text = JSON.stringify(fields)
  } catch {
    throw new Nonsense('the fields of a finding are no plain data')
  }
  if (text === undefined || !text.startsWith('{')) throw new Nonsense('the fields of a finding are no object')
  if (text.length > MAX_FIELDS) throw new Nonsense(`the fields of a finding are longer than ${MAX_FIELDS} characters`)
  return text
}

/** Sorts by severity, category, type, account or else module or artifact, feature and key, path. */
export function sortFindings(all: readonly Stored[], table: RowTable | null): readonly Stored[] {
  const groups = [...Map.groupBy(all, headOf)].sort(([a], [b]) => compare(a, b))
  return groups.flatMap(([, group]) =>
    group
      .map((one) => ({ one, key: one.row < 0 || table === null ? '' : table.key(one.row) }))
      .sort((a, b) => compare(a.key, b.key))
      .map(({ one }) => one),
  )
}

function headOf({ kind, severity, account, feature, fields }: Stored): string {
  return `${SEVERITIES.indexOf(severity)} ${kind.category} ${kind.type} ${account === null ? subjectOf(fields) : accountText(account)} ${feature ?? ''}`
}

/** The subject of a problem of the service. */
function subjectOf(fields: string | undefined): string {
  const { module, artifact, path } = (fields === undefined ? {} : JSON.parse(fields)) as Record<string, unknown>
  return [module ?? artifact, path].filter((part) => typeof part === 'string').join(' ')
}

export function matches({ kind, severity, account, feature, row }: Stored, filters: Filters): boolean {
  return (
    (filters.isDoubtful !== true || (severity !== 'info' && row >= 0 && kind.category !== 'peer')) &&
    (filters.type === undefined || kind.type === filters.type) &&
    (filters.severity === undefined || severity === filters.severity) &&
    (filters.category === undefined || kind.category === filters.category) &&
    (filters.feature === undefined || feature === filters.feature) &&
    (filters.provider === undefined || isOf(account, filters.provider))
  )
}

/** `TRACKA` means all of its profiles, `TRACKA@TRACKA-P01` one. */
export function isOf(account: AccountName | null, name: string): boolean {
  if (account === null) return false
  const [provider = '', instance] = name.split(/[@#:]/, 2)
  return (
    account.provider === provider.toUpperCase() &&
    (instance === undefined || account.instance.toLowerCase() === instance.toLowerCase())
  )
}

/** As `isOf`, for an account in its wire form. */
export function isOfName(account: unknown, name: string): boolean {
  if (typeof account !== 'string') return false
  const [provider = '', instance = 'default'] = account.split('@')
  return isOf({ provider, instance }, name)
}

export function summaryOf(kinds: ReadonlyMap<string, Kind>, counts: ReadonlyMap<string, number>): Summary {
  const by = {
    severity: { error: 0, warn: 0, info: 0 },
    category: new Map<string, number>(),
    type: new Map<string, number>(),
  }
  let total = 0
  for (const [counted, count] of counts) {
    const [type = '', severity] = counted.split(' ') as [string, Severity]
    total += count
    by.severity[severity] += count
    by.type.set(type, (by.type.get(type) ?? 0) + count)
    const category = kinds.get(type)?.category ?? 'general'
    by.category.set(category, (by.category.get(category) ?? 0) + count)
  }
  return { total, by_severity: by.severity, by_category: sorted(by.category), by_type: sorted(by.type) }
}

function sorted(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a], [b]) => compare(a, b)))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
