// What the features have in common when they look at a row.
import type { Item } from '../items/item.ts'
import { parseTime } from '../items/time.ts'
import type { Shape } from './contract.ts'

/** Epoch milliseconds of a time in an item; of a mere date its beginning. Undefined where there is none. */
export function timeMs(value: string | undefined): number | undefined {
  return value === undefined ? undefined : parseTime(value)?.atMs
}

/** The shape of a row with its evidence, where that is known. */
export function shapeOf(value: string, evidenceMs: number | undefined, rank?: number): Shape {
  return { value, ...(evidenceMs === undefined ? {} : { evidenceMs }), ...(rank === undefined ? {} : { rank }) }
}

/** Rows that only help to match are never written and never removed. */
export function isTransient(item: Item): boolean {
  return item.transient === true
}
