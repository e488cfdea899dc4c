// Growable number arrays for columns of many rows. Rows known from an earlier table are copied.

type Column = Int32Array | Float64Array | Uint16Array | Uint8Array

/** Values by row. */
export interface Columns {
  pageOf: Int32Array
  from: Int32Array
  to: Int32Array
  titleOf: Int32Array
  libraryOf: Int32Array
  times: Float64Array
  positions: Float64Array
  ratings: Uint8Array
  kinds: Uint8Array
  flags: Uint8Array
  percents: Uint8Array
  segmentNumbers: Uint16Array
  /** End position of the row's tokens. */
  tokenEnds: Int32Array
}

export function createColumns(): Columns {
  return {
    pageOf: new Int32Array(0),
    from: new Int32Array(0),
    to: new Int32Array(0),
    titleOf: new Int32Array(0),
    libraryOf: new Int32Array(0),
    times: new Float64Array(0),
    positions: new Float64Array(0),
    ratings: new Uint8Array(0),
    kinds: new Uint8Array(0),
    flags: new Uint8Array(0),
    percents: new Uint8Array(0),
    segmentNumbers: new Uint16Array(0),
    tokenEnds: new Int32Array(0),
  }
}

export function reserveRows(columns: Columns, rows: number): void {
  for (const name of namesOf(columns)) columns[name] = withRoom<Column>(columns[name], rows) as never
}

/** @param at position of the first row in `to` */
export function copyRows(columns: Columns, start: number, end: number, to: Columns, at: number): void {
  for (const name of namesOf(columns)) to[name].set(columns[name].subarray(start, end), at)
}

/** The column with room for `size` values. */
export function withRoom<Values extends Column>(column: Values, size: number): Values {
  if (size <= column.length) return column
  const larger = new (column.constructor as new (length: number) => Values)(Math.max(size, column.length * 2, 1024))
  larger.set(column as never)
  return larger
}

function namesOf(columns: Columns) {
  return Object.keys(columns) as (keyof Columns)[]
}
