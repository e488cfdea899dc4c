// An id that a service gave to the wrong item stays in the base and joins another work to it. It leaves the base once the
// services have corrected it: the rows of the item have another id of that scheme.
import type { Item } from '@playhead/sdk/items'

type Ids = Readonly<Record<string, string | undefined>>

/** The item of the base without such an id; the same object if there is none. At most one id leaves at a time. */
export function withoutCorrectedId(base: Item, rows: readonly Item[]): Item {
  const known: Ids = base.ids
  const ids: readonly Ids[] = rows.map((row) => row.ids)
  const schemes = Object.keys(known)
  const differs = (row: Ids, scheme: string) => row[scheme] !== undefined && row[scheme] !== known[scheme]
  const agreesBeside = (row: Ids, scheme: string) => schemes.every((other) => other === scheme || !differs(row, other))
  const shares = (row: Ids, scheme: string) => schemes.some((other) => other !== scheme && row[other] === known[other])
  const isCorrected = (scheme: string) =>
    ids.some((row) => differs(row, scheme) && shares(row, scheme) && agreesBeside(row, scheme)) &&
    !ids.some((row) => row[scheme] === known[scheme] && agreesBeside(row, scheme))
  const count = (scheme: string) => ids.filter((row) => row[scheme] === known[scheme]).length
  const [wrong, next] = schemes.filter(isCorrected).toSorted((one, other) => count(one) - count(other))
  if (wrong === undefined || (next !== undefined && count(next) === count(wrong))) return base
  const { [wrong]: _, ...rest } = known
  return { ...base, ids: rest as Item['ids'] }
}
