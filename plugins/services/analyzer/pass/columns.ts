// Arrays of numbers that grow, for columns of many rows.

type Column = Int32Array | Float64Array | Uint16Array | Uint8Array

/** The column with room for `size` values. */
export function withRoom<Values extends Column>(column: Values, size: number): Values {
  if (size <= column.length) return column
  const larger = new (column.constructor as new (length: number) => Values)(Math.max(size, column.length * 2, 1024))
  larger.set(column as never)
  return larger
}
