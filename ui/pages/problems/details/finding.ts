// Types of a finding, and texts of its rules. Rules of plugins are treated equally.
import { useMemo } from 'react'
import type { Answer, Input } from '../../../api/client.ts'
import { useRead } from '../../../api/query.ts'
import { useNames } from '../../../parts/values/names.ts'
import { analyzer as texts } from '../../../texts/en/analyzer.ts'
import { serviceText } from '../../../texts/service-text.ts'

export type ProblemsPage = Answer<'GET /api/analyzer/problems'>
export type Finding = ProblemsPage['problems'][number]
export type ProblemsQuery = NonNullable<Input<'GET /api/analyzer/problems'>['query']>
export type Severity = Finding['severity']
export type AnalyzedFeature = Input<'POST /api/analyzer/fix'>['body']['feature']

export const SEVERITIES = ['error', 'warn', 'info'] as const satisfies readonly Severity[]
export const TONES = { error: 'bad', warn: 'warn', info: 'idle' } as const

export interface Kind {
  readonly label: string
  readonly meaning: string
  readonly severity: Severity
  readonly fix: string | null
}

const FRESH_MS = 60_000

/** By type. The kind name distinguishes the kinds of one rule. */
export function useKinds(): (type: string) => Kind {
  const { data } = useRead(['analyzer', 'rules'], 'GET /api/analyzer/rules', undefined, { staleTime: FRESH_MS })
  const kinds = useMemo(
    () =>
      new Map(
        (data?.rules ?? []).flatMap(({ label, problems }) =>
          problems.map(({ type, label: own, meaning, severity, fix }): readonly [string, Kind] => [
            type,
            {
              label: serviceText(own ?? (problems.length === 1 ? label : wordsOf(type))),
              meaning: serviceText(meaning),
              severity,
              fix: fix === null ? null : serviceText(fix),
            },
          ]),
        ),
      ),
    [data],
  )
  return (type) => kinds.get(type) ?? { label: wordsOf(type), meaning: '', severity: 'info', fix: null }
}

/** `missing_ids` becomes 'Missing IDs'. */
function wordsOf(type: string): string {
  const known = (texts.kinds as Readonly<Record<string, string>>)[type]
  if (known !== undefined) return known
  const words = type.replace(/^cw_state_/, '').replaceAll('_', ' ')
  return words === '' ? texts.unknownKind : words.charAt(0).toUpperCase() + words.slice(1)
}

/** `TRACKA@TRACKA-P01` as its display name. */
export function useAccountName(): (name: string | null | undefined) => string {
  const names = useNames()
  return (name) => {
    if (name == null) return texts.service
    const [provider = '', instance] = name.split('@')
    return names.account(provider, instance)
  }
}

export function titleOf({ title, message, key }: Pick<Finding, 'title' | 'message' | 'key'>): string {
  return title ?? (message !== '' ? serviceText(message) : (key ?? ''))
}

export interface Row {
  readonly provider: string
  readonly feature: AnalyzedFeature
  readonly key: string
}
