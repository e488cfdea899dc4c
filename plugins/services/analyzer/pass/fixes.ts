// The input of a rule's fix, and validation of its result.
import { type AccountName, type AnalyzedFeature, type FixPlan, type FixRequest, PlayheadError } from '@playhead/sdk'
import { type Item, titleTokenOf } from '@playhead/sdk/items'
import { nameOf, type PassResult } from './analyze.ts'

export interface FixOrder extends AccountName {
  readonly feature: AnalyzedFeature
  readonly key: string
  readonly type: string
  /** The current row. */
  readonly item: Item
  readonly fields: Readonly<Record<string, unknown>>
}

const MAX_NAMESAKES = 200
const MAX_ALIASES = 50
const MAX_CHANGES = 100

interface Related extends Pick<FixRequest, 'peers' | 'namesakes'> {
  /** Rows of any account and feature that are linked with the row by ids. */
  readonly aliases: readonly { readonly item: Item }[]
}

/** Null if the account has no such row. */
export function relatedTo(
  { table, tasks, counts, verdict }: PassResult,
  account: AccountName,
  feature: AnalyzedFeature,
  key: string,
): Related | null {
  const position = table.segments.findIndex((one) => nameOf(one) === nameOf({ ...account, feature }))
  const row = position === -1 ? -1 : table.find(table.segments[position]!, key)
  if (row === -1) return null
  const peers = tasks.flatMap((task, at) => {
    if (task.source !== position || task.target < 0) return []
    const found = verdict(row, at)
    return [
      {
        account: counts[at]!.route.target,
        state: found.state,
        ...(found.row < 0 ? {} : { row: { key: table.key(found.row), item: table.item(found.row) } }),
      },
    ]
  })
  const token = titleTokenOf(table.item(row))
  const title = table.title(row)
  const namesakes: FixRequest['namesakes'][number][] = []
  for (let other = 0; title >= 0 && other < table.count && namesakes.length < MAX_NAMESAKES; other += 1) {
    if (other === row || table.title(other) !== title) continue
    const { provider, instance } = table.segments[table.segmentOf(other)]!
    const item = table.item(other)
    if (titleTokenOf(item) === token) namesakes.push({ provider, instance, key: table.key(other), item })
  }
  return { peers, namesakes, aliases: aliasesOf(table, row) }
}

function aliasesOf(table: PassResult['table'], row: number): Related['aliases'] {
  const item = table.item(row)
  const found: { readonly item: Item }[] = []
  for (const feature of new Set(table.segments.map((one) => one.feature))) {
    const linked = table.rowLike(feature, item, table.key(row))
    if (linked < 0) continue
    const { nodes, from, to } = table.group(linked)
    for (const node of nodes.subarray(from, Math.min(to, from + MAX_ALIASES)))
      if (node !== row && !table.contradicts(row, node)) found.push({ item: table.item(node) })
  }
  return found
}

/** Throws `PLH_INVALID` (`invalid_fix`) if the result is not a plan. */
export function checkedPlan(plan: unknown): FixPlan {
  const { changes, correct, plan: writes } = (plan ?? {}) as Partial<FixPlan>
  const isRight =
    Array.isArray(changes) &&
    changes.every((line) => typeof line === 'string') &&
    (correct === undefined || (typeof correct === 'object' && correct !== null && typeof correct.ids === 'object')) &&
    (writes === undefined ||
      (typeof writes.provider === 'string' &&
        typeof writes.instance === 'string' &&
        Array.isArray(writes.changes) &&
        writes.changes.length > 0 &&
        writes.changes.length <= MAX_CHANGES))
  if (!isRight) throw new PlayheadError('PLH_INVALID', 'The rule returned an invalid plan.', { wire: 'invalid_fix' })
  return JSON.parse(JSON.stringify(plan)) as FixPlan
}
