// Helpers for the shapes of rows.
import type { Item } from '../items/item.ts'
import { parseTime } from '../items/time.ts'
import type { Shape } from './contract.ts'
import { defined } from '../defined.ts'

/** Epoch milliseconds of an item's time; the start of the day for a date. Undefined without a time. */
export function timeMs(value: string | undefined): number | undefined {
  return value === undefined ? undefined : parseTime(value)?.atMs
}

/** The shape of a row, with its evidence if known. */
export function shapeOf(value: string, evidenceMs: number | undefined, rank?: number): Shape {
  return { value, ...defined({ evidenceMs, rank }) }
}

/** Rows that only help matching are never written or removed. */
export function isTransient(item: Item): boolean {
  return item.transient === true
}
