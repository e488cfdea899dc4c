// The filters and sorts of Plex list queries: `viewCount>=1`, `lastViewedAt>>=1751300000`,
// `title!=x`, `sort=lastViewedAt:desc,title`. A comma means or; several filters mean and.
export type Value = string | number | boolean | undefined

export type Fields<T> = Readonly<Record<string, (element: T) => Value>>

/** The elements that match all filters, sorted; undefined if the query compares an unknown field. */
export function select<T>(
  elements: readonly T[],
  query: URLSearchParams,
  fields: Fields<T>,
  defaultSort: string,
): T[] | undefined {
  let left = [...elements]
  for (const condition of conditions(query)) {
    const field = fields[condition.name]
    // A plain `name=value` may be an option of the call; a comparison is always a filter.
    if (field === undefined && condition.operator !== '') return undefined
    if (field !== undefined) left = left.filter((element) => holds(field(element), condition))
  }
  return sorted(left, query.get('sort') ?? defaultSort, fields)
}

interface Condition {
  readonly name: string
  readonly operator: '' | '=' | '!' | '>' | '<' | '>>' | '<<'
  readonly wanted: readonly string[]
}

function conditions(query: URLSearchParams): Condition[] {
  const found: Condition[] = []
  for (const [key, value] of query) {
    const match = /^(?:(?:movie|show|season|episode)\.)?(\w+?)(!|>>|<<|>|<|=)?$/.exec(key)
    if (match === null) continue
    // The query parser leaves the second character of `==` in the value.
    const exact = match[2] === undefined && value.startsWith('=')
    const operator = (exact ? '=' : (match[2] ?? '')) as Condition['operator']
    found.push({ name: match[1] as string, operator, wanted: (exact ? value.slice(1) : value).split(',') })
  }
  return found
}

function holds(actual: Value, { operator, wanted }: Condition): boolean {
  if (operator === '!') return !wanted.some((value) => equals(actual, value, false))
  if (actual === undefined) return false
  return wanted.some((value) => {
    if (operator === '' || operator === '=') return equals(actual, value, operator === '=')
    const order = compare(actual, typeof actual === 'string' ? value : Number(value))
    if (operator === '>>') return order > 0
    if (operator === '<<') return order < 0
    return operator === '>' ? order >= 0 : order <= 0
  })
}

function equals(actual: Value, wanted: string, exact: boolean): boolean {
  if (actual === undefined) return false
  if (typeof actual === 'boolean') return actual === (wanted === '1')
  if (typeof actual === 'number') return actual === Number(wanted)
  // Ids must match as a whole.
  return exact || actual.includes('://') ? actual === wanted : actual.toLowerCase().includes(wanted.toLowerCase())
}

function sorted<T>(elements: T[], sort: string, fields: Fields<T>): T[] {
  const orders = sort.split(',').map((part) => {
    const [name = '', direction] = part.split(':')
    return { field: fields[name], sign: direction === 'desc' ? -1 : 1 }
  })
  return elements.sort((a, b) => {
    for (const { field, sign } of orders) {
      const order = field === undefined ? 0 : compare(field(a), field(b)) * sign
      if (order !== 0) return order
    }
    return 0
  })
}

/** Missing values sort first. */
function compare(a: Value, b: Value): number {
  if (a === b) return 0
  if (a === undefined) return -1
  if (b === undefined) return 1
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : 1
  return Number(a) - Number(b)
}
