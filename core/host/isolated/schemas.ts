// TypeBox schemas between threads: their symbols, which a structured clone drops, become names and come back.

const SYMBOLS = ['TypeBox.Kind', 'TypeBox.Optional', 'TypeBox.Readonly', 'TypeBox.Hint', 'TypeBox.Transform'] as const
const PREFIX = '~symbol:'

/** A schema as plain data. Functions of transforms are left out. */
export function packSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(packSchema)
  if (typeof schema !== 'object' || schema === null) return typeof schema === 'function' ? undefined : schema
  const packed: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(schema)) if (typeof value !== 'function') packed[name] = packSchema(value)
  for (const name of SYMBOLS) {
    const value = (schema as Record<symbol, unknown>)[Symbol.for(name)]
    if (value !== undefined) packed[PREFIX + name] = packSchema(value)
  }
  return packed
}

export function unpackSchema(packed: unknown): unknown {
  if (Array.isArray(packed)) return packed.map(unpackSchema)
  if (typeof packed !== 'object' || packed === null) return packed
  const schema: Record<string | symbol, unknown> = {}
  for (const [name, value] of Object.entries(packed)) {
    schema[name.startsWith(PREFIX) ? Symbol.for(name.slice(PREFIX.length)) : name] = unpackSchema(value)
  }
  return schema
}
